"""One JSON file a model: which encoders, where their weights come from, and the network's options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from importlib import resources
from inspect import signature
from pathlib import Path
from typing import Any

from seps.checks import (
    MAX_CHANNELS,
    MAX_TOP_K,
    check_choice,
    check_keys,
    check_type,
    check_whole,
    read_fields,
    read_json_file,
)
from seps.encoders.config import TextConfig, VisionConfig
from seps.method.network import CrossSparseAggrNet

STORED_CHOICES = ("float32", "float16", "int8")
NETWORK_OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(CrossSparseAggrNet.__init__).parameters.items()
    if name not in ("self", "embed_size", "num_patches")  # these two follow from the encoders
}


@dataclass(frozen=True)
class ModelConfig:
    """Everything that makes a `SEPSModel`.

    Attributes:
        vision, text: the encoders.
        embed_size: C, channels of patches and words.
        network: options of `CrossSparseAggrNet`, those other than embed_size and num_patches.
        saved: which parameters model.safetensors holds, as patterns of state dict keys ("*" stands for any text):
            ("*",) for all; parameters outside come from the backbones' `weights` again when the model is loaded.
        stored_as: "float32", "float16" or "int8", the precision of model.safetensors, see `seps.models.int8`, whose
            small tensors are in float16; models are loaded in float32.
    """

    vision: VisionConfig
    text: TextConfig
    embed_size: int
    network: dict[str, Any]
    saved: tuple[str, ...] = ("*",)
    stored_as: str = "float32"

    def __post_init__(self) -> None:
        check_whole("embed_size", self.embed_size, MAX_CHANNELS)
        check_choice("stored_as", self.stored_as, STORED_CHOICES)
        check_keys("network", self.network, required=(), allowed=tuple(NETWORK_OPTIONS))
        for name, value in self.network.items():
            check_type(f"network.{name}", value, type(NETWORK_OPTIONS[name]))
        if "top_k" in self.network:
            check_whole("network.top_k", self.network["top_k"], MAX_TOP_K)
        object.__setattr__(self, "network", dict(self.network))
        object.__setattr__(self, "saved", tuple(self.saved))
        for pattern in self.saved:
            check_type("saved", pattern, str)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ModelConfig:
        """Build the config that `as_dict` wrote.

        Raises:
            ValueError: a key that is unknown or missing, a value of the wrong type or outside its range.
        """
        options = read_fields("the config", cls, values)
        options["vision"] = VisionConfig(**read_fields("vision", VisionConfig, options["vision"], "vision."))
        options["text"] = TextConfig(**read_fields("text", TextConfig, options["text"], "text."))
        return cls(**options)

    @classmethod
    def from_json(cls, path: str | Path) -> ModelConfig:
        """Read a config file.

        Raises:
            ValueError: no such file, no JSON, or as `from_dict`; the message names the file.
        """
        values = read_json_file(path)
        try:
            return cls.from_dict(values)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as in the JSON file."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the text of the JSON file."""
        return json.dumps(self.as_dict(), indent=2) + "\n"

    def is_saved(self, key: str) -> bool:
        """Tell whether model.safetensors holds this key of the state dict."""
        return any(fnmatchcase(key, pattern) for pattern in self.saved)


def config_names() -> list[str]:
    """List the configs that come with the package, by name."""
    folder = resources.files("seps") / "configs"
    return sorted(Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(".json"))


def load_config(name_or_path: str | Path) -> ModelConfig:
    """Load a config that comes with the package, by name, or a JSON file by its path.

    Raises:
        ValueError: neither; or as `ModelConfig.from_json`.
    """
    if str(name_or_path) in config_names():
        with resources.as_file(resources.files("seps") / "configs" / f"{name_or_path}.json") as path:
            return ModelConfig.from_json(path)
    if not Path(name_or_path).is_file():
        raise ValueError(
            f"{str(name_or_path)!r} is neither a JSON file nor one of the configs {', '.join(config_names())}."
        )
    return ModelConfig.from_json(name_or_path)
