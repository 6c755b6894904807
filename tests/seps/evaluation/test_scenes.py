import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from seps.data import open_image, read_split
from seps.evaluation.harness import main
from seps.evaluation.scenes import measure, pooled_similarity, read_graphs
from seps.models.hub import load_model
from seps.scenes import SPLITS, write_split

SCENES, PER_IMAGE = 6, 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenes")
    write_split(folder, SPLITS[-1], SCENES, seed=3)
    return folder


def perfect() -> torch.Tensor:
    """Every image is closest to its own captions."""
    return torch.eye(SCENES).repeat_interleave(PER_IMAGE, dim=1)


def test_groups_are_queries_apart(folder: Path) -> None:
    split = read_split(folder, "test")
    graphs = read_graphs(folder, split)
    assert [scene.unseen for scene in graphs.scenes] == [False, True] * 3
    similarity = perfect()
    similarity[0, PER_IMAGE] = 2.0  # the first caption of scene 1, unseen, is put to scene 0, seen
    recalls, misses = measure(similarity, graphs, PER_IMAGE)
    assert recalls["unseen"]["text_to_image"].r1 == pytest.approx(100 * 14 / 15)
    assert recalls["seen"]["text_to_image"].r1 == 100.0
    assert recalls["seen"]["image_to_text"].r1 == pytest.approx(100 * 2 / 3)
    assert recalls["all"]["image_to_text"].r1 == pytest.approx(100 * 5 / 6)
    assert (misses["text_to_image"].misses, misses["image_to_text"].misses) == (1, 1)


def test_a_miss_can_be_true_all_the_same(folder: Path) -> None:
    graphs = read_graphs(folder, read_split(folder, "test"))
    background = graphs.scenes[0].background
    statements = list(graphs.statements)
    statements[PER_IMAGE] = (("background", background),)  # what scene 1's first caption says is true of scene 0
    statements[PER_IMAGE + 1] = (("background", "nowhere"),)
    similarity = perfect()
    similarity[0, PER_IMAGE : PER_IMAGE + 2] = torch.tensor([2.0, 3.0])
    _, misses = measure(similarity, type(graphs)(graphs.scenes, tuple(statements)), PER_IMAGE)
    assert (misses["text_to_image"].misses, misses["text_to_image"].true) == (2, 1)
    assert (misses["image_to_text"].misses, misses["image_to_text"].true) == (1, 0)  # the higher of the two


def test_program_writes_both_ways_of_scoring(
    folder: Path, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, file = load_model(saved), tmp_path / "results.json"
    arguments = f"--measure scenes --model {saved} --data {folder} --split test --json {file}".split()
    main(arguments)
    main([*arguments, "--pooled"])
    results: dict[str, Any] = json.loads(file.read_text())
    assert set(results) == {"scenes", "scenes_pooled"}
    assert results["scenes"]["recalls"]["unseen"]["text_to_image"]["r10"] == 100.0  # of six scenes
    assert results["scenes_pooled"]["misses"]["image_to_text"]["queries"] == SCENES
    assert "the caption is true all the same" in capsys.readouterr().out

    split = read_split(folder, "test")
    similarity = pooled_similarity(model, split)
    image = model.encode_photos([open_image(split.image_files[2])])[0, 1:].mean(dim=0)
    words, lengths = model.encode_captions([split.captions[7]])
    caption = words[0, : int(lengths[0])].mean(dim=0)
    assert similarity[2, 7].item() == pytest.approx(torch.cosine_similarity(image, caption, dim=0).item(), abs=1e-5)


def test_photos_have_no_graphs(folder: Path, tmp_path: Path) -> None:
    split, lines = read_split(folder, "test"), (folder / "test_scenes.jsonl").read_text().splitlines()
    with pytest.raises(ValueError, match=r"test_scenes\.jsonl cannot be read"):
        read_graphs(tmp_path, split)
    for spoilt, message in (("{", "line 2, cannot be read as JSON"), ("{}", "holds a scene without its graph")):
        (tmp_path / "test_scenes.jsonl").write_text("\n".join([lines[0], spoilt, *lines[2:]]))
        with pytest.raises(ValueError, match=message):
            read_graphs(tmp_path, split)
    with pytest.raises(ValueError, match=r"test_scenes\.jsonl holds other captions than test_caps\.txt"):
        read_graphs(folder, replace(split, captions=("Something else", *split.captions[1:])))
