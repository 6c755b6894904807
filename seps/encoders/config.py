"""Configs of the encoders."""

from dataclasses import dataclass
from typing import Annotated

from seps.common.checks import MAX_PIXELS, MAX_WORDS, shown
from seps.common.fields import Fields, Fraction, NotNegative, Number, Positive, between, choice_of, of_length


def check_weights(name: str, weights: str) -> None:
    """Raise ValueError unless `weights` is a known kind of source with a path if it needs one."""
    kind, colon, target = weights.partition(":")
    if weights in ("hub", "none") or (kind in ("package", "folder") and colon and target):
        return
    raise ValueError(f"{name} is {shown(weights)}, but it must be 'hub', 'package:NAME', 'folder:PATH' or 'none'.")


Weights = Annotated[str, check_weights]
Words = Annotated[int, between(2, MAX_WORDS)]  # at least [CLS] and [SEP]
three_channels = of_length(3, "red, green, blue")


def check_prompt(name: str, prompt: str) -> None:
    """Raise ValueError unless a prompt has one placeholder for a class name."""
    if prompt.count("{}") != 1 or "{" in prompt.replace("{}", "") or "}" in prompt.replace("{}", ""):
        raise ValueError(f"{name} is {shown(prompt)}, but it must contain {{}} once, where the class name goes.")


@dataclass(frozen=True)
class ClassConfig(Fields, section="vision.classes"):
    """Class vectors of the backbone's classifier, added to the patches (see `seps.encoders.classes`).

    Attributes:
        names: source of the class names: "imagenet-1k", "imagenet-22k" and others; "" for no class vectors.
        shared_until: the last frozen part that the image encoder and the classifier share: "blocks.N" of a timm
            EfficientNet, "all" if the whole backbone is frozen, or "" for none.
        prompt: the caption of a class, with {} for its name.
        count: number of most probable classes in a patch's class vector.
        local_weight, image_weight: fixed weights of the class vectors of the patch and of the whole image.
        dropout: fraction of training images that keep only class vectors, so that these cannot be ignored.
    """

    names: Annotated[str, choice_of("", "imagenet-1k", "imagenet-12k", "imagenet-21k", "imagenet-22k")] = ""
    shared_until: str = ""
    prompt: Annotated[str, check_prompt] = "a photo of a {}"
    count: Annotated[int, between(1, 1_000)] = 10
    local_weight: NotNegative = 0.25
    image_weight: NotNegative = 0.25
    dropout: Fraction = 0.0


@dataclass(frozen=True)
class VisionConfig(Fields, section="vision"):
    """The image encoder and its input.

    Attributes:
        encoder: a timm model name.
        weights: "hub", "package:NAME", "folder:PATH" or "none", see `seps.encoders.sources`.
        image_size: side of the square image in pixels.
        mean, std: per channel (red, green, blue), for values in [0, 1].
        cls: source of the [CLS] token: "encoder" (the backbone), "mean" (the mean patch) or "none".
        context_size: side in pixels of a second, smaller view of the whole image; its mean feature and the mean of the
            patches are added to every patch (see `seps.encoders.heads`). 0 for a plain projection.
        dropout: fraction of feature channels dropped in training, with context.
        classes: class vectors of the backbone's classifier; by default none.
    """

    encoder: str
    weights: Weights
    image_size: Annotated[int, between(1, MAX_PIXELS)]
    mean: Annotated[tuple[Number, Number, Number], three_channels]
    std: Annotated[tuple[Positive, Positive, Positive], three_channels]
    cls: Annotated[str, choice_of("encoder", "mean", "none")]
    context_size: Annotated[int, between(0, MAX_PIXELS)] = 0
    dropout: Fraction = 0.0
    classes: ClassConfig = ClassConfig()

    def check(self) -> None:
        """Raise ValueError for context together with [CLS]."""
        if self.context_size and self.cls != "none":
            raise ValueError(
                f"vision.context_size is {self.context_size} with cls {self.cls!r}, but context takes the place of "
                "[CLS]: set cls to 'none', or context_size to 0."
            )


@dataclass(frozen=True)
class TextConfig(Fields, section="text"):
    """The caption encoder and its input.

    Attributes:
        encoder: source of architecture and vocabulary: a hub repo id, "package:NAME", "folder:PATH" or, for an encoder
            described by this library, "seps:NAME".
        weights: "hub", "package:NAME", "folder:PATH" or "none", see `seps.encoders.sources`.
        max_words: maximum number of tokens, including [CLS] and [SEP]; longer captions are cut.
        max_dense_words: the same for a dense caption.
        context: add the caption's mean word to every word (see `seps.encoders.heads`).
        dropout: fraction of feature channels dropped in training, with context.
        low_rank: rank of the weight differences of the last low_rank_layers layers (LoRA); 0 for none.
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
        """Raise ValueError for weights from the hub with an encoder from elsewhere."""
        if self.weights == "hub" and self.encoder.startswith(("package:", "folder:", "seps:")):
            raise ValueError(
                f"text.weights is 'hub', but text.encoder is {self.encoder!r}, which names no hub repo: "
                "give both the same source."
            )
