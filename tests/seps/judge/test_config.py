import json
import re
from pathlib import Path
from typing import Any

import pytest

from seps.judge.config import JudgeConfig
from seps.judge.training.settings import JudgeSettings, read_recipe

CLIP = {"kind": "clip", "name": "any"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"encoder": CLIP, "scale_q": 1.5}, "scale_q is 1.5, but it must be at most 1.0"),
        ({"encoder": CLIP, "branches": "two"}, "branches is 'two'"),
        ({"encoder": CLIP | {"freeze": "layers", "freeze_layers": 18}}, "encoder.freeze_layers is 18, a int"),
        (
            {"encoder": CLIP | {"freeze": "layers", "freeze_layers": {"vision": 18}}},
            "encoder.freeze_layers lacks the key 'text'",
        ),
        ({"encoder": CLIP | {"freeze_layers": {"vision": 1, "text": 1}}}, "encoder.freeze_layers is set"),
        ({"encoder": {"kind": "seps", "name": "photos", "stages": [1], "freeze": "none"}}, "encoder.freeze is 'none'"),
        ({"encoder": {"kind": "seps", "name": "photos"}}, "encoder.stages is [] with kind 'seps'"),
        ({"encoder": CLIP, "data": {"mos_top": 0.0}}, "data.mos_top is 0.0"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_told_in_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        JudgeConfig.from_dict(values)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"training": {"warmup": 1.0}}, "recipe.json: training.warmup is 1.0"),
        ({"use_refinement": True}, "recipe.json: the config has the key use_refinement"),  # of the published scorer
        ({"training": {"w_q": 0.5}}, "recipe.json: training has the key w_q"),
    ],
    ids=str,
)
def test_a_recipe_that_does_not_fit_names_its_file(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    (tmp_path / "recipe.json").write_text(json.dumps({"encoder": CLIP} | changes))
    with pytest.raises(ValueError, match=re.escape(f"{tmp_path}/{message}")):
        read_recipe(tmp_path / "recipe.json")


def test_nothing_to_learn_is_refused() -> None:
    with pytest.raises(ValueError, match=r"training\.quality_weight and training\.consistency_weight are"):
        JudgeSettings(quality_weight=0.0, consistency_weight=0.0)
