"""Files of a model's folder with values that no program writes: read, or refused in one sentence."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from seps.generator import settings as generator_settings
from seps.generator.config import GeneratorConfig
from seps.generator.network import GeneratorNetwork
from seps.judge import settings as judge_settings
from seps.judge.config import JudgeConfig
from seps.models.config import ModelConfig
from seps.models.int8 import from_int8
from seps.models.known_captions import JSON_NAME, TENSORS_NAME, KnownCaptions, read_known_captions
from seps.models.unmatched_words import FILE_NAME, read_rule
from seps.training import settings as training_settings

MODELS = Path(__file__).parents[3] / "assets" / "models"
HOSTILE: tuple[Any, ...] = (
    0, -1, float("nan"), float("inf"), 10**400, -(10**400), 2**70, 1e308, 1.5, True, None, "", "a", [], [None], [-1],
    ["a"], [10**400], [[1]], {}, {"a": 10**400},
)  # fmt: skip
READERS: dict[str, Callable[[Path], object]] = {
    "photos/config.json": ModelConfig.from_json,
    "scenes/config.json": ModelConfig.from_json,
    "judge/judge.json": JudgeConfig.from_json,
    "generator/generator.json": GeneratorConfig.from_json,
    "photos/recipe-2.json": training_settings.read_recipe,
    "judge/recipe.json": judge_settings.read_recipe,
    "generator/recipe.json": generator_settings.read_recipe,
}


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, as the keys that lead to it."""
    yield place
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*place, key))


def changed(values: Any, place: tuple[Any, ...], other: Any) -> Any:
    """The value with another one at a place."""
    if not place:
        return other
    values = copy.deepcopy(values)
    owner = values
    for key in place[:-1]:
        owner = owner[key]
    owner[place[-1]] = other
    return values


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if "recipe" in name else []) for name in READERS]
)
def test_any_value_anywhere_is_read_or_refused(tmp_path: Path, name: str) -> None:
    values, file, refused = json.loads((MODELS / name).read_text()), tmp_path / "file.json", 0
    for place in places(values):
        for other in HOSTILE:
            file.write_text(json.dumps(changed(values, place, other)))
            try:
                READERS[name](file)
            except ValueError as error:
                refused += 1
                assert "\n" not in str(error)
    assert refused > 100


def test_a_head_without_channels_is_refused() -> None:
    for channels, message in (
        (0, "diffusion.head_channels is 0"),
        (-1, "diffusion.head_channels is -1"),
        (2**70, "diffusion.head_channels is 1180591620717411303424"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            GeneratorConfig.from_dict({"diffusion": {"head_channels": channels}})
    with pytest.raises(ValueError, match=r"encoders\.channels is empty"):
        GeneratorConfig.from_dict({"encoders": {"channels": []}})


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value)[:12])
def test_hostile_words_and_thresholds_are_refused(tmp_path: Path, value: Any) -> None:
    save_file({"centres": torch.eye(4)}, tmp_path / TENSORS_NAME)
    for threshold, words in ((value, None), (0.5, value)):
        (tmp_path / FILE_NAME).write_text(json.dumps({"threshold": threshold, "words": words}))
        fits = (threshold == 0.5 or value in (0, -1)) and value is not True and (words is None or words in ([], ["a"]))
        try:
            rule = read_rule(tmp_path)
        except ValueError as error:
            assert not fits and str(error).startswith(f"{tmp_path / FILE_NAME} has ")
        else:
            if threshold is None:  # which says that no threshold is right often enough
                assert rule is None
                continue
            assert fits and rule is not None and rule.words == (None if words is None else frozenset(words))
        (tmp_path / JSON_NAME).write_text(json.dumps({"threshold": threshold}))
        if threshold != 0.5 and (value is True or value not in (0, -1)):
            with pytest.raises(ValueError, match="has no threshold from -1 to 1"):
                read_known_captions(tmp_path)


@pytest.mark.parametrize(
    "centres",
    [torch.eye(4).int(), torch.full((2, 4), torch.nan), torch.ones(4), torch.ones(0, 4), torch.ones(2, 0)],
    ids=["whole numbers", "NaN", "a vector", "none", "no channels"],
)
def test_hostile_centres_are_refused(tmp_path: Path, centres: torch.Tensor) -> None:
    (tmp_path / JSON_NAME).write_text('{"threshold": 0.5}')
    save_file({"centres": centres}, tmp_path / TENSORS_NAME)
    with pytest.raises(ValueError, match=rf"{TENSORS_NAME} has no finite centres"):
        read_known_captions(tmp_path)


def test_centres_of_another_width_are_told() -> None:
    with pytest.raises(ValueError, match=r"known-captions\.safetensors has centres of 4 channels"):
        KnownCaptions(torch.eye(4), 0.5).nearness(torch.ones(1, 3))


def test_scales_are_no_whole_numbers() -> None:
    for scale in (torch.ones(2, dtype=torch.int8), torch.ones(3), torch.ones(2, 1)):
        with pytest.raises(ValueError, match=r"The file has a\.scale"):
            from_int8({"a": torch.ones(2, 3, dtype=torch.int8), "a.scale": scale})


@pytest.mark.parametrize("part", ["autoencoder", "captioner", "unet"])
def test_a_generator_s_whole_numbers_are_refused_where_its_config_has_none(tmp_path: Path, part: str) -> None:
    small = {"image_size": 32, "diffusion": {"channels": [32, 64]}, "autoencoder": {"channels": [8, 8, 8]}}
    small["encoders"] = {"channels": [8, 8]}
    network = GeneratorNetwork(GeneratorConfig.from_dict(small))
    network.save(tmp_path)
    file = tmp_path / f"{part}.safetensors"
    tensors = load_file(file)
    key = max(tensors, key=lambda name: tensors[name].numel())
    whole = (tensors[key] * 0).to(torch.int8)
    for stored in ({key: whole}, {key: whole, f"{key}.scale": torch.ones(len(whole))}):
        save_file(tensors | stored, file)
        with pytest.raises(ValueError, match=rf"{part}\.safetensors has "):
            network.load(tmp_path)
