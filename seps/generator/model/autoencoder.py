"""The convolutional autoencoder: pictures to small latents of unit variance, and back by transposed convolutions."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.generator.config import AutoencoderConfig
from seps.generator.model.encoders import Residual


class Autoencoder(nn.Module):
    """Maps pictures (B, 3, S, S) in [-1, 1] to latents (B, C_z, S / 8, S / 8) of variance 1, and back."""

    def __init__(self, config: AutoencoderConfig) -> None:
        super().__init__()
        self.noise = config.noise
        first, second, third = config.channels
        fine, middle, coarse = config.decoder_channels or config.channels
        at_fine, at_middle, at_coarse = (
            [Residual(channels) for _ in range(count)]
            for count, channels in zip(config.decoder_layers, (fine, middle, coarse), strict=True)
        )
        self.encoder = nn.Sequential(
            nn.Conv2d(3, first, 4, stride=2, padding=1),
            nn.SiLU(),
            nn.Conv2d(first, second, 4, stride=2, padding=1),
            Residual(second),
            nn.Conv2d(second, third, 4, stride=2, padding=1),
            Residual(third),
            nn.GroupNorm(8, third),
            nn.SiLU(),
            nn.Conv2d(third, config.latent_channels, 1),
        )
        self.normalise = nn.BatchNorm2d(config.latent_channels, affine=False)
        self.decoder = nn.Sequential(
            nn.Conv2d(config.latent_channels, coarse, 3, padding=1),
            *at_coarse,
            nn.ConvTranspose2d(coarse, middle, 4, stride=2, padding=1),
            *at_middle,
            nn.ConvTranspose2d(middle, fine, 4, stride=2, padding=1),
            *at_fine,
            nn.GroupNorm(8, fine),
            nn.SiLU(),
            nn.Conv2d(fine, fine, 3, padding=1),
            nn.SiLU(),
            nn.ConvTranspose2d(fine, 3, 4, stride=2, padding=1),
        )

    def freeze_latents(self) -> None:
        """Freeze the encoder, so that only the decoder learns."""
        self.encoder.requires_grad_(False)
        self.normalise.eval()

    def encode(self, pictures: Tensor) -> Tensor:
        """Latents of pictures."""
        return self.normalise(self.encoder(pictures))

    def decode(self, latents: Tensor) -> Tensor:
        """Pictures of latents; values may lie a little outside [-1, 1]."""
        return self.decoder(latents)

    def forward(self, pictures: Tensor, side: int = 0) -> Tensor:
        """Reconstruct pictures, in training through noisy latents; with a `side` from latents scaled down to it."""
        latents = self.encode(pictures)
        if side:
            latents = scaled(latents, side)
        if self.training and self.noise:
            latents = latents + self.noise * torch.randn_like(latents)
        return self.decode(latents)


def scaled(maps: Tensor, side: int) -> Tensor:
    """Maps (B, D, H, W) scaled down to (B, D, side, side)."""
    return F.interpolate(maps.float(), (side, side), mode="bilinear", antialias=True)
