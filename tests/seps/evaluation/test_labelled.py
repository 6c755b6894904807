import json
from pathlib import Path

import pytest
import torch

from seps import ScoringEngine
from seps.data import open_image
from seps.data.manifest import read_labelled
from seps.evaluation.harness import main
from seps.evaluation.labelled import labelled_metrics, rank_first_right
from seps.models.hub import load_model
from tests.helpers.data.drawn_data import draw

LABELS = ("dog", "snow", "dog", "run")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labelled")
    (folder / "images").mkdir()
    for i in range(len(LABELS)):
        draw(folder / "images" / f"{i}.png", i)
    entries = [{"file": f"{i}.png", "label": label} for i, label in enumerate(LABELS)]
    (folder / "manifest.json").write_text(json.dumps(entries))
    return folder


def test_the_best_right_answer_counts_and_ties_count_against() -> None:
    similarity = torch.tensor([[3.0, 2.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.5]])
    right = torch.tensor([[False, True, True, False], [True, False, True, False]])
    assert rank_first_right(similarity, right).tolist() == [3, 2]
    assert rank_first_right(similarity, torch.tensor([[True, True, False, False]]).expand(2, 4)).tolist() == [1, 1]


def test_both_directions() -> None:
    # Twelve names; photographs 0 and 12 have name 0, the others one each. Photograph 0 likes name 11 best.
    similarity = torch.eye(12)[[*range(12), 0]]  # (13, 12)
    similarity[0, 11] = 2.0
    metrics = labelled_metrics(similarity, [*range(12), 0])
    names = metrics.image_to_text
    assert (names.r1, names.r5, names.r10) == pytest.approx((100 * 12 / 13, 100, 100))
    photographs = metrics.text_to_image  # name 0 finds photograph 12 first; name 11 finds photograph 0 first
    assert (photographs.r1, photographs.r5, photographs.r10) == pytest.approx((100 * 11 / 12, 100, 100))


def test_the_program_measures_what_the_library_does(
    data: Path, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"captions_only": {"rsum": 1.0}}')
    main(["--measure", "labelled", "--model", str(saved), "--data", str(data), "--json", str(file)])
    results = json.loads(file.read_text())
    assert results["captions_only"] == {"rsum": 1.0}
    result = results["labelled"]
    assert (result["photographs"], result["names"]) == (4, 3)
    model, labelled = load_model(saved), read_labelled(data)
    engine = ScoringEngine(model.cross_net)
    images = engine.encode_images(model.encode_photos([open_image(photo) for photo in labelled.files]))
    captions = ["a photo of a dog", "a photo of a snow", "a photo of a run"]
    scores = engine.score(images, engine.encode_captions(*model.encode_captions(captions)))
    assert result["seps"]["rsum"] == pytest.approx(labelled_metrics(scores, labelled.labels).rsum)
    assert {"seps", "pooled", "added"} <= set(result)
    assert "4 photographs, 3 names" in capsys.readouterr().out
