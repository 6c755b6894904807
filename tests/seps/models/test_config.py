from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import timm

from seps.method.aggregation import aggregated_count
from seps.method.selection import kept_count
from seps.models.config import ModelConfig, config_names, load_config
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
    ("section", "change", "message"),
    [
        (None, {"colour": 1}, "the config has the unknown key 'colour': allowed are vision, text, embed_size"),
        ("vision", {"size": 224}, "vision has the unknown key 'size': allowed are encoder, weights, image_size"),
        ("text", {"max_word": 30}, "text has the unknown key 'max_word': allowed are encoder, weights, max_words"),
        ("network", {"ratio": 0.5}, "network has the unknown key 'ratio': allowed are sparse_ratio, aggr_ratio"),
        ("network", {"num_patches": 49}, "network has the unknown key 'num_patches'"),
        ("network", {"top_k": 2.5}, "network.top_k is 2.5, a float, but a int is needed"),
        ("network", {"use_dual_aggr": 1}, "network.use_dual_aggr is 1, a int, but a bool is needed"),
        ("network", {"beta": True}, "network.beta is True, a bool, but a float is needed"),
        ("vision", {"image_size": "224"}, "vision.image_size is '224', a str, but a int is needed"),
        ("vision", {"image_size": 0}, "vision.image_size is 0, but a whole number of at least 1"),
        ("vision", {"image_size": 10**9}, "vision.image_size is 1000000000, but it must be at most 4096"),
        (
            "vision",
            {"cls": "none", "context_size": 10**9},
            "vision.context_size is 1000000000, but it must be at most 4096",
        ),
        ("vision", {"context_size": -1}, "vision.context_size is -1, but a whole number of at least 0"),
        ("vision", {"dropout": float("nan")}, "vision.dropout is nan, but a finite number is needed"),
        ("vision", {"mean": [0.5, 10**400, 0.5]}, r"vision.mean is 1000+\.\.\.0+, but a finite number is needed"),
        ("vision", {"mean": [[[]] * 10**5, 0, 0]}, r"vision.mean is \[\[\], .{,60}\], a list, but a float is needed"),
        ("text", {"max_words": 10**9}, "text.max_words is 1000000000, but it must be at most 8192"),
        ("text", {"max_dense_words": 8193}, "text.max_dense_words is 8193, but it must be at most 8192"),
        ("network", {"top_k": 10**9}, "network.top_k is 1000000000, but it must be at most 1024"),
        ("network", {"beta": float("inf")}, "network.beta is inf, but a finite number is needed"),
        (None, {"embed_size": 10**9}, "embed_size is 1000000000, but it must be at most 16384"),
        ("vision", {"mean": [0.5]}, "vision.mean has 1 numbers, but 3 are needed"),
        ("vision", {"mean": 0.5}, "vision.mean is 0.5, a float, but a list is needed"),
        ("vision", {"mean": ["a", 0.5, 0.5]}, "vision.mean is 'a', a str, but a float is needed"),
        ("vision", {"std": [0.5, 0.0, 0.5]}, "vision.std is 0.0, but it must be greater than 0"),
        ("vision", {"cls": "first"}, "vision.cls is 'first', but it must be one of encoder, mean, none"),
        ("vision", {"weights": "timm"}, "vision.weights is 'timm', but it must be 'hub', 'package:NAME'"),
        ("text", {"weights": "package:"}, "text.weights is 'package:', but it must be"),
        ("text", {"weights": "hub"}, "text.weights is 'hub', but text.encoder is 'folder:"),
        ("text", {"max_words": 1}, r"text.max_words is 1, but \[CLS\] and \[SEP\] alone need 2"),
        (None, {"embed_size": 0}, "embed_size is 0, but a whole number of at least 1"),
        (None, {"saved": "cross_net.*"}, "saved is 'cross_net.\\*', a str, but a list is needed"),
        (None, {"stored_as": "int4"}, "stored_as is 'int4', but it must be one of float32, float16, int8"),
        (None, {"vision": 3}, "vision is 3, a int, but a dict is needed"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, section: str | None, change: dict[str, Any], message: str) -> None:
    settings = tiny_settings(tmp_path)
    (settings if section is None else settings[section]).update(change)
    with pytest.raises(ValueError, match=message):
        ModelConfig.from_dict(settings)


@pytest.mark.parametrize(("section", "key"), [(None, "network"), ("vision", "std"), ("text", "weights")])
def test_what_is_missing_is_named(tmp_path: Path, section: str | None, key: str) -> None:
    settings = tiny_settings(tmp_path)
    del (settings if section is None else settings[section])[key]
    with pytest.raises(ValueError, match=f"lacks the key '{key}': needed are "):
        ModelConfig.from_dict(settings)


BROKEN = [
    (b"", r" cannot be read as JSON \(it is empty\)"),
    (b"{", r" cannot be read as JSON \(Expecting property name"),
    (b'{"a": "\xe9"}', r" cannot be read as JSON \(byte 7 is not UTF-8\)"),
    (b"[" * 100_000, r" cannot be read as JSON \(it is nested more than 100 levels deep\)"),
    (b"[1]", ": the config is a list, but keys and values are needed"),
    (b"null", ": the config is a NoneType, but"),
    (b"3", ": the config is a int, but"),
    (b'"config"', ": the config is a str, but"),
]


def test_files_that_are_no_config(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    for content, reason in BROKEN:
        broken.write_bytes(content)
        with pytest.raises(ValueError, match=rf"broken\.json{reason}"):
            load_config(broken)
    with pytest.raises(ValueError, match=r"absent\.json does not exist"):
        ModelConfig.from_json(tmp_path / "absent.json")
    with pytest.raises(ValueError, match="'vit_giant' is neither a JSON file nor one of the configs swin_base"):
        load_config("vit_giant")
