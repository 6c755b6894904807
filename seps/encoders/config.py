"""What an encoder is made from, and what it wants: the parts of a model's config that encoders read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from seps.checks import MAX_PIXELS, MAX_WORDS, check_positive, check_whole, shown
from seps.fields import Fields, Fraction, Number, between, choice_of, of_length


def check_weights(name: str, weights: str) -> None:
    """Raise ValueError unless `weights` names a kind of source and, where it needs one, a path."""
    kind, colon, target = weights.partition(":")
    if weights in ("hub", "none") or (kind in ("package", "folder") and colon and target):
        return
    raise ValueError(f"{name} is {shown(weights)}, but it must be 'hub', 'package:NAME', 'folder:PATH' or 'none'.")


def check_words(name: str, limit: int) -> None:
    """Raise ValueError unless a limit of tokens is a whole number with room for [CLS] and [SEP]."""
    check_whole(name, limit, MAX_WORDS)
    if limit < 2:
        raise ValueError(f"{name} is {limit}, but [CLS] and [SEP] alone need 2.")


def check_deviations(name: str, values: tuple[float, ...]) -> None:
    """Raise ValueError unless each is above 0."""
    for value in values:
        check_positive(name, value)


Weights = Annotated[str, check_weights]
Words = Annotated[int, check_words]
RGB = Annotated[tuple[Number, Number, Number], of_length(3, "red, green, blue")]


@dataclass(frozen=True)
class VisionConfig(Fields, section="vision"):
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
    weights: Weights
    image_size: Annotated[int, between(1, MAX_PIXELS)]
    mean: RGB
    std: Annotated[RGB, check_deviations]
    cls: Annotated[str, choice_of("encoder", "mean", "none")]
    context_size: Annotated[int, between(0, MAX_PIXELS)] = 0
    dropout: Fraction = 0.0

    def check(self) -> None:
        """Raise ValueError for context beside [CLS]."""
        if self.context_size and self.cls != "none":
            raise ValueError(
                f"vision.context_size is {self.context_size} with cls {self.cls!r}, but context takes the place of "
                "[CLS]: set cls to 'none', or context_size to 0."
            )


@dataclass(frozen=True)
class TextConfig(Fields, section="text"):
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
    weights: Weights
    max_words: Words = 30
    max_dense_words: Words = 200
    context: bool = False
    dropout: Fraction = 0.0
    low_rank: Annotated[int, between(0, 4_096)] = 0
    low_rank_layers: Annotated[int, between(1, 1_024)] = 1

    def check(self) -> None:
        """Raise ValueError where the weights come from a hub and the encoder does not."""
        if self.weights == "hub" and self.encoder.startswith(("package:", "folder:", "seps:")):
            raise ValueError(
                f"text.weights is 'hub', but text.encoder is {self.encoder!r}, which names no hub repo: "
                "give both the same source."
            )
