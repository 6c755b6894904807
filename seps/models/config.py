"""Model config: one JSON file per model with its encoders, the sources of their weights, and the network's options."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

from seps.common.checks import MAX_TOP_K, check_keys, check_type, check_whole
from seps.common.fields import Channels, Fields, Text, choice_of
from seps.encoders.config import TextConfig, VisionConfig
from seps.method.network import CrossSparseAggrNet

NETWORK_OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(CrossSparseAggrNet.__init__).parameters.items()
    if name not in ("self", "embed_size", "num_patches")  # these two follow from the encoders
}
KEYS_ELSEWHERE = {  # keys that belong to a section, or have another name here
    **{name: f"network.{name} is meant" for name in NETWORK_OPTIONS},
    "embed_dim": "embed_size is meant",
}


@dataclass(frozen=True)
class ModelConfig(Fields, elsewhere=KEYS_ELSEWHERE):
    """Everything needed to build a `SEPSModel`.

    Attributes:
        vision, text: the encoders.
        embed_size: C, channels of patches and words.
        network: options of `CrossSparseAggrNet` other than embed_size and num_patches.
        saved: parameters in model.safetensors, as patterns of state dict keys ("*" matches any text). Other parameters
            are loaded from the backbones' `weights`.
        stored_as: "float32", "float16" or "int8", the precision of model.safetensors, see `seps.models.int8` (its small
            tensors are float16); models are loaded in float32.
    """

    vision: VisionConfig
    text: TextConfig
    embed_size: Channels
    network: dict[str, Any]
    saved: tuple[Text, ...] = ("*",)
    stored_as: Annotated[str, choice_of("float32", "float16", "int8")] = "float32"

    def check(self) -> None:
        """Raise ValueError for an unknown option of the network, or one of the wrong type or out of range."""
        check_keys("network", self.network, required=(), allowed=tuple(NETWORK_OPTIONS))
        for name, value in self.network.items():
            check_type(f"network.{name}", value, type(NETWORK_OPTIONS[name]))
        if "top_k" in self.network:
            check_whole("network.top_k", self.network["top_k"], MAX_TOP_K)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values as in the JSON file, without the section for class vectors if there are none."""
        values = super().as_dict()
        if not self.vision.classes.names:
            del values["vision"]["classes"]
        return values

    def is_saved(self, key: str) -> bool:
        """Return whether model.safetensors contains this key of the state dict."""
        return any(fnmatchcase(key, pattern) for pattern in self.saved)


def config_names() -> list[str]:
    """List the names of the configs in the package."""
    folder = resources.files("seps") / "configs"
    return sorted(Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(".json"))


def load_config(name_or_path: str | Path) -> ModelConfig:
    """Load a config of the package by name, or a JSON file by path; ValueError if there is none."""
    if str(name_or_path) in config_names():
        with resources.as_file(resources.files("seps") / "configs" / f"{name_or_path}.json") as path:
            return ModelConfig.from_json(path)
    if not Path(name_or_path).is_file():
        raise ValueError(
            f"{str(name_or_path)!r} is neither a JSON file nor one of the configs {', '.join(config_names())}."
        )
    return ModelConfig.from_json(name_or_path)
