"""How a generator is trained: the "training" section of a recipe, whose other keys are the generator's config."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from seps.checks import (
    check_choice,
    check_not_negative,
    check_positive,
    check_share,
    check_type,
    check_whole,
    read_fields,
)
from seps.generator.config import GeneratorConfig
from seps.runs.recipe import MAX_EPOCHS, MAX_SEED, Check, check_settings, find_recipe, read_parts

OPTIMIZERS = ("adamw", "muon")
LOSSES = ("contrastive", "captions", "pixels", "diffusion", "teacher", "perceptual", "representation")
MAX_BATCH = 100_000
RECIPES = "generator/recipes"  # in the package
CHECKS: dict[str, Check] = {
    "batch_size": partial(check_whole, most=MAX_BATCH, least=2),
    "seed": partial(check_whole, most=MAX_SEED, least=0),
    "dev_images": partial(check_whole, least=0),
    "learning_rate": check_positive,
    "clip": check_positive,
    "lr_warmup_epochs": check_not_negative,
    "weight_decay": check_not_negative,
    "contrastive_weight": check_not_negative,
    "reconstruction_weight": check_not_negative,
    "diffusion_weight": check_not_negative,
    "teacher_weight": check_not_negative,
    "perceptual_weight": check_not_negative,
    "representation_weight": check_not_negative,
    "object_weight": check_not_negative,
    "caption_dropout": check_share,
    "average": check_share,
}


@dataclass(frozen=True)
class Stage:
    """A part of training.

    Attributes:
        losses: which of "contrastive", "captions", "pixels", "diffusion", "teacher", "perceptual" and "representation"
            (with "diffusion") are added up; parts that none of them reaches stay as they are.
        epochs: passes over the images; learning_rate: the largest; 0 for the recipe's.
        crop: side of the squares that the autoencoder sees, cut at random, in pixels; 0 for whole pictures.
        scaled_latents: share of steps in which the autoencoder decodes its latents, scaled down, to the picture, scaled
            down, which makes them smoother and easier to draw (EQ-VAE, arXiv 2502.09509, scaling alone).
        freeze_text: leave the text encoder as it is.
        bf16_cpu: run in bfloat16 on a CPU too, where it multiplies in bfloat16 at least as fast as in float32.
        batch_size: images a step, each with one of its captions; 0 for the recipe's.
        optimizer: "adamw", or "muon" (Jordan et al. 2024), which makes each matrix's step orthogonal, scaled so that
            AdamW's rates suit it (arXiv 2502.16982); what is no matrix learns by AdamW all the same.
    """

    losses: tuple[str, ...] = LOSSES[:4]
    epochs: int = 15
    learning_rate: float = 0.0
    crop: int = 0
    scaled_latents: float = 0.0
    freeze_text: bool = False
    bf16_cpu: bool = False
    batch_size: int = 0
    optimizer: str = "adamw"

    def __post_init__(self) -> None:
        object.__setattr__(self, "losses", tuple(self.losses))
        if not self.losses:
            raise ValueError("training.stages has a stage without losses: name some.")
        for name in self.losses:
            check_choice("training.stages.losses", name, LOSSES)
        if "representation" in self.losses and "diffusion" not in self.losses:
            raise ValueError('training.stages has "representation", which needs "diffusion" beside it: add it.')
        check_whole("training.stages.epochs", self.epochs, MAX_EPOCHS)
        check_not_negative("training.stages.learning_rate", self.learning_rate)
        check_whole("training.stages.crop", self.crop, 4096, least=0)
        check_share("training.stages.scaled_latents", self.scaled_latents)
        check_whole("training.stages.batch_size", self.batch_size, MAX_BATCH, least=0)
        check_choice("training.stages.optimizer", self.optimizer, OPTIMIZERS)
        if self.crop % 8:
            raise ValueError(f"training.stages.crop is {self.crop}, but a multiple of 8 is needed, or 0.")


@dataclass(frozen=True)
class GeneratorSettings:
    """Everything that training needs to know beside the generator.

    Attributes:
        stages: one after another.
        batch_size: images a step, each with one of its captions; learning_rate: the largest; a stage may have its own.
        lr_warmup_epochs: of each stage, over which the rate rises; from then on it falls as a cosine to 0.
        weight_decay: of AdamW; clip: largest norm of the gradient.
        contrastive_weight, reconstruction_weight (of captions and of pixels), diffusion_weight, teacher_weight,
            perceptual_weight, representation_weight: of the losses.
        object_weight: how many times as much places on objects count in diffusion as others; above 1 it needs the
            splits' {split}_scenes.jsonl.
        caption_dropout: share of captions that diffusion sees as empty, for guidance.
        average: decay of the running average of the UNet's weights, which is what is kept; 0 keeps the last.
        teacher: a SEPS model (`load_model`) whose patch embeddings the loss "teacher" has the image encoder predict.
        text_start: a SEPS model (`load_model`) whose text encoder is taken over; "" starts as the config says.
        dev_images: of the dev split, on which losses are measured; 0 for all.
        bf16: mixed precision on a GPU.
        seed: of everything drawn.
    """

    stages: tuple[Stage, ...] = (Stage(),)
    batch_size: int = 64
    learning_rate: float = 2e-4
    lr_warmup_epochs: float = 2.0
    weight_decay: float = 0.01
    clip: float = 1.0
    contrastive_weight: float = 1.0
    reconstruction_weight: float = 0.5
    diffusion_weight: float = 0.1
    teacher_weight: float = 1.0
    perceptual_weight: float = 0.5
    representation_weight: float = 0.5
    object_weight: float = 1.0
    caption_dropout: float = 0.1
    average: float = 0.999
    text_start: str = ""
    teacher: str = ""
    dev_images: int = 0
    bf16: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages:
            raise ValueError("training.stages is empty: give at least one stage.")
        if not self.teacher and any("teacher" in stage.losses for stage in self.stages):
            raise ValueError('training.stages has the loss "teacher": name a SEPS model as training.teacher.')
        check_settings(self, CHECKS)

    def weight(self, loss: str) -> float:
        """What a loss is multiplied by."""
        return {
            "contrastive": self.contrastive_weight,
            "captions": self.reconstruction_weight,
            "pixels": self.reconstruction_weight,
            "diffusion": self.diffusion_weight,
            "teacher": self.teacher_weight,
            "perceptual": self.perceptual_weight,
            "representation": self.representation_weight,
        }[loss]

    def batch(self, stage: Stage) -> int:
        """Images a step of a stage."""
        return stage.batch_size or self.batch_size

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in the recipe."""
        return asdict(self)


def read_recipe(name_or_path: str | Path) -> tuple[GeneratorConfig, GeneratorSettings]:
    """A recipe: a generator's config with a "training" section.

    Args:
        name_or_path: a JSON file, or the name of a recipe that comes with the package.

    Raises:
        ValueError: no such recipe, an unknown key, a value that does not fit.
    """
    return read_parts(find_recipe(name_or_path, RECIPES), GeneratorConfig.from_dict, read_settings)


def read_settings(section: Any) -> GeneratorSettings:
    """The settings of a recipe's "training" section."""
    options = read_fields("training", GeneratorSettings, section, "training.")
    if "stages" in options:
        check_type("training.stages", options["stages"], list)
        options["stages"] = tuple(
            Stage(**read_fields("training.stages", Stage, stage, "training.stages.")) for stage in options["stages"]
        )
    return GeneratorSettings(**options)
