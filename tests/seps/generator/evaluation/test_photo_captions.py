import json
from pathlib import Path

import pytest
import torch
from PIL import Image

from seps import load_model, shipped_file
from seps.generator.evaluation import photo_captions
from seps.generator.evaluation.photo_captions import COLUMNS, best_captions
from seps.generator.generator import WrittenCaption
from seps.generator.program import main
from seps.generator.ranking import BEAMS, agreements, order, seps_scores
from seps.models.model import SEPSModel
from tests.helpers.data.captioned import write_photo_split

CHINA = "galleries/photos/china.jpg"


@pytest.fixture(scope="module")
def model() -> SEPSModel:
    """A ranker that takes less time than the photos model."""
    return load_model("scenes")


def caption(text: str, score: float) -> WrittenCaption:
    return WrittenCaption(text, score, (), torch.zeros(0, 1, 1))


def test_the_score_decides_as_much_as_its_weight() -> None:
    captions, scores = [caption("likely", -0.5), caption("fitting", -0.9)], [0.2, 0.8]
    assert order(captions, scores, 0.0) == [0, 1]
    assert order(captions, scores, 0.5) == [0, 1]
    assert order(captions, scores, 1.0) == [1, 0]
    assert best_captions([(captions, scores)], 1.0) == ["fitting"]


def test_a_caption_s_agreement_is_the_share_of_word_sequences_that_it_has_in_common_with_the_others() -> None:
    """By hand: of 1, 2, 3 and 4 words, "a dog runs" and "a dog sits" share 2 of 3, 1 of 2 and 0 of 1; none has 4."""
    texts = ["A dog runs.", "a dog sits", "two cats"]
    near = (2 / 3 + 1 / 2) / 4
    assert agreements(texts) == pytest.approx([near / 2, near / 2, 0.0])
    assert agreements(["a a dog", "a dog"]) == pytest.approx([(4 / 5 + 2 / 3) / 4] * 2)  # a repeated word counts once
    assert agreements(["a brown dog runs", "A brown dog runs"]) == [1.0, 1.0]
    assert (agreements(["alone"]), agreements([])) == ([0.0], [])


def test_a_caption_s_score_is_that_of_the_model(model: SEPSModel) -> None:
    photo, texts = Image.open(shipped_file(CHINA)), ["a house by the sea", "two dogs run on the beach"]
    scores = seps_scores(model, photo, [caption(text, 0.0) for text in texts])
    assert scores == pytest.approx([model.explain(photo, text).similarity for text in texts], abs=1e-4)


def test_photographs_are_measured_by_people_s_captions(
    checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    model: SEPSModel,
) -> None:
    monkeypatch.setattr(photo_captions, "load_model", lambda name: model)
    monkeypatch.setattr("seps.generator.caption_metrics.shutil.which", lambda name: name)
    monkeypatch.setattr("seps.generator.caption_metrics.meteor_of", lambda truths, results: 0.2)  # Java takes long
    data, target = write_photo_split(tmp_path / "data", "dev"), tmp_path / "result.json"
    arguments = ["evaluate", "--model", str(checkpoint), "--data", str(data), "--split", "dev", "--beams", "2"]
    assert main([*arguments, "--last", "2", "--json", str(target)]) == 0
    result = json.loads(target.read_text())
    assert (result["photographs"], result["beams"], result["reranked"]["ranker"]) == (2, 2, "photos")
    for way in ("greedy", "beam", "reranked", "people"):
        assert 0 <= result[way]["bleu_4"] <= result[way]["bleu_1"] <= 100
        low, high = result[way]["intervals"]["cider"]
        assert low <= result[way]["cider"] <= high
    assert result["people"]["cider"] > result["beam"]["cider"]
    chosen = {(each["beams"], each["agreement"], each["weight"]): each for each in result["choices"]}
    reranked = result["reranked"]
    best = chosen[reranked["beams"], reranked["agreement"], reranked["weight"]]
    for way, choice in (("beam", chosen[2, 0, 0]), ("reranked", best)):
        assert [choice[name] for name in ("bleu_4", "cider")] == [result[way][name] for name in ("bleu_4", "cider")]
    assert {beams for beams, _, _ in chosen} == {2, BEAMS}
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split() == list(COLUMNS)
    assert f"{reranked['cider']:.3f} [" in printed[4]


def test_all_captions_are_printed_with_their_scores(checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--mode", "i2t", "--model", str(checkpoint), "--image", str(shipped_file(CHINA)), "--beams", "3"]
    assert main([*asked, "--all"]) == 0
    scores = [float(line.split(" (mean log probability ")[1][:-1]) for line in capsys.readouterr().out.splitlines()]
    assert 1 <= len(scores) <= 3 and scores == sorted(scores, reverse=True)
    assert main([*asked, "--all", "--seps", "scenes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert 1 <= len(lines) <= 3 and all("S(I, T) " in line and "agreement " in line for line in lines)


def test_a_generator_of_scenes_says_that_it_knows_no_photographs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--mode", "i2t", "--image", str(shipped_file(CHINA))]) == 0
    answer = capsys.readouterr()
    assert answer.err.startswith("Note: scenes knows only drawn scenes") and "--model photos" in answer.err
    assert len(answer.out.splitlines()) == 1 and "Note" not in answer.out
