"""What an encoder is made from, and what it wants: the parts of a model's config that encoders read."""

from __future__ import annotations

from dataclasses import dataclass

from seps.checks import (
    MAX_PIXELS,
    MAX_WORDS,
    check_choice,
    check_positive,
    check_share,
    check_type,
    check_whole,
    shown,
)

MAX_RANK, MAX_LAYERS = 4_096, 1_024
CLS_CHOICES = ("encoder", "mean", "none")


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
        check_whole("vision.image_size", self.image_size, MAX_PIXELS)
        check_choice("vision.cls", self.cls, CLS_CHOICES)
        check_share("vision.dropout", self.dropout)
        check_whole("vision.context_size", self.context_size, MAX_PIXELS, least=0)
        if self.context_size and self.cls != "none":
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
        low_rank: rank of the differences that the weights of the last low_rank_layers layers may have (LoRA); 0 for
            none.
    """

    encoder: str
    weights: str
    max_words: int = 30
    max_dense_words: int = 200
    context: bool = False
    dropout: float = 0.0
    low_rank: int = 0
    low_rank_layers: int = 1

    def __post_init__(self) -> None:
        check_weights("text.weights", self.weights)
        check_share("text.dropout", self.dropout)
        check_whole("text.low_rank", self.low_rank, MAX_RANK, least=0)
        check_whole("text.low_rank_layers", self.low_rank_layers, MAX_LAYERS)
        for name in ("max_words", "max_dense_words"):
            limit = getattr(self, name)
            check_whole(f"text.{name}", limit, MAX_WORDS)
            if limit < 2:
                raise ValueError(f"text.{name} is {limit}, but [CLS] and [SEP] alone need 2.")
        if self.weights == "hub" and self.encoder.startswith(("package:", "folder:", "seps:")):
            raise ValueError(
                f"text.weights is 'hub', but text.encoder is {self.encoder!r}, which names no hub repo: "
                "give both the same source."
            )


def check_weights(name: str, weights: str) -> None:
    """Raise ValueError unless `weights` names a kind of source and, where it needs one, a path."""
    kind, colon, target = weights.partition(":")
    if weights in ("hub", "none") or (kind in ("package", "folder") and colon and target):
        return
    raise ValueError(f"{name} is {shown(weights)}, but it must be 'hub', 'package:NAME', 'folder:PATH' or 'none'.")
