import json
from pathlib import Path

import pytest

from seps.evaluation.harness import main


@pytest.mark.parametrize("scenes", [16, pytest.param(64, marks=pytest.mark.slow)])
def test_each_cheat_is_seen_by_one_of_the_losses(tmp_path: Path, scenes: int) -> None:
    main(["--measure", "cheats", "--scenes", str(scenes), "--json", str(tmp_path / "r.json")])
    decided, everything, single, same = json.loads((tmp_path / "r.json").read_text())["cheats"].values()
    assert everything["align"] <= decided["align"] and everything["ratio"] == pytest.approx(0.25)
    assert single["ratio"] > 0.2 and single["recall"] > 50 and single["align"] > decided["align"]
    assert same["ratio"] == decided["ratio"] == 0 and same["align"] >= decided["align"]
    if scenes == 64:  # the model ranks 16 scenes without a fault whatever is kept
        assert everything["align"] < decided["align"] < same["align"]
