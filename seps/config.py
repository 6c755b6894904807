"""One JSON file a model: which encoders, where their weights come from, and the network's options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from fnmatch import fnmatchcase
from importlib import resources
from inspect import signature
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from seps.network import CrossSparseAggrNet
from seps.validation import check_positive, check_whole

CLS_CHOICES = ("encoder", "mean", "none")
STORED_CHOICES = ("float32", "float16")
NETWORK_OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(CrossSparseAggrNet.__init__).parameters.items()
    if name not in ("self", "embed_size", "num_patches")  # these two follow from the encoders
}


@dataclass(frozen=True)
class VisionConfig:
    """The image encoder and the pixels that it wants.

    Attributes:
        encoder: a timm model name.
        weights: "hub", "package:NAME", "folder:PATH" or "none", see `seps.encoders.sources`.
        image_size: side of the square image in pixels.
        mean, std: per channel (red, green, blue), of values in [0, 1].
        cls: where the [CLS] token comes from: "encoder", the backbone's own; "mean", the mean patch; "none".
        context_size: side in pixels of a second, smaller view of the whole image, whose mean feature and that of the
            patches join every patch (see `seps.encoders.heads`); 0 for a plain projection.
        dropout: share of feature channels dropped in training, with context.
    """

    encoder: str
    weights: str
    image_size: int
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    cls: str
    context_size: int = 0
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_weights("vision.weights", self.weights)
        check_whole("vision.image_size", self.image_size)
        check_choice("vision.cls", self.cls, CLS_CHOICES)
        check_share("vision.dropout", self.dropout)
        if self.context_size < 0 or (self.context_size and self.cls != "none"):
            raise ValueError(
                f"vision.context_size is {self.context_size} with cls {self.cls!r}, but context takes the place of "
                "[CLS]: set cls to 'none', or context_size to 0."
            )
        for name in ("mean", "std"):
            values = getattr(self, name)
            if len(values) != 3:
                raise ValueError(f"vision.{name} has {len(values)} numbers, but 3 are needed: red, green, blue.")
            for value in values:
                check_type(f"vision.{name}", value, float)
            object.__setattr__(self, name, tuple(float(value) for value in values))
        for value in self.std:
            check_positive("vision.std", value)


@dataclass(frozen=True)
class TextConfig:
    """The caption encoder and the captions that it wants.

    Attributes:
        encoder: where architecture and vocabulary are described: a hub repo id, "package:NAME", "folder:PATH" or, for
            an encoder that the library describes itself, "seps:NAME".
        weights: "hub", "package:NAME", "folder:PATH" or "none", see `seps.encoders.sources`.
        max_words: tokens a caption at most, [CLS] and [SEP] among them; longer ones are cut.
        max_dense_words: the same for a dense caption.
        context: let the caption's mean word join every word (see `seps.encoders.heads`).
        dropout: share of feature channels dropped in training, with context.
    """

    encoder: str
    weights: str
    max_words: int = 30
    max_dense_words: int = 200
    context: bool = False
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_weights("text.weights", self.weights)
        check_share("text.dropout", self.dropout)
        for name in ("max_words", "max_dense_words"):
            limit = getattr(self, name)
            check_whole(f"text.{name}", limit)
            if limit < 2:
                raise ValueError(f"text.{name} is {limit}, but [CLS] and [SEP] alone need 2.")
        if self.weights == "hub" and self.encoder.startswith(("package:", "folder:", "seps:")):
            raise ValueError(
                f"text.weights is 'hub', but text.encoder is {self.encoder!r}, which names no hub repo: "
                "give both the same source."
            )


@dataclass(frozen=True)
class ModelConfig:
    """Everything that makes a `SEPSModel`.

    Attributes:
        vision, text: the encoders.
        embed_size: C, channels of patches and words.
        network: options of `CrossSparseAggrNet`, those other than embed_size and num_patches.
        saved: which parameters model.safetensors holds, as patterns of state dict keys ("*" stands for any text):
            ("*",) for all; parameters outside come from the backbones' `weights` again when the model is loaded.
        stored_as: "float32" or "float16", the precision of model.safetensors; models are loaded in float32.
    """

    vision: VisionConfig
    text: TextConfig
    embed_size: int
    network: dict[str, Any]
    saved: tuple[str, ...] = ("*",)
    stored_as: str = "float32"

    def __post_init__(self) -> None:
        check_whole("embed_size", self.embed_size)
        check_choice("stored_as", self.stored_as, STORED_CHOICES)
        check_keys("network", self.network, required=(), allowed=tuple(NETWORK_OPTIONS))
        for name, value in self.network.items():
            check_type(f"network.{name}", value, type(NETWORK_OPTIONS[name]))
        object.__setattr__(self, "network", dict(self.network))
        object.__setattr__(self, "saved", tuple(self.saved))
        for pattern in self.saved:
            check_type("saved", pattern, str)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ModelConfig:
        """The config that `as_dict` wrote.

        Raises:
            ValueError: a key that is unknown or missing, a value of the wrong type or outside its range.
        """
        options = read_fields("the config", cls, values)
        options["vision"] = VisionConfig(**read_fields("vision", VisionConfig, options["vision"]))
        options["text"] = TextConfig(**read_fields("text", TextConfig, options["text"]))
        return cls(**options)

    @classmethod
    def from_json(cls, path: str | Path) -> ModelConfig:
        """Read a config file.

        Raises:
            ValueError: no such file, no JSON, or as `from_dict`; the message names the file.
        """
        try:
            values = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise ValueError(f"{path} does not exist.") from error
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path} is no JSON file that can be read: {error}.") from error
        try:
            return cls.from_dict(values)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON file."""
        return asdict(self)

    def to_json(self) -> str:
        """The text of the JSON file."""
        return json.dumps(self.as_dict(), indent=2) + "\n"

    def is_saved(self, key: str) -> bool:
        """Whether model.safetensors holds this key of the state dict."""
        return any(fnmatchcase(key, pattern) for pattern in self.saved)


def config_names() -> list[str]:
    """The configs that come with the package, by name."""
    folder = resources.files("seps") / "configs"
    return sorted(Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(".json"))


def load_config(name_or_path: str | Path) -> ModelConfig:
    """A config that comes with the package, by name, or a JSON file by its path.

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


def read_fields(where: str, kind: type, values: object) -> dict[str, Any]:
    """The arguments of a dataclass from a mapping; ValueError for a key or a type that does not fit."""
    if not isinstance(values, Mapping):
        raise ValueError(f"{where} is a {type(values).__name__}, but keys and values are needed.")
    required = tuple(one.name for one in fields(kind) if one.default is MISSING)
    check_keys(where, values, required, tuple(one.name for one in fields(kind)))
    hints = get_type_hints(kind)
    for name, value in values.items():
        check_type(name if kind is ModelConfig else f"{where}.{name}", value, json_type(hints[name]))
    return dict(values)


def json_type(hint: Any) -> type:
    """What a field of this type is in JSON."""
    if is_dataclass(hint):
        return dict
    kind: type = get_origin(hint) or hint
    return list if kind is tuple else kind


def check_keys(where: str, values: Mapping[str, Any], required: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Raise ValueError for a key that is not allowed or one that is missing."""
    unknown = [key for key in values if key not in allowed]
    if unknown:
        raise ValueError(f"{where} has the unknown key {unknown[0]!r}: allowed are {', '.join(allowed)}.")
    missing = [key for key in required if key not in values]
    if missing:
        raise ValueError(f"{where} lacks the key {missing[0]!r}: needed are {', '.join(required)}.")


def check_type(name: str, value: object, kind: type) -> None:
    """Raise ValueError unless the value has the type; a whole number is a float too, a bool is no number."""
    kinds: tuple[type, ...] = {float: (float, int), list: (list, tuple), dict: (Mapping,)}.get(kind, (kind,))
    if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name} is {value!r}, a {type(value).__name__}, but a {kind.__name__} is needed.")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, but it must be one of {', '.join(choices)}.")


def check_share(name: str, share: float) -> None:
    """Raise ValueError unless 0 <= share < 1."""
    if not 0.0 <= share < 1.0:
        raise ValueError(f"{name} is {share}, but it must lie in [0, 1).")


def check_weights(name: str, weights: str) -> None:
    """Raise ValueError unless `weights` names a kind of source and, where it needs one, a place."""
    kind, colon, place = weights.partition(":")
    if weights in ("hub", "none") or (kind in ("package", "folder") and colon and place):
        return
    raise ValueError(f"{name} is {weights!r}, but it must be 'hub', 'package:NAME', 'folder:PATH' or 'none'.")
