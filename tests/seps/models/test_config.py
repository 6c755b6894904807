from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import timm

from seps.method.aggregation import count_aggregated
from seps.method.selection import count_kept
from seps.models.config import ModelConfig, config_names, load_config
from tests.helpers.tiny import tiny_settings

FULL_SIZE = [
    "swin_base_patch4_window12_384",
    "swin_base_patch4_window7_224",
    "vit_base_patch16_224",
    "vit_base_patch16_384",
]
AUTHORS = ["vit_base_patch16_224_authors", "vit_base_patch16_384_authors"]


def test_the_full_size_configs_come_with_the_package() -> None:
    assert config_names() == sorted([*FULL_SIZE, *AUTHORS])


@pytest.mark.parametrize("name", AUTHORS)
def test_the_authors_normalisation_is_the_one_difference_of_their_configs(name: str) -> None:
    config, plain = load_config(name), load_config(name.removesuffix("_authors"))
    assert (config.vision.mean, config.vision.std) == ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    vision = replace(config.vision, mean=plain.vision.mean, std=plain.vision.std)
    assert replace(config, vision=vision) == plain
    card = (Path(__file__).parents[3] / "seps" / "configs" / "README.md").read_text()
    assert f"`{name}`" in card


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
    assert (count_kept(patches, keep), count_aggregated(patches, keep, merge)) == (kept, tokens)
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
        (None, {"colour": 1}, "the config has the unknown key 'colour'"),
        ("vision", {"size": 224}, "vision has the unknown key 'size'"),
        ("text", {"max_word": 30}, "text has the unknown key 'max_word'"),
        ("network", {"ratio": 0.5}, "network has the unknown key 'ratio'"),
        ("network", {"num_patches": 49}, "network has the unknown key 'num_patches'"),
        ("network", {"top_k": 2.5}, "network.top_k is 2.5, a float"),
        ("network", {"use_dual_aggr": 1}, "network.use_dual_aggr is 1, a int"),
        ("network", {"beta": True}, "network.beta is True, a bool"),
        ("vision", {"image_size": "224"}, "vision.image_size is '224', a str"),
        ("vision", {"image_size": 0}, "vision.image_size is 0"),
        ("vision", {"image_size": 10**9}, "vision.image_size is 1000000000"),
        ("vision", {"cls": "none", "context_size": 10**9}, "vision.context_size is 1000000000"),
        ("vision", {"context_size": -1}, "vision.context_size is -1"),
        ("vision", {"dropout": float("nan")}, "vision.dropout is nan"),
        pytest.param(
            "vision",
            {"mean": [0.5, 10**400, 0.5]},
            "vision.mean is 100000000000000000...0000000000000000000",
            id="vision-10**400",
        ),
        pytest.param(
            "vision",
            {"mean": [[[]] * 10**5, 0, 0]},
            "vision.mean is [[], [], [], [], [], [], ...], a list",
            id="vision-lists",
        ),
        ("text", {"max_words": 10**9}, "text.max_words is 1000000000"),
        ("text", {"max_dense_words": 8193}, "text.max_dense_words is 8193"),
        ("network", {"top_k": 10**9}, "network.top_k is 1000000000"),
        ("network", {"beta": float("inf")}, "network.beta is inf"),
        (None, {"embed_size": 10**9}, "embed_size is 1000000000"),
        ("vision", {"mean": [0.5]}, "vision.mean has 1 numbers"),
        ("vision", {"mean": 0.5}, "vision.mean is 0.5, a float"),
        ("vision", {"mean": ["a", 0.5, 0.5]}, "vision.mean is 'a', a str"),
        ("vision", {"std": [0.5, 0.0, 0.5]}, "vision.std is 0.0"),
        ("vision", {"cls": "first"}, "vision.cls is 'first'"),
        ("vision", {"weights": "timm"}, "vision.weights is 'timm'"),
        ("text", {"weights": "package:"}, "text.weights is 'package:'"),
        ("text", {"weights": "hub"}, "text.weights is 'hub'"),
        ("text", {"max_words": 1}, "text.max_words is 1"),
        (None, {"embed_size": 0}, "embed_size is 0"),
        (None, {"saved": "cross_net.*"}, "saved is 'cross_net.*', a str"),
        (None, {"stored_as": "int4"}, "stored_as is 'int4'"),
        (None, {"vision": 3}, "vision is 3, a int, but a dict is needed"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(tmp_path: Path, section: str | None, change: dict[str, Any], message: str) -> None:
    settings = tiny_settings(tmp_path)
    (settings if section is None else settings[section]).update(change)
    with pytest.raises(ValueError, match=re.escape(message)):
        ModelConfig.from_dict(settings)


@pytest.mark.parametrize(
    ("section", "key", "message"),
    [
        (None, "network", "the config lacks the key 'network'"),
        ("vision", "std", "vision lacks the key 'std'"),
        ("text", "weights", "text lacks the key 'weights'"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, section: str | None, key: str, message: str) -> None:
    settings = tiny_settings(tmp_path)
    del (settings if section is None else settings[section])[key]
    with pytest.raises(ValueError, match=re.escape(message)):
        ModelConfig.from_dict(settings)


BROKEN = {
    b"": "it is empty",
    b"{": "Expecting property name",
    b'{"a": "\xe9"}': "byte 7 is not UTF-8",
    b"[" * 100_000: "nested more than 100 levels deep",
    b"[1]": "the config is a list",
    b"null": "the config is a NoneType",
    b"3": "the config is a int",
    b'"config"': "the config is a str",
}


def test_files_that_are_no_config(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    for content, message in BROKEN.items():
        broken.write_bytes(content)
        with pytest.raises(ValueError, match=rf"broken\.json.*{message}"):
            load_config(broken)
    with pytest.raises(ValueError, match=r"absent\.json does not exist"):
        ModelConfig.from_json(tmp_path / "absent.json")
    with pytest.raises(ValueError, match="'vit_giant' is neither a JSON file nor one of the configs"):
        load_config("vit_giant")
