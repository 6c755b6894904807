"""What a generator is made of: encoders, captioner, autoencoder and diffusion, in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from seps.checks import MAX_CHANNELS, MAX_WORDS, check_choice, check_share, check_whole, read_fields, read_json_file

SIMPLE = "simple"
SCENE_WORDS = "seps:scenes"  # the text encoder that knows the words of the scenes alone
EMBED_SIZES = (512, 768)
PREDICTIONS = ("epsilon", "v_prediction")
SCHEDULES = ("linear", "scaled_linear", "squaredcos_cap_v2")  # as diffusers names them
LONGEST = 30  # tokens of a caption, [CLS] and [SEP] among them
MAX_SIDE = 512  # of a picture, in pixels
SHRINKS = 8  # the autoencoder's latents have an eighth of the picture's side
MAX_LAYERS = 48
PARTS = ("autoencoder", "captioner", "unet")  # each with a file of its own


@dataclass(frozen=True)
class EncodersConfig:
    """The two encoders and their shared space.

    Attributes:
        vision: "simple", a small convolutional network, or the name of a timm model ("resnet50").
        text: where the text encoder is described: "seps:scenes", a hub repo ("bert-base-uncased"), "folder:PATH".
        text_weights: "hub", "package:NAME", "folder:PATH" or "none" (random).
        embed_size: C, channels of the shared space.
        channels: of the simple encoder's stages; the last are those of its grid.
    """

    vision: str = SIMPLE
    text: str = SCENE_WORDS
    text_weights: str = "none"
    embed_size: int = 512
    channels: tuple[int, ...] = (64, 128, 256)

    def __post_init__(self) -> None:
        if self.embed_size not in EMBED_SIZES:
            raise ValueError(f"encoders.embed_size is {self.embed_size}, but it must be one of {EMBED_SIZES}.")
        object.__setattr__(self, "channels", tuple(self.channels))
        if not self.channels:
            raise ValueError("encoders.channels is empty, but at least 1 stage is needed: name its channels.")
        for width in self.channels:
            check_whole("encoders.channels", width, MAX_CHANNELS)


@dataclass(frozen=True)
class CaptionerConfig:
    """The Transformer decoder that writes captions.

    Attributes:
        width: its channels; layers, heads; max_words: tokens of a caption at most, [CLS] and [SEP] among them.
        dropout: in training.
    """

    width: int = 256
    layers: int = 2
    heads: int = 4
    max_words: int = LONGEST
    dropout: float = 0.1

    def __post_init__(self) -> None:
        check_whole("captioner.width", self.width, MAX_CHANNELS)
        check_whole("captioner.layers", self.layers, MAX_LAYERS)
        check_whole("captioner.heads", self.heads, MAX_CHANNELS)
        check_whole("captioner.max_words", self.max_words, MAX_WORDS, least=3)
        check_share("captioner.dropout", self.dropout)
        if self.width % self.heads:
            raise ValueError(f"captioner.width is {self.width}, which {self.heads} heads do not share equally.")


@dataclass(frozen=True)
class AutoencoderConfig:
    """The convolutional autoencoder between pictures and latents.

    Attributes:
        channels: of its three stages, from the picture on; latent_channels: of the latents.
        noise: standard deviation of the noise that the decoder learns to bear, in units of the latents'.
    """

    channels: tuple[int, ...] = (32, 64, 128)
    latent_channels: int = 8
    noise: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", tuple(self.channels))
        if len(self.channels) != 3:
            raise ValueError(f"autoencoder.channels has {len(self.channels)} numbers, but 3 are needed.")
        for width in (*self.channels, self.latent_channels):
            check_whole("autoencoder.channels", width, MAX_CHANNELS)
        check_share("autoencoder.noise", self.noise)


@dataclass(frozen=True)
class DiffusionConfig:
    """The UNet on latents and the noise that it learns to take away.

    Attributes:
        channels: of its levels; layers: residual blocks a level; head_channels: of an attention head.
        plain_levels: how many levels, from the first and finest on, have no attention.
        caption_embedding: whether the UNet sees the caption's embedding too, added to that of the step.
        train_steps: of the noise schedule; schedule, prediction: as diffusers names them.
    """

    channels: tuple[int, ...] = (64, 128)
    layers: int = 1
    head_channels: int = 32
    plain_levels: int = 0
    caption_embedding: bool = False
    train_steps: int = 1000
    schedule: str = "squaredcos_cap_v2"
    prediction: str = "v_prediction"

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", tuple(self.channels))
        if len(self.channels) < 2:
            raise ValueError(f"diffusion.channels has {len(self.channels)} numbers, but at least 2 are needed.")
        check_whole("diffusion.head_channels", self.head_channels, MAX_CHANNELS)
        for width in self.channels:
            check_whole("diffusion.channels", width, MAX_CHANNELS)
            if width % 32 or width % self.head_channels:
                raise ValueError(
                    f"diffusion.channels has {width}, but multiples of 32 and of head_channels "
                    f"({self.head_channels}) are needed."
                )
        check_whole("diffusion.plain_levels", self.plain_levels, len(self.channels) - 1, least=0)
        check_whole("diffusion.layers", self.layers, MAX_LAYERS)
        check_whole("diffusion.train_steps", self.train_steps, 100_000, least=2)
        check_choice("diffusion.schedule", self.schedule, SCHEDULES)
        check_choice("diffusion.prediction", self.prediction, PREDICTIONS)


@dataclass(frozen=True)
class GeneratorConfig:
    """Everything that makes a `Generator`.

    Attributes:
        image_size: side of its pictures in pixels, a multiple of 8 times the UNet's halvings.
        encoders, captioner, autoencoder, diffusion: its parts.
        draws: whether it has an autoencoder and a UNet; without them it writes captions and draws nothing.
        int8: the parts ("autoencoder", "captioner", "unet") whose files hold 8-bit weights, others float16.
    """

    image_size: int = 128
    encoders: EncodersConfig = field(default_factory=EncodersConfig)
    captioner: CaptionerConfig = field(default_factory=CaptionerConfig)
    autoencoder: AutoencoderConfig = field(default_factory=AutoencoderConfig)
    diffusion: DiffusionConfig = field(default_factory=DiffusionConfig)
    draws: bool = True
    int8: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "int8", tuple(self.int8))
        for name in self.int8:
            check_choice("int8", name, PARTS)
        check_whole("image_size", self.image_size, MAX_SIDE)
        step = SHRINKS * 2 ** (len(self.diffusion.channels) - 1)
        if self.image_size % step:
            raise ValueError(
                f"image_size is {self.image_size}, but a multiple of {step} is needed: 8 pixels a latent, and "
                f"{len(self.diffusion.channels)} levels of the UNet."
            )

    @property
    def latent_size(self) -> int:
        """Side of the latents."""
        return self.image_size // SHRINKS

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GeneratorConfig:
        """The config that `as_dict` wrote; parts and values that it lacks are the defaults.

        Raises:
            ValueError: an unknown key, a value of the wrong type or outside its range.
        """
        parts = {
            "encoders": EncodersConfig,
            "captioner": CaptionerConfig,
            "autoencoder": AutoencoderConfig,
            "diffusion": DiffusionConfig,
        }
        filled = {name: {} for name in parts} | dict(values) if isinstance(values, Mapping) else values
        options = read_fields("the config", cls, filled)
        for name, part in parts.items():
            options[name] = part(**read_fields(name, part, options[name], f"{name}."))
        return cls(**options)

    @classmethod
    def from_json(cls, path: str | Path) -> GeneratorConfig:
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
