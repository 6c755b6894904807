"""What a judge is made of: encoders, formulas and the columns of its data, in one JSON file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from seps.checks import MAX_CHANNELS, check_keys, check_positive, check_type, check_whole
from seps.fields import Channels, Fields, Fraction, Positive, Whole, between, choice_of, of_length

SCORES = ("quality", "consistency")
TOWERS = ("vision", "text")


def check_correction(name: str, scale: float) -> None:
    """Raise ValueError unless 0 < scale <= 1: a correction of 1 reaches every score, so that it is bounded no more."""
    check_positive(name, scale, most=1.0)


@dataclass(frozen=True)
class EncoderConfig(Fields, section="encoder"):
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

    kind: Annotated[str, choice_of("clip", "seps")]
    name: str
    freeze: Annotated[str, choice_of("none", "layers", "all")] = "all"
    freeze_layers: dict[str, Any] = field(default_factory=dict)
    stages: tuple[Whole, ...] = ()
    pretrained: bool = True

    def check(self) -> None:
        """Raise ValueError where what is frozen, the layers and the stages do not suit the kind of encoder."""
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


@dataclass(frozen=True)
class DataConfig(Fields, section="data"):
    """The columns of a ratings file, `ratings.csv`, and the top of its scale.

    Attributes:
        mos_top: M, what scores are divided by: 5 for mean opinion scores of 1 to 5.
        image_column: a file in `images/`; prompt_column, quality_column, consistency_column, split_column: as named.
        generator_column: what results are broken down by; "" where there is none.
        explanation_column: rationales in words; "" where there are none.
    """

    mos_top: Positive = 5.0
    image_column: str = "image"
    prompt_column: str = "prompt"
    quality_column: str = "mos_quality"
    consistency_column: str = "mos_align"
    split_column: str = "split"
    generator_column: str = "generator"
    explanation_column: str = ""


ELSEWHERE = {  # keys of the published scorer, and what is meant here
    "clip_model_name": "encoder.name is meant",
    "freeze": "encoder.freeze 'all' is meant",
    "partial_freeze": "encoder.freeze 'layers' is meant, with encoder.freeze_layers",
    "freeze_layers": "encoder.freeze_layers is meant",
    "use_residual_learning": "residual is meant",
    "residual_scale_q": "scale_q is meant",
    "residual_scale_c": "scale_c is meant",
    "use_two_branch": "branches 'two' is meant, with residual false",
    "use_refinement": "residual is meant, whose bounded correction takes the refinement's place",
}


@dataclass(frozen=True)
class JudgeConfig(Fields, elsewhere=ELSEWHERE):
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
    scale_q: Annotated[float, check_correction] = 0.2
    scale_c: Annotated[float, check_correction] = 0.2
    branches: Annotated[str, choice_of("one", "two")] = "one"
    hidden: Channels = 128
    fusion_hidden: Annotated[tuple[Channels, Channels], of_length(2)] = (256, 64)
    fusion_product: bool = False
    fusion_quality: Annotated[int, between(0, MAX_CHANNELS)] = 0
    fusion_score: bool = False
    dropout: Fraction = 0.1
    input_dropout: Fraction = 0.0
    fusion_dropout: Fraction = 0.1
    fusion_input_dropout: Fraction = 0.0

    def check(self) -> None:
        """Raise ValueError for two branches of a residual judge."""
        if self.residual and self.branches == "two":
            raise ValueError("branches is 'two', which is a form of the direct mode: set residual to false.")
