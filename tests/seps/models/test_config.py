import re
from pathlib import Path
from typing import Any

import pytest

from seps.method.aggregation import count_aggregated
from seps.method.selection import count_kept
from seps.models.config import ModelConfig, load_config
from tests.helpers.models.tiny import tiny_settings


@pytest.mark.parametrize(
    ("name", "patches", "keep", "merge", "kept", "tokens"),
    [
        ("vit_base_patch16_224", 196, 0.5, 0.4, 98, 39),
        ("vit_base_patch16_384", 576, 0.5, 0.4, 288, 115),
        ("swin_base_patch4_window7_224", 49, 0.8, 0.6, 40, 23),
        ("swin_base_patch4_window12_384", 144, 0.8, 0.6, 116, 69),
    ],
)
def test_published_ratios(name: str, patches: int, keep: float, merge: float, kept: int, tokens: int) -> None:
    config = load_config(name)
    assert config.network == {"use_paper_version": True, "sparse_ratio": keep, "aggr_ratio": merge}
    stride = 16 if name.startswith("vit") else 32
    assert (config.vision.image_size // stride) ** 2 == patches
    assert (count_kept(patches, keep), count_aggregated(patches, keep, merge)) == (kept, tokens)


@pytest.mark.parametrize(
    ("section", "change", "message"),
    [
        (None, {"colour": 1}, "the config has the unknown key 'colour'"),
        ("network", {"ratio": 0.5}, "network has the unknown key 'ratio'"),
        ("vision", {"image_size": 10**9}, "vision.image_size is 1000000000"),
        ("vision", {"mean": [0.5, 10**400, 0.5]}, "vision.mean is 100000000000000000...0000000000000000000"),
        ("vision", {"mean": [[[]] * 9, 0, 0]}, "vision.mean is [[], [], [], [], [], [], ...], a list"),
        ("network", {"beta": float("inf")}, "network.beta is inf"),
        ("vision", {"mean": [0.5]}, "vision.mean has 1 numbers"),
        ("vision", {"std": [0.5, 0.0, 0.5]}, "vision.std is 0.0"),
        ("vision", {"cls": "first"}, "vision.cls is 'first'"),
        ("vision", {"weights": "timm"}, "vision.weights is 'timm'"),
        ("text", {"weights": "package:"}, "text.weights is 'package:'"),
        ("text", {"max_words": 1}, "text.max_words is 1"),
        (None, {"stored_as": "int4"}, "stored_as is 'int4'"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, section: str | None, change: dict[str, Any], message: str) -> None:
    settings = tiny_settings(tmp_path)
    (settings if section is None else settings[section]).update(change)
    with pytest.raises(ValueError, match=re.escape(message)):
        ModelConfig.from_dict(settings)


def test_a_name_that_is_no_config() -> None:
    with pytest.raises(ValueError, match="'vit_giant' is neither a JSON file nor one of "):
        load_config("vit_giant")
