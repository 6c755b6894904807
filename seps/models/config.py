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
    """Everything needed to build a `SEPSModel`: encoders, channels C, and options of `CrossSparseAggrNet`.

    Attributes:
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


def recipe_files(folder: str) -> dict[str, Path]:
    """List the configs or recipes of the package by name, in a folder such as "configs" or "judge/recipes"."""
    files = (Path(str(resources.files("seps"))) / folder).glob("*.json")
    return {file.stem: file for file in sorted(files)}


def find_recipe(name_or_path: str | Path, folder: str) -> Path:
    """Find a file by path, or by name in a folder of the package; ValueError lists the package's names."""
    files = recipe_files(folder)
    path = files.get(str(name_or_path), Path(name_or_path))
    if not path.is_file():
        raise ValueError(f"{str(name_or_path)!r} is neither a JSON file nor one of {', '.join(files)}.")
    return path


def load_config(name_or_path: str | Path) -> ModelConfig:
    """Load a config of the package by name, or a JSON file by path."""
    return ModelConfig.from_json(find_recipe(name_or_path, "configs"))
