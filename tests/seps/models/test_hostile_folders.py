import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from seps.generator.config import GeneratorConfig
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training import settings as generator_settings
from seps.judge.config import JudgeConfig
from seps.judge.training import settings as judge_settings
from seps.models.config import ModelConfig
from seps.training import settings as training_settings
from tests.helpers.models.generated import TINY

MODELS = Path(__file__).parents[3] / "assets" / "models"
HOSTILE: tuple[Any, ...] = (
    0, -1, float("nan"), float("inf"), 10**400, -(10**400), 2**70, 1e308, 1.5, True, None, "", "a", [], [None], [-1],
    ["a"], [10**400], [[1]], {}, {"a": 10**400},
)  # fmt: skip
READERS: dict[str, Callable[[Path], object]] = {
    "photos/config.json": ModelConfig.from_json,
    "judge/judge.json": JudgeConfig.from_json,
    "generator/generator.json": GeneratorConfig.from_json,
    "photos/recipe-2.json": training_settings.read_recipe,
    "judge/recipe.json": judge_settings.read_recipe,
    "generator/recipe.json": generator_settings.read_recipe,
}


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, as the keys that lead to it; of a list the first and the last entry."""
    yield place
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value))[:: max(1, len(value) - 1)]:
            yield from places(value[key], (*place, key))


def changed(values: Any, place: tuple[Any, ...], other: Any) -> Any:
    """A copy of the values with another one at a place."""
    if not place:
        return other
    copied = values.copy()
    copied[place[0]] = changed(values[place[0]], place[1:], other)
    return copied


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if "recipe" in name else []) for name in READERS]
)
def test_any_value_anywhere_is_read_or_refused(tmp_path: Path, name: str) -> None:
    values, file, refused = json.loads((MODELS / name).read_text()), tmp_path / "file.json", 0
    # The part of a recipe before "training" is a config like those above.
    for place in [each for each in places(values) if "training" not in values or each[:1] in ((), ("training",))]:
        for other in HOSTILE:
            file.write_text(json.dumps(changed(values, place, other)))
            try:
                READERS[name](file)
            except ValueError as error:
                refused += 1
                assert "\n" not in str(error)
    assert refused > 100


def test_a_head_without_channels_is_refused() -> None:
    channels = 2**70
    with pytest.raises(ValueError, match=f"diffusion.head_channels is {channels}"):
        GeneratorConfig.from_dict({"diffusion": {"head_channels": channels}})
    with pytest.raises(ValueError, match=r"encoders\.channels is empty"):
        GeneratorConfig.from_dict({"encoders": {"channels": []}})


def test_a_generator_s_whole_numbers_are_refused_where_its_config_has_none(tmp_path: Path) -> None:
    network = GeneratorNetwork(GeneratorConfig.from_dict(TINY))
    network.save(tmp_path)
    file = tmp_path / "unet.safetensors"
    tensors = load_file(file)
    key = max(tensors, key=lambda name: tensors[name].numel())
    whole = (tensors[key] * 0).to(torch.int8)
    for stored in ({key: whole}, {key: whole, f"{key}.scale": torch.ones(len(whole))}):
        save_file(tensors | stored, file)
        with pytest.raises(ValueError, match=r"unet\.safetensors has "):
            network.load(tmp_path)
