"""Generator config: encoders, captioner, autoencoder and diffusion, in one JSON file."""

from dataclasses import dataclass, field
from typing import Annotated

from seps.common.checks import MAX_WORDS, check_whole
from seps.common.elsewhere import NAMES
from seps.common.fields import Channels, Fields, Fraction, between, choice_of, of_length

SIMPLE = "simple"
SCENE_WORDS = "seps:scenes"  # the text encoder that knows only the words of the scenes
EMBED_SIZES = (512, 768)
LONGEST = 30  # tokens of a caption, [CLS] and [SEP] among them
MAX_VOCABULARY = 4_194_304
MAX_SIDE = 512  # of a picture, in pixels
SHRINKS = 8  # the autoencoder's latents have an eighth of the picture's side
Layers = Annotated[int, between(1, 48)]


def check_embed_size(name: str, channels: int) -> None:
    """Raise ValueError unless the shared space has 512 or 768 channels."""
    if channels not in EMBED_SIZES:
        raise ValueError(f"{name} is {channels}, but it must be one of {EMBED_SIZES}.")


def check_source(name: str, source: str) -> None:
    """Raise ValueError unless weights come from nowhere, the hub, a folder, a package or a SEPS model."""
    kind, colon, target = source.partition(":")
    if source not in ("none", "hub") and not (kind in ("folder", "package", "seps") and colon and target):
        raise ValueError(f"{name} is {source!r}, but it must be none, hub, folder:PATH, package:NAME or seps:MODEL.")


@dataclass(frozen=True)
class EncodersConfig(Fields, section="encoders", elsewhere=NAMES["generator_encoder_keys"]):
    """The two encoders and their shared space of C = `embed_size` channels.

    Attributes:
        vision: "simple", a small convolutional network, or a timm model ("resnet50").
        vision_weights: of a timm model: "none" (random), "hub", or "folder:PATH" with model.safetensors; of a frozen
            one also "package:NAME", or "seps:MODEL", the image encoder of a SEPS model (`load_model`).
        frozen: do not train or save the timm model; its features are computed once.
        text: source of the text encoder: "seps:scenes", a hub repo ("bert-base-uncased"), "folder:PATH".
        text_weights: "hub", "package:NAME", "folder:PATH" or "none" (random).
        channels: of the simple encoder's stages; the last is its grid's.
    """

    vision: str = SIMPLE
    vision_weights: Annotated[str, check_source] = "none"
    frozen: bool = False
    text: str = SCENE_WORDS
    text_weights: str = "none"
    embed_size: Annotated[int, check_embed_size] = 512
    channels: tuple[Channels, ...] = (64, 128, 256)

    def check(self) -> None:
        """Raise ValueError for no stages, or weights that an encoder does not take."""
        if self.vision == SIMPLE and self.vision_weights != "none":
            raise ValueError(f"encoders.vision_weights is {self.vision_weights!r}, but encoders.vision is 'simple'.")
        kind = self.vision_weights.partition(":")[0]
        if self.frozen and (self.vision == SIMPLE or self.vision_weights == "none"):
            raise ValueError("encoders.frozen needs a timm model with weights: name both, vision and vision_weights.")
        if kind in ("package", "seps") and not self.frozen:
            raise ValueError(f"encoders.vision_weights is {self.vision_weights!r}, which is for a frozen encoder.")
        if not self.channels:
            raise ValueError("encoders.channels is empty, but at least 1 stage is needed: name its channels.")


@dataclass(frozen=True)
class CaptionerConfig(Fields, section="captioner"):
    """The Transformer decoder that writes captions.

    Attributes:
        max_words: largest number of tokens, including [CLS] and [SEP]; width: channels.
        vocabulary: number of token ids that it writes, the most frequent in training captions; 0: all.
        no_repeat: length of token sequences that occur at most once per caption; 0: no limit.
    """

    width: Channels = 256
    layers: Layers = 2
    heads: Channels = 4
    max_words: Annotated[int, between(3, MAX_WORDS)] = LONGEST
    dropout: Fraction = 0.1
    image_dropout: Fraction = 0.0
    vocabulary: Annotated[int, between(0, MAX_VOCABULARY)] = 0
    no_repeat: Annotated[int, between(0, MAX_WORDS)] = 0

    def check(self) -> None:
        """Raise ValueError where the heads do not divide the width."""
        if self.width % self.heads:
            raise ValueError(f"captioner.width is {self.width}, which {self.heads} heads do not share equally.")


@dataclass(frozen=True)
class AutoencoderConfig(Fields, section="autoencoder"):
    """The convolutional autoencoder between pictures and latents.

    Attributes:
        channels: of its three stages, from the picture on; latent_channels: of the latents.
        decoder_channels: of the decoder's stages, in the same order; empty: as `channels`.
        decoder_layers: residual blocks of the decoder's stages, in the same order.
        noise: standard deviation of the noise added before decoding in training, in units of the latents'.
    """

    channels: Annotated[tuple[Channels, ...], of_length(3)] = (32, 64, 128)
    latent_channels: Channels = 8
    decoder_channels: tuple[Channels, ...] = ()
    decoder_layers: Annotated[tuple[Annotated[int, between(0, 16)], ...], of_length(3)] = (0, 1, 2)
    noise: Fraction = 0.1

    def check(self) -> None:
        """Raise ValueError for a decoder of another number of stages."""
        if len(self.decoder_channels) not in (0, 3):
            raise ValueError(
                f"autoencoder.decoder_channels has {len(self.decoder_channels)} numbers, but needs 3 or none."
            )


@dataclass(frozen=True)
class DiffusionConfig(Fields, section="diffusion"):
    """The UNet on latents and its noise schedule.

    Attributes:
        channels: of its levels; layers: residual blocks per level; head_channels: of an attention head.
        plain_levels: number of levels without attention, from the finest on.
        caption_embedding: add the caption's embedding to the step's.
        train_steps: of the noise schedule; schedule, prediction: as diffusers names them.
    """

    channels: tuple[Channels, ...] = (64, 128)
    layers: Layers = 1
    head_channels: Channels = 32
    plain_levels: Annotated[int, between(0)] = 0
    caption_embedding: bool = False
    train_steps: Annotated[int, between(2, 100_000)] = 1000
    schedule: Annotated[str, choice_of("linear", "scaled_linear", "squaredcos_cap_v2")] = "squaredcos_cap_v2"
    prediction: Annotated[str, choice_of("epsilon", "v_prediction")] = "v_prediction"

    def check(self) -> None:
        """Raise ValueError for too few levels, or channels that groups and heads do not divide."""
        if len(self.channels) < 2:
            raise ValueError(f"diffusion.channels has {len(self.channels)} numbers, but at least 2 are needed.")
        for width in self.channels:
            if width % 32 or width % self.head_channels:
                needed = f"multiples of 32 and of head_channels ({self.head_channels}) are needed"
                raise ValueError(f"diffusion.channels has {width}, but {needed}.")
        check_whole("diffusion.plain_levels", self.plain_levels, len(self.channels) - 1, least=0)


@dataclass(frozen=True)
class GeneratorConfig(Fields, elsewhere=NAMES["generator_keys"]):
    """Config of a `Generator`.

    Attributes:
        image_size: side of its pictures in pixels, a multiple of 8 times the UNet's halvings.
        draws: has an autoencoder and a UNet; false: it only writes captions.
        reads: has a text encoder; false: it neither draws nor uses the contrastive loss.
        int8: parts ("autoencoder", "captioner", "unet") saved with 8-bit weights, others with float16.
    """

    image_size: Annotated[int, between(1, MAX_SIDE)] = 128
    encoders: EncodersConfig = field(default_factory=EncodersConfig)
    captioner: CaptionerConfig = field(default_factory=CaptionerConfig)
    autoencoder: AutoencoderConfig = field(default_factory=AutoencoderConfig)
    diffusion: DiffusionConfig = field(default_factory=DiffusionConfig)
    draws: bool = True
    reads: bool = True
    int8: tuple[Annotated[str, choice_of("autoencoder", "captioner", "unet")], ...] = ()

    def check(self) -> None:
        """Raise ValueError for pictures that the UNet does not halve evenly, or drawing without reading."""
        if self.draws and not self.reads:
            raise ValueError("draws is true, but reads is false: who draws captions reads them, set both alike.")
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
