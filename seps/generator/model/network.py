"""All parts of a generator as one module, and its files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.encoders.tokenizer import Tokenizer
from seps.generator.config import GeneratorConfig
from seps.generator.model.autoencoder import Autoencoder
from seps.generator.model.captioner import Captioner
from seps.generator.model.diffusion import build_unet
from seps.generator.model.encoders import CaptionEncoder, ImageEncoder, Temperature, TextFeatures, text_config
from seps.media.photos import rgb_of
from seps.models.int8 import SCALE, from_int8, to_int8
from seps.models.storage import check_tensors, read_tensors

CONFIG_FILE = "generator.json"
PARTS = {  # each part's file, at most 10 MB
    "autoencoder": ("autoencoder",),
    "captioner": ("images", "captions", "temperature", "captioner"),
    "unet": ("unet",),
}
BACKBONE, DECODER = "images.backbone.", "autoencoder.decoder."
TO_DRAW = ("autoencoder", "unet")  # the parts needed only for drawing


class GeneratorNetwork(nn.Module):
    """Encoders (images, captions), captioner, autoencoder and UNet."""

    def __init__(self, config: GeneratorConfig, pretrained: bool = True) -> None:
        super().__init__()
        self.config = config
        embed_size = config.encoders.embed_size
        encoders = (
            config.encoders if pretrained or config.encoders.frozen else replace(config.encoders, vision_weights="none")
        )
        self.images = ImageEncoder(encoders, config.image_size)
        text = text_config(config.encoders, config.captioner.max_words)
        self.captions: Any = CaptionEncoder(config.encoders, text.max_words) if config.reads else None
        self.temperature = Temperature()
        self.tokenizer = Tokenizer.from_config(text)
        self.captioner = Captioner(config.captioner, self.images.width, embed_size, self.tokenizer.size)
        latents = config.latent_size, config.autoencoder.latent_channels
        self.autoencoder: Any = Autoencoder(config.autoencoder) if config.draws else None
        self.unet: Any = build_unet(config.diffusion, *latents, embed_size) if config.draws else None

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.temperature.log.device

    def read(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Token ids (B, L) and lengths (B,) of texts, on its device; ValueError for what is no text."""
        most = self.config.captioner.max_words
        ids, lengths = self.tokenizer.pad([self.tokenizer.encode(text, most) for text in texts])
        return ids.to(self.device), lengths

    def encode_texts(self, texts: Sequence[str]) -> TextFeatures:
        """Words and embeddings of texts."""
        return self.captions(*self.read(texts))

    def save(self, folder: Path) -> None:
        """Write generator.json and a safetensors file a part, in float16 or, where the config says so, in 8 bits."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, tensors in self.saved().items():
            if name in self.config.int8:
                tensors = to_int8(tensors)
            half = {}
            for key, tensor in tensors.items():
                is_half = tensor.is_floating_point() and not key.endswith(SCALE)  # the scales of 8-bit numbers stay
                half[key] = (tensor.half() if is_half else tensor).detach().cpu().contiguous()
                if not bool(torch.isfinite(half[key]).all()):
                    raise ValueError(f"{key} holds values that are not finite in float16, so nothing is saved.")
            save_file(half, folder / f"{name}.safetensors", {"format": "pt"})
        (folder / CONFIG_FILE).write_text(self.config.to_json(), encoding="utf-8")

    def saved(self) -> dict[str, dict[str, Tensor]]:
        """Return the tensors of each file, by key, without a frozen image encoder."""
        state = self.state_dict()
        if self.config.encoders.frozen:
            state = {key: tensor for key, tensor in state.items() if not key.startswith(BACKBONE)}
        return {
            name: {key: tensor for key, tensor in state.items() if key.split(".")[0] in parts}
            for name, parts in PARTS.items()
            if self.config.draws or name not in TO_DRAW
        }

    def load(self, folder: Path, other_decoder: bool = False) -> None:
        """Load what `save` wrote, with `other_decoder` without the decoder; ValueError before anything changes."""
        taken: dict[str, Tensor] = {}
        config = GeneratorConfig.from_json(folder / CONFIG_FILE)
        lacking = () if config.draws else TO_DRAW
        for name, expected in self.saved().items():
            if name in lacking:
                continue
            file = folder / f"{name}.safetensors"
            tensors = read_tensors(file)
            if name in config.int8:
                tensors = from_int8(tensors, file)
            if other_decoder and config.autoencoder != self.config.autoencoder:
                tensors = {key: tensor for key, tensor in tensors.items() if not key.startswith(DECODER)}
                tensors |= {key: tensor for key, tensor in expected.items() if key.startswith(DECODER)}
            check_tensors(file, tensors, expected)
            taken |= tensors
        self.load_state_dict(taken, strict=not lacking and not self.config.encoders.frozen)


def to_values(pictures: Sequence[Image.Image], size: int) -> Tensor:
    """Pictures of any size and mode to (B, 3, size, size) in [-1, 1]; what is not square is squeezed."""
    return normalise(torch.from_numpy(np.stack([to_bytes(picture, size) for picture in pictures])))


def to_bytes(picture: Image.Image, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return one picture, (size, size, 3) uint8."""
    return np.asarray(rgb_of(picture).resize((size, size), Image.Resampling.BOX))


def normalise(pixels: Tensor) -> Tensor:
    """(B, S, S, 3) uint8 to (B, 3, S, S) in [-1, 1]."""
    return pixels.permute(0, 3, 1, 2).float() / 127.5 - 1.0


def to_pictures(values: Tensor) -> list[Image.Image]:
    """Pictures of values (B, 3, S, S), cut to [-1, 1]."""
    pixels = ((values.clamp(-1, 1) + 1) * 127.5).round().byte().permute(0, 2, 3, 1).cpu().numpy()
    return [Image.fromarray(values) for values in pixels]
