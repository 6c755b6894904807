"""Judge config: encoders, formulas and the columns of its data, in one JSON file."""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from seps.common.checks import MAX_CHANNELS, check_keys, check_positive, check_type, check_whole
from seps.common.elsewhere import NAMES
from seps.common.fields import Channels, Fields, Fraction, Positive, Whole, between, choice_of, of_length

SCORES = ("quality", "consistency")
TOWERS = ("vision", "text")
ALL, FREEZING = GROUPS = ("all", "freezing")  # rows of an ablation
TABLE = "ablation.csv"  # what an ablation writes


Correction = Annotated[float, partial(check_positive, most=1.0)]  # 1 reaches every score, so that it is no bound


@dataclass(frozen=True)
class EncoderConfig(Fields, section="encoder"):
    """Source of the embeddings.

    Attributes:
        kind: "clip", a transformers CLIP; "seps", the frozen encoders of a SEPS model.
        name: hub repo or folder of a CLIP, or a SEPS model as `load_model` takes it.
        freeze: "none", "layers" (the first of each tower, such as {"vision": 18, "text": 9}) or "all", as "seps" is.
        stages: of "seps", stages of the EfficientNet that describe quality; 0 is the stem, -1 the final features.
        pretrained: load the weights of a CLIP; false builds it from its config only.
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
            raise ValueError(f"encoder.freeze_layers is set, but encoder.freeze is {self.freeze!r}: make it 'layers'.")
        if self.kind == "seps" and self.freeze != "all":
            raise ValueError(f"encoder.freeze is {self.freeze!r}, but a SEPS model's encoders stay frozen: set 'all'.")
        if (self.kind == "seps") != bool(self.stages):
            raise ValueError(f"encoder.stages is {list(self.stages)} with kind {self.kind!r}: only 'seps' has some.")


@dataclass(frozen=True)
class DataConfig(Fields, section="data"):
    """Columns of a ratings file, `ratings.csv`, and the top of its scale.

    Attributes:
        mos_top: M, by which scores are divided, such as 5 for mean opinion scores of 1 to 5.
        image_column: a file in `images/`.
        generator_column: groups of the results; "" without such a column.
    """

    mos_top: Positive = 5.0
    image_column: str = "image"
    prompt_column: str = "prompt"
    quality_column: str = "mos_quality"
    consistency_column: str = "mos_align"
    split_column: str = "split"
    generator_column: str = "generator"


@dataclass(frozen=True)
class JudgeConfig(Fields, elsewhere=NAMES["judge_keys"]):
    """Config of a `Judge`.

    Attributes:
        residual: base plus bounded correction; false: a direct score.
        scale_q, scale_c: largest correction of quality and consistency, in (0, 1]; 1 means no bound.
        branches: of a direct consistency: "one", only the fusion network; "two", its mean with sigmoid(5 cos).
        hidden, fusion_hidden: hidden channels of the corrections of quality and consistency.
        fusion_product: the fusion network also sees the channel-wise product of both embeddings.
        fusion_quality: it also sees the quality embedding, projected to this many channels; 0: not.
        fusion_score: the correction of consistency starts from a learned multiple of q - 0.5.
        dropout, fusion_dropout: of the hidden channels; input_dropout, fusion_input_dropout: of the input channels.
    """

    encoder: EncoderConfig
    data: DataConfig = field(default_factory=DataConfig)
    residual: bool = True
    scale_q: Correction = 0.2
    scale_c: Correction = 0.2
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
