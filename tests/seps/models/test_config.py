from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import timm

from seps.method.aggregation import aggregated_count
from seps.method.selection import kept_count
from seps.models.config import ModelConfig, config_names, load_config
from tests.helpers.sentences import refused
from tests.helpers.tiny import tiny_settings

FULL_SIZE = [
    "swin_base_patch4_window12_384",
    "swin_base_patch4_window7_224",
    "vit_base_patch16_224",
    "vit_base_patch16_384",
]


def test_the_full_size_configs_come_with_the_package() -> None:
    assert config_names() == FULL_SIZE


@pytest.mark.parametrize("name", FULL_SIZE)
def test_pixels_are_those_that_timm_trained_the_encoder_with(name: str) -> None:
    config = load_config(name)
    trained = timm.get_pretrained_cfg(config.vision.encoder)
    assert trained is not None
    assert config.vision.encoder == name
    assert (config.vision.mean, config.vision.std) == (trained.mean, trained.std)
    assert trained.input_size == (3, config.vision.image_size, config.vision.image_size)
    assert config.vision.cls == ("encoder" if name.startswith("vit") else "none")
    assert (config.text.encoder, config.text.max_words, config.text.max_dense_words) == ("bert-base-uncased", 30, 200)
    assert config.embed_size == 512


@pytest.mark.parametrize(
    ("name", "patches", "keep", "merge", "kept", "tokens"),
    [
        ("vit_base_patch16_224", 196, 0.5, 0.4, 98, 39),
        ("vit_base_patch16_384", 576, 0.5, 0.4, 288, 115),
        ("swin_base_patch4_window7_224", 49, 0.8, 0.6, 40, 23),
        ("swin_base_patch4_window12_384", 144, 0.8, 0.6, 116, 69),
    ],
)
def test_ratios_are_the_published_ones_and_the_card_says_so(
    name: str, patches: int, keep: float, merge: float, kept: int, tokens: int
) -> None:
    config = load_config(name)
    assert config.network == {"use_paper_version": True, "sparse_ratio": keep, "aggr_ratio": merge}
    stride = 16 if name.startswith("vit") else 32
    assert (config.vision.image_size // stride) ** 2 == patches
    assert (kept_count(patches, keep), aggregated_count(patches, keep, merge)) == (kept, tokens)
    card = (Path(__file__).parents[3] / "seps" / "configs" / "README.md").read_text()
    assert f"| `{name}` | {patches} | {keep} | {merge} | {kept} | {tokens} |" in card


def test_a_config_survives_its_file(tmp_path: Path) -> None:
    config = ModelConfig.from_dict(tiny_settings(tmp_path) | {"saved": ["cross_net.*"], "stored_as": "float16"})
    (tmp_path / "config.json").write_text(config.to_json())
    assert ModelConfig.from_json(tmp_path / "config.json") == config
    assert load_config(tmp_path / "config.json") == config
    assert config.vision.mean == (0.5, 0.5, 0.5)
    assert config.saved == ("cross_net.*",)


def test_defaults(tmp_path: Path) -> None:
    settings = tiny_settings(tmp_path)
    settings["text"] = {"encoder": "bert-base-uncased", "weights": "hub"}
    config = ModelConfig.from_dict(settings)
    assert (config.text.max_words, config.text.max_dense_words) == (30, 200)
    assert (config.saved, config.stored_as) == (("*",), "float32")


def test_saved_patterns(tmp_path: Path) -> None:
    config = ModelConfig.from_dict(tiny_settings(tmp_path) | {"saved": ["cross_net.*", "*.adapter_*"]})
    assert config.is_saved("cross_net.hrpa.relevance_mlp.0.weight")
    assert config.is_saved("txt_enc.bert.encoder.layer.0.adapter_down")
    assert not config.is_saved("txt_enc.fc.weight")


@pytest.mark.parametrize(
    ("section", "change"),
    [
        (None, {"colour": 1}),
        ("vision", {"size": 224}),
        ("text", {"max_word": 30}),
        ("network", {"ratio": 0.5}),
        ("network", {"num_patches": 49}),
        ("network", {"top_k": 2.5}),
        ("network", {"use_dual_aggr": 1}),
        ("network", {"beta": True}),
        ("vision", {"image_size": "224"}),
        ("vision", {"image_size": 0}),
        ("vision", {"image_size": 10**9}),
        ("vision", {"cls": "none", "context_size": 10**9}),
        ("vision", {"context_size": -1}),
        ("vision", {"dropout": float("nan")}),
        pytest.param("vision", {"mean": [0.5, 10**400, 0.5]}, id="vision-10**400"),
        pytest.param("vision", {"mean": [[[]] * 10**5, 0, 0]}, id="vision-lists"),
        ("text", {"max_words": 10**9}),
        ("text", {"max_dense_words": 8193}),
        ("network", {"top_k": 10**9}),
        ("network", {"beta": float("inf")}),
        (None, {"embed_size": 10**9}),
        ("vision", {"mean": [0.5]}),
        ("vision", {"mean": 0.5}),
        ("vision", {"mean": ["a", 0.5, 0.5]}),
        ("vision", {"std": [0.5, 0.0, 0.5]}),
        ("vision", {"cls": "first"}),
        ("vision", {"weights": "timm"}),
        ("text", {"weights": "package:"}),
        ("text", {"weights": "hub"}),
        ("text", {"max_words": 1}),
        (None, {"embed_size": 0}),
        (None, {"saved": "cross_net.*"}),
        (None, {"stored_as": "int4"}),
        (None, {"vision": 3}),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(tmp_path: Path, section: str | None, change: dict[str, Any]) -> None:
    settings = tiny_settings(tmp_path)
    (settings if section is None else settings[section]).update(change)
    with refused(ValueError):
        ModelConfig.from_dict(settings)


@pytest.mark.parametrize(("section", "key"), [(None, "network"), ("vision", "std"), ("text", "weights")])
def test_what_is_missing_is_named(tmp_path: Path, section: str | None, key: str) -> None:
    settings = tiny_settings(tmp_path)
    del (settings if section is None else settings[section])[key]
    with refused(ValueError):
        ModelConfig.from_dict(settings)


BROKEN = [b"", b"{", b'{"a": "\xe9"}', b"[" * 100_000, b"[1]", b"null", b"3", b'"config"']


def test_files_that_are_no_config(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    for content in BROKEN:
        broken.write_bytes(content)
        with refused(ValueError):
            load_config(broken)
    with refused(ValueError):
        ModelConfig.from_json(tmp_path / "absent.json")
    with refused(ValueError):
        load_config("vit_giant")
