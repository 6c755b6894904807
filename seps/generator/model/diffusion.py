"""Text to image: a UNet on latents that attends to a caption's words, and how pictures are drawn with it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, DPMSolverMultistepScheduler, UNet2DConditionModel
from diffusers.models.attention_processor import AttnProcessor
from torch import Tensor, nn

from seps.common.checks import check_not_negative, check_whole
from seps.generator.config import DiffusionConfig
from seps.generator.model.encoders import TextFeatures

MAX_STEPS = 1000
MAX_GUIDANCE = 50.0
NORM_GROUPS = 8  # of 4 channels or more: a group of one would wash out what the step and the caption add to a channel
RESCALE = 0.7  # how far guided predictions are brought back to the spread of unguided ones, 0 to 1, as published
SNR_CUT = 5.0  # steps with less noise count no more than one of this ratio of signal to noise


def build_unet(config: DiffusionConfig, latent_size: int, latent_channels: int, width: int) -> Any:
    """Return the UNet: its levels attend to the words, of `width` channels, as the caption's embedding is."""
    plain, attending = config.plain_levels, len(config.channels) - config.plain_levels
    return UNet2DConditionModel(
        sample_size=latent_size,
        in_channels=latent_channels,
        out_channels=latent_channels,
        block_out_channels=tuple(config.channels),
        layers_per_block=config.layers,
        down_block_types=("DownBlock2D",) * plain + ("CrossAttnDownBlock2D",) * attending,
        up_block_types=("CrossAttnUpBlock2D",) * attending + ("UpBlock2D",) * plain,
        attention_head_dim=[width // config.head_channels for width in config.channels],
        cross_attention_dim=width,
        norm_num_groups=NORM_GROUPS,
        resnet_time_scale_shift="scale_shift",
        class_embed_type="projection" if config.caption_embedding else None,
        projection_class_embeddings_input_dim=width if config.caption_embedding else None,
    )


def attend_step_by_step(unet: Any) -> None:
    """Replace PyTorch's fused attention by three plain products, which are faster on grids this small."""
    unet.set_attn_processor(AttnProcessor())


def noise_schedule(config: DiffusionConfig) -> Any:
    """Return the schedule of training."""
    return DDPMScheduler(
        num_train_timesteps=config.train_steps,
        beta_schedule=config.schedule,
        prediction_type=config.prediction,
        clip_sample=False,
    )


def predict(unet: Any, latents: Tensor, steps: Tensor, text: TextFeatures) -> Tensor:
    """Return the UNet's prediction of the noise, or velocity, in latents (B, C_z, h, w) at steps, () or (B,)."""
    return unet(
        latents,
        steps,
        encoder_hidden_states=text.words,
        encoder_attention_mask=text.mask,
        class_labels=text.embedding * text.embedding.shape[-1] ** 0.5,  # heeded where the config has caption_embedding
    ).sample


def diffusion_loss(
    unet: nn.Module, schedule: Any, latents: Tensor, text: TextFeatures, places: Tensor | None = None
) -> Tensor:
    """Return the error of the UNet's prediction for latents (B, C_z, h, w) at random steps, `places` (B, h, w)
    weighted.

    Steps are weighted by min(SNR, 5), as in Hang et al. 2023 (Min-SNR Weighting Strategy).
    """
    noise = torch.randn_like(latents)
    steps = torch.randint(schedule.config.num_train_timesteps, (len(latents),), device=latents.device)
    noisy = schedule.add_noise(latents, noise, steps)
    velocity = schedule.config.prediction_type == "v_prediction"
    target = schedule.get_velocity(latents, noise, steps) if velocity else noise
    predicted = predict(unet, noisy, steps, text)
    kept = schedule.alphas_cumprod.to(latents.device)[steps]
    snr = kept / (1 - kept)
    weights = snr.clamp_max(SNR_CUT) / (snr + 1 if velocity else snr)
    errors = F.mse_loss(predicted, target, reduction="none").mean(dim=1)  # (B, h, w)
    errors = errors if places is None else errors * places
    return (weights * errors.mean(dim=(1, 2))).mean()


class Drawing(NamedTuple):
    """A picture on its way: steps done of all, the latents and the estimate of the clean ones, (B, C_z, h, w) each."""

    step: int
    steps: int
    latents: Tensor
    clean: Tensor


@torch.no_grad()
def draw_latents(
    unet: nn.Module,
    config: DiffusionConfig,
    cond: TextFeatures,
    uncond: TextFeatures,
    start: Tensor,
    steps: int,
    guidance: float,
) -> Iterator[Drawing]:
    """Draw latents from noise `start` (B, C_z, h, w) with classifier-free guidance and yield each step."""
    check_steps(steps, config)
    check_not_negative("guidance", guidance)
    if guidance > MAX_GUIDANCE:
        raise ValueError(f"guidance is {guidance:g}, but it must be at most {MAX_GUIDANCE:g}.")
    scheduler = DPMSolverMultistepScheduler.from_config(noise_schedule(config).config)
    scheduler.set_timesteps(steps)
    latents = start * scheduler.init_noise_sigma
    guided = guidance != 1.0
    text = both(cond, uncond) if guided else cond
    for number, step in enumerate(scheduler.timesteps):
        seen = scheduler.scale_model_input(torch.cat([latents, latents]) if guided else latents, step)
        predicted = predict(unet, seen, step, text)
        if guided:
            towards, away = predicted.chunk(2)
            predicted = rescale_guidance(away + guidance * (towards - away), towards)
        clean = estimate_clean(config, scheduler, predicted, latents, step)
        latents = scheduler.step(predicted, step, latents).prev_sample
        yield Drawing(number + 1, steps, latents, clean)


def rescale_guidance(guided: Tensor, cond: Tensor) -> Tensor:
    """Rescale guided predictions (B, C_z, h, w) to the spread of unguided ones (arXiv 2305.08891, section 3.4)."""
    spread = cond.std(dim=(1, 2, 3), keepdim=True) / guided.std(dim=(1, 2, 3), keepdim=True)
    return guided * (RESCALE * spread + 1 - RESCALE)


def check_steps(steps: int, config: DiffusionConfig) -> None:
    """Raise ValueError unless there are 1 to 1,000 steps, and no more than in training."""
    check_whole("num_inference_steps", steps, min(MAX_STEPS, config.train_steps))


def both(cond: TextFeatures, uncond: TextFeatures) -> TextFeatures:
    """Return the captions and, behind them, the empty caption as often: 2 B of them, padded to one length."""
    length = max(cond.words.shape[1], uncond.words.shape[1])
    first, second = padded(cond, length), padded(uncond, length)
    return TextFeatures(
        *(torch.cat([features, empty.expand_as(features)]) for features, empty in zip(first, second, strict=True))
    )


def padded(text: TextFeatures, length: int) -> TextFeatures:
    """Return the same captions with words and mask of a length."""
    more = length - text.words.shape[1]
    return text._replace(words=F.pad(text.words, (0, 0, 0, more)), mask=F.pad(text.mask, (0, more)))


def estimate_clean(config: DiffusionConfig, scheduler: Any, predicted: Tensor, latents: Tensor, step: Tensor) -> Tensor:
    """Return the clean latents as the UNet sees them at a step."""
    kept = scheduler.alphas_cumprod[int(step)].to(latents)
    if config.prediction == "v_prediction":
        return kept.sqrt() * latents - (1 - kept).sqrt() * predicted
    return (latents - (1 - kept).sqrt() * predicted) / kept.sqrt()
