"""What a judge is made of: encoders, formulas and the columns of its data, in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from seps.checks import (
    MAX_CHANNELS,
    check_choice,
    check_keys,
    check_positive,
    check_share,
    check_type,
    check_whole,
    read_fields,
    read_json_file,
)

SCORES = ("quality", "consistency")
KINDS = ("clip", "seps")
FREEZE = ("none", "layers", "all")
TOWERS = ("vision", "text")
BRANCHES = ("one", "two")
MAX_SCALE = 1.0  # a correction of 1 reaches every score, so that it is bounded no more


@dataclass(frozen=True)
class EncoderConfig:
    """Where the embeddings come from.

    Attributes:
        kind: "clip", a transformers CLIP; "seps", the frozen encoders of a SEPS model.
        name: of "clip" a hub repo ("openai/clip-vit-base-patch32") or a folder; of "seps" what `load_model`
            takes ("judge/encoders").
        freeze: "none", "layers" (the first of each tower, see freeze_layers) or "all"; of "seps" always "all".
        freeze_layers: with "layers", how many layers of each tower stay as they are: {"vision": 18, "text": 9}.
        stages: of "seps", which stages of the EfficientNet describe quality, 0 the stem and -1 the features after the
            last.
        pretrained: of "clip", take the weights that the source has; false builds the towers from its config alone.
    """

    kind: str
    name: str
    freeze: str = "all"
    freeze_layers: dict[str, Any] = field(default_factory=dict)
    stages: tuple[int, ...] = ()
    pretrained: bool = True

    def __post_init__(self) -> None:
        check_choice("encoder.kind", self.kind, KINDS)
        check_choice("encoder.freeze", self.freeze, FREEZE)
        object.__setattr__(self, "stages", tuple(self.stages))
        object.__setattr__(self, "freeze_layers", dict(self.freeze_layers))
        if self.freeze == "layers":
            check_keys("encoder.freeze_layers", self.freeze_layers, TOWERS, TOWERS)
            for tower, count in self.freeze_layers.items():
                check_type(f"encoder.freeze_layers.{tower}", count, int)
                check_whole(f"encoder.freeze_layers.{tower}", count, least=0)
        elif self.freeze_layers:
            raise ValueError(
                f"encoder.freeze_layers is set, but encoder.freeze is {self.freeze!r}: set freeze to 'layers'."
            )
        if self.kind == "seps" and self.freeze != "all":
            raise ValueError(f"encoder.freeze is {self.freeze!r}, but a SEPS model's encoders stay frozen: set 'all'.")
        if (self.kind == "seps") != bool(self.stages):
            raise ValueError(
                f"encoder.stages is {list(self.stages)} with kind {self.kind!r}: 'seps' needs some, 'clip' has none."
            )
        for stage in self.stages:
            check_type("encoder.stages", stage, int)


@dataclass(frozen=True)
class DataConfig:
    """The columns of a ratings file, `ratings.csv`, and the top of its scale.

    Attributes:
        mos_top: M, what scores are divided by: 5 for mean opinion scores of 1 to 5.
        image_column: a file in `images/`; prompt_column, quality_column, consistency_column, split_column: as named.
        generator_column: what results are broken down by; "" where there is none.
        explanation_column: rationales in words; "" where there are none.
    """

    mos_top: float = 5.0
    image_column: str = "image"
    prompt_column: str = "prompt"
    quality_column: str = "mos_quality"
    consistency_column: str = "mos_align"
    split_column: str = "split"
    generator_column: str = "generator"
    explanation_column: str = ""

    def __post_init__(self) -> None:
        check_positive("data.mos_top", self.mos_top)


@dataclass(frozen=True)
class JudgeConfig:
    """Everything that makes a `Judge`.

    Attributes:
        encoder: where the embeddings come from; data: what the scores stand for.
        residual: base plus bounded correction; false scores directly, without either.
        scale_q, scale_c: the largest correction of quality and of consistency, in (0, 1]; 1 leaves no bound.
        branches: of a direct consistency: "one", the fusion network alone; "two", its mean with sigmoid(5 cos).
        hidden: channels of the quality correction's hidden layer.
        fusion_hidden: channels of the consistency correction's two hidden layers.
        fusion_product: let the fusion network see the product of both embeddings, channel by channel, too.
        fusion_quality: let it see the quality embedding too, in this many channels of a learned projection; 0 not.
        fusion_score: let the correction of consistency begin with the predicted quality: a learned multiple of q - 0.5.
        dropout, fusion_dropout: share of hidden channels dropped in training, of the quality correction and of fusion.
        input_dropout, fusion_input_dropout: the same of the channels that they see.
    """

    encoder: EncoderConfig
    data: DataConfig = field(default_factory=DataConfig)
    residual: bool = True
    scale_q: float = 0.2
    scale_c: float = 0.2
    branches: str = "one"
    hidden: int = 128
    fusion_hidden: tuple[int, int] = (256, 64)
    fusion_product: bool = False
    fusion_quality: int = 0
    fusion_score: bool = False
    dropout: float = 0.1
    input_dropout: float = 0.0
    fusion_dropout: float = 0.1
    fusion_input_dropout: float = 0.0

    def __post_init__(self) -> None:
        for name in ("scale_q", "scale_c"):
            check_positive(name, getattr(self, name), MAX_SCALE)
        check_choice("branches", self.branches, BRANCHES)
        if self.residual and self.branches == "two":
            raise ValueError("branches is 'two', which is a form of the direct mode: set residual to false.")
        object.__setattr__(self, "fusion_hidden", tuple(self.fusion_hidden))
        if len(self.fusion_hidden) != 2:
            raise ValueError(f"fusion_hidden has {len(self.fusion_hidden)} numbers, but 2 are needed.")
        for width in (self.hidden, *self.fusion_hidden):
            check_whole("hidden and fusion_hidden", width, MAX_CHANNELS)
        check_whole("fusion_quality", self.fusion_quality, MAX_CHANNELS, least=0)
        for name in ("dropout", "input_dropout", "fusion_dropout", "fusion_input_dropout"):
            check_share(name, getattr(self, name))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> JudgeConfig:
        """The config that `as_dict` wrote.

        Raises:
            ValueError: a key that is unknown or missing, a value of the wrong type or outside its range.
        """
        options = read_fields("the config", cls, with_default(values, "data"))
        encoder = with_default(options["encoder"], "freeze_layers")
        options["encoder"] = EncoderConfig(**read_fields("encoder", EncoderConfig, encoder, "encoder."))
        options["data"] = DataConfig(**read_fields("data", DataConfig, options["data"], "data."))
        return cls(**options)

    @classmethod
    def from_json(cls, path: str | Path) -> JudgeConfig:
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
        """Plain values, as in the JSON file."""
        return asdict(self)

    def to_json(self) -> str:
        """The text of the JSON file."""
        return json.dumps(self.as_dict(), indent=2) + "\n"


def with_default(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The values with an empty object under a key that they lack; what is no mapping is left as it is."""
    return {key: {}} | dict(values) if isinstance(values, Mapping) else values
