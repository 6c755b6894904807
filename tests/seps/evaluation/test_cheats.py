import json
from pathlib import Path
from typing import Any

import pytest
import torch

from seps import align_loss
from seps.data import open_image, read_split
from seps.evaluation.cheats import SEED
from seps.evaluation.harness import main
from seps.scenes import write_split
from tests.helpers.models.tiny import tiny_model


def measured(folder: Path, scenes: int) -> tuple[dict[str, Any], ...]:
    main(["--measure", "cheats", "--scenes", str(scenes), "--json", str(folder / "r.json")])
    return tuple(json.loads((folder / "r.json").read_text())["cheats"].values())


def test_numbers_are_those_of_the_network_s_own_scores(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model(bert)
    monkeypatch.setattr("seps.evaluation.cheats.load_model", lambda name: model)
    rows = measured(tmp_path, 3)
    write_split(tmp_path, "dev", 3, SEED)
    split = read_split(tmp_path, "dev")
    images = model.encode_photos([open_image(file) for file in split.image_files])
    with torch.no_grad():
        similarity = model.cross_net(images, *model.encode_captions(split.captions[::5]))
        assert isinstance(similarity, torch.Tensor)
    assert rows[0]["align"] == pytest.approx(float(align_loss(similarity)), abs=1e-4)
    assert rows[0]["hardest"] == pytest.approx(float(align_loss(similarity, max_violation=True)), abs=1e-4)
    assert len({row["align"] for row in rows}) == 4
    assert [row["kept"] for row in rows] == pytest.approx([0.5, 1, 0.01, 0.5])
    assert [row["ratio"] for row in rows] == pytest.approx([0, 0.25, 0.49**2, 0])


@pytest.mark.slow
def test_each_cheat_is_seen_by_one_of_the_losses(tmp_path: Path) -> None:
    decided, everything, single, same = measured(tmp_path, 32)
    assert everything["align"] < decided["align"] < same["align"] and everything["ratio"] == pytest.approx(0.25)
    assert single["ratio"] > 0.2 and single["recall"] > 50 and single["align"] > decided["align"]
    assert same["ratio"] == decided["ratio"] == 0
