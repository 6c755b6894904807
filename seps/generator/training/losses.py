"""The losses of a generator, each apart."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps.generator.config import SHRINKS
from seps.generator.model.autoencoder import scaled
from seps.generator.model.captioner import caption_loss
from seps.generator.model.diffusion import diffusion_loss, noise_schedule, padded
from seps.generator.model.encoders import ImageEncoder, TextFeatures
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training.settings import GeneratorSettings, Stage
from seps.generator.training.teacher import TeacherHead
from seps.training.losses.objective import infonce_loss

HIDDEN = 2  # width of the head's hidden layer, times the UNet's channels


class Batch(NamedTuple):
    """B images with a caption each: token ids (B, L) and lengths (B,). Other parts are None where not needed.

    Attributes:
        pictures: (B, 3, S, S) in [-1, 1]; latents: (B, C_z, S / 8, S / 8); features: (B, D, H, W), of the image
            encoder.
        patches: the teacher's, (B, N, C); places: (B, S / 8, S / 8), weights in the diffusion loss; None: equal.
    """

    pictures: Tensor | None
    latents: Tensor | None
    ids: Tensor
    lengths: Tensor
    patches: Tensor | None = None
    places: Tensor | None = None
    features: Tensor | None = None


class Objective(nn.Module):
    """A generator in training; `teacher` predicts a teacher's patches."""

    def __init__(
        self, network: GeneratorNetwork, settings: GeneratorSettings, teacher: TeacherHead | None = None
    ) -> None:
        super().__init__()
        self.network, self.settings, self.teacher = network, settings, teacher
        self.schedule = noise_schedule(network.config.diffusion)
        self.representation: RepresentationHead | None = None
        if any("representation" in stage.losses for stage in settings.stages):
            self.representation = RepresentationHead(network.config.diffusion.channels[-1], network.images.width)

    def learning(self, stage: Stage) -> list[nn.Module]:
        """Return the parts that a stage's losses reach."""
        network, teacher = self.network, self.teacher
        parts: dict[str, list[nn.Module]] = {
            "contrastive": [network.images, network.captions, network.temperature],
            "captions": [network.images, network.captioner],
            "pixels": [network.autoencoder],
            "diffusion": [network.unet, network.captions],
            "perceptual": [network.autoencoder],
            "teacher": [network.images] if teacher is None else [network.images, teacher],
            "representation": [network.unet] if self.representation is None else [network.unet, self.representation],
        }
        parts_of_stage = list(dict.fromkeys(part for name in stage.losses for part in parts[name]))
        return [part for part in parts_of_stage if not (stage.freeze_text and part is network.captions)]

    def set_stage(self, stage: Stage) -> list[nn.Parameter]:
        """Let the stage's parts learn and no others; returns their parameters."""
        self.requires_grad_(False)
        self.eval()
        for part in self.learning(stage):
            part.requires_grad_(True)
            part.train()
        if self.network.config.encoders.frozen:
            self.network.images.backbone.requires_grad_(False)
        if stage.freeze_latents and self.network.config.draws:
            self.network.autoencoder.freeze_latents()
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def forward(self, stage: Stage, batch: Batch) -> dict[str, Tensor | float]:
        """Return a step's losses by name, "loss" the weighed sum."""
        network, names = self.network, {*stage.losses}
        each: dict[str, Tensor] = {}
        found: dict[str, float] = {}
        if names & {"contrastive", "captions", "teacher"}:
            images = network.images
            image = images(pictures_of(batch)) if batch.features is None else images.read(batch.features)
        if names & {"contrastive", "diffusion"}:
            text = network.captions(batch.ids, batch.lengths)
        if "contrastive" in names:
            cosines = image.embedding @ text.embedding.T  # (B, B)
            each["contrastive"] = infonce_loss(cosines / network.temperature()) / 2
            found = dict(zip(("i2t", "t2i"), accuracy(cosines), strict=True))
        if "captions" in names:
            rows = network.captioner.rows(batch.ids, network.tokenizer.unk_id)
            logits, _ = network.captioner(network.captioner.memory(image), rows)
            smoothing = self.settings.label_smoothing if network.captioner.training else 0.0
            each["captions"] = caption_loss(logits, rows, batch.lengths, smoothing)
        if "teacher" in names:
            if self.teacher is None or batch.patches is None:
                raise ValueError("The loss teacher needs a teacher and its features of the batch's images.")
            each["teacher"] = F.mse_loss(self.teacher(image.grid), batch.patches)
        if names & {"pixels", "perceptual"}:
            seen, rebuilt = self.reconstruct_pictures(stage, pictures_of(batch))
        if "pixels" in names:
            each["pixels"] = pixel_loss(rebuilt, seen)
        if "perceptual" in names:
            each["perceptual"] = perceptual_loss(network.images, rebuilt, seen)
        if "diffusion" in names:
            latents = batch.latents
            if latents is None:
                with torch.no_grad():
                    latents = network.autoencoder.encode(pictures_of(batch))
            text = self.with_empty(text)
            with middle_of(network.unet) as middle:
                each["diffusion"] = diffusion_loss(network.unet, self.schedule, latents, text, batch.places)
            if self.representation is not None and "representation" in names:
                with torch.no_grad():
                    seen = network.images.maps(pictures_of(batch)) if batch.features is None else batch.features
                each["representation"] = self.representation(middle[0], seen)
        total = sum((self.settings.weight(name) * loss for name, loss in each.items()), start=batch.ids.new_zeros(()))
        return {"loss": total} | each | found

    def reconstruct_pictures(self, stage: Stage, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Return target and output of the autoencoder, of pictures (B, 3, S, S), in training cropped."""
        autoencoder = self.network.autoencoder
        if not autoencoder.training:
            return pictures, autoencoder(pictures)
        seen = crop_randomly(pictures, stage.crop)
        if float(torch.rand(())) >= stage.scaled_latents:
            return seen, autoencoder(seen)
        whole = seen.shape[-1] // SHRINKS
        side = int(torch.randint(whole // 2, whole, ()))
        return scaled(seen, SHRINKS * side), autoencoder(seen, side)

    def with_empty(self, text: TextFeatures) -> TextFeatures:
        """Return a batch's captions, some of them as the empty one, in training."""
        if not (self.network.unet.training and self.settings.caption_dropout):
            return text
        with torch.no_grad():
            empty = padded(self.network.encode_texts([""]), text.words.shape[1])
        dropped = torch.rand(len(text.words), device=text.words.device) < self.settings.caption_dropout  # (B,)
        return TextFeatures(
            torch.where(dropped[:, None], empty.embedding, text.embedding),
            torch.where(dropped[:, None, None], empty.words, text.words),
            torch.where(dropped[:, None], empty.mask, text.mask),
        )


def pictures_of(batch: Batch) -> Tensor:
    """Return a batch's pictures, which a loss needs; ValueError where it has none."""
    if batch.pictures is None:
        raise ValueError("The batch has only latents, but its pictures are needed.")
    return batch.pictures


def accuracy(cosines: Tensor) -> tuple[float, float]:
    """Return the share of images, and of captions, that find their own first among the batch; chance is 1 / B."""
    targets = torch.arange(len(cosines), device=cosines.device)
    image, caption = (float((cosines.argmax(dim=dim) == targets).float().mean()) for dim in (1, 0))
    return image, caption


def pixel_loss(rebuilt: Tensor, target: Tensor) -> Tensor:
    """Mean absolute difference of pictures (B, 3, S, S), and as much of the differences between neighbours: edges."""
    loss = (rebuilt - target).abs().mean()
    for dim in (2, 3):
        loss = loss + (rebuilt.diff(dim=dim) - target.diff(dim=dim)).abs().mean()
    return loss


def perceptual_loss(encoder: ImageEncoder, rebuilt: Tensor, target: Tensor) -> Tensor:
    """Return the squared distance of two pictures' unit features, as Zhang et al. 2018 without learned weights."""
    with torch.no_grad():
        targets = encoder.stages(target)
    distances = [
        (F.normalize(stage, dim=1) - F.normalize(target, dim=1)).square().sum(dim=1).mean()
        for stage, target in zip(encoder.stages(rebuilt), targets, strict=True)
    ]
    return torch.stack(distances).mean()


def crop_randomly(pictures: Tensor, side: int) -> Tensor:
    """Return the same square of all pictures, cut at random; all of them where `side` is 0 or not smaller."""
    if not 0 < side < pictures.shape[-1]:
        return pictures
    top, left = torch.randint(pictures.shape[-1] - side + 1, (2,)).tolist()
    return pictures[..., top : top + side, left : left + side]


class RepresentationHead(nn.Module):
    """Head that predicts image features (D) from the UNet's middle (D_m), as in arXiv 2410.06940; not saved."""

    def __init__(self, middle: int, width: int) -> None:
        super().__init__()
        self.predict: nn.Module = nn.Sequential(
            nn.Conv2d(middle, HIDDEN * middle, 1), nn.SiLU(), nn.Conv2d(HIDDEN * middle, width, 1)
        )
        self.normalise = nn.BatchNorm2d(width, affine=False)  # else what all places share would be most of a cosine

    def forward(self, middle: Tensor, features: Tensor) -> Tensor:
        """Return 1 minus the mean cosine of predicted and seen features (B, D, H, W), brought to the middle's size."""
        height, width = middle.shape[-2:]
        target = self.normalise(F.adaptive_avg_pool2d(features.float(), (height, width)))
        return 1 - F.cosine_similarity(self.predict(middle).float(), target, dim=1).mean()


@contextmanager
def middle_of(unet: Any) -> Iterator[list[Tensor]]:
    """Collect what the UNet's middle puts out, (B, D_m, h, w) each time that the UNet computes."""
    outputs: list[Tensor] = []

    def collect(module: nn.Module, inputs: Any, output: Tensor) -> None:
        outputs.append(output)

    handle = unet.mid_block.register_forward_hook(collect)
    try:
        yield outputs
    finally:
        handle.remove()
