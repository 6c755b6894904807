"""Generator training settings: the "training" section of a recipe; the other keys are the generator's config."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from seps.common.elsewhere import NAMES
from seps.common.fields import Fields, Fraction, NotNegative, Positive, between, choice_of
from seps.generator.config import GeneratorConfig
from seps.runs.lr_schedule import cosine_with_warmup
from seps.runs.recipe import MAX_EPOCHS, Epochs, Seed, find_recipe, read_parts

LOSSES = ("contrastive", "captions", "pixels", "diffusion", "teacher", "perceptual", "representation")
MAX_BATCH = 100_000
RECIPES = "generator/recipes"  # in the package


@dataclass(frozen=True)
class Stage(Fields, section="training.stages", elsewhere=NAMES["stage_keys"]):
    """A part of training.

    Attributes:
        losses: which of "contrastive", "captions", "pixels", "diffusion", "teacher", "perceptual" and "representation"
            (with "diffusion") are added up; parts that none of them reaches stay as they are.
        epochs: passes over the images; learning_rate: the largest; 0 for the recipe's.
        crop: side of the squares that the autoencoder sees, cut at random, in pixels; 0 for whole pictures.
        scaled_latents: share of steps in which the autoencoder decodes its latents, scaled down, to the picture, scaled
            down, which makes them smoother and easier to draw (EQ-VAE, arXiv 2502.09509, scaling only).
        freeze_text: freeze the text encoder; freeze_latents: freeze the autoencoder's encoder, so
            that only the decoder learns and a UNet of these latents still fits.
        bf16_cpu: run in bfloat16 on a CPU too, where it multiplies in bfloat16 at least as fast as in float32.
        batch_size: images a step, each with one of its captions; 0 for the recipe's.
        patience: epochs without a lower loss on dev after which the stage ends; 0 runs all of them. A stage always ends
            with the weights of its epoch of the lowest loss on dev.
        optimizer: "adamw", or "muon" (Jordan et al. 2024), which makes each matrix's step orthogonal, scaled so that
            AdamW's rates suit it (arXiv 2502.16982); what is no matrix learns by AdamW all the same.
    """

    losses: tuple[Annotated[str, choice_of(*LOSSES)], ...] = LOSSES[:4]
    epochs: Epochs = 15
    learning_rate: NotNegative = 0.0
    crop: Annotated[int, between(0, 4096)] = 0
    scaled_latents: Fraction = 0.0
    freeze_text: bool = False
    freeze_latents: bool = False
    bf16_cpu: bool = False
    batch_size: Annotated[int, between(0, MAX_BATCH)] = 0
    patience: Annotated[int, between(0, MAX_EPOCHS)] = 0
    optimizer: Annotated[str, choice_of("adamw", "muon")] = "adamw"

    def check(self) -> None:
        """Raise ValueError for no losses, one without the one it needs, or a crop that latents do not cover."""
        if not self.losses:
            raise ValueError("training.stages has a stage without losses: name some.")
        if "representation" in self.losses and "diffusion" not in self.losses:
            raise ValueError('training.stages has "representation", which needs "diffusion" too: add it.')
        if self.crop % 8:
            raise ValueError(f"training.stages.crop is {self.crop}, but a multiple of 8 is needed, or 0.")


@dataclass(frozen=True)
class GeneratorSettings(Fields, section="training", elsewhere=NAMES["generator_training_keys"]):
    """Training settings of a generator.

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
        average: decay of the running average of the UNet's weights, which is saved; 0 saves the last weights.
        teacher: a SEPS model (`load_model`) that gives the patch embeddings for the loss "teacher".
        text_start: a SEPS model (`load_model`) that provides the text encoder; "" starts as the config says.
        label_smoothing: share of each caption token's target that is spread over the vocabulary, in training.
        mirrored, crops: for the loss "captions" on a frozen image encoder, each picture is seen as is, as its mirror
            image and as so many crops of 60 to 100% of its area, one of these at random a pass.
        held_back: images of train that are used as dev instead of the dev split; 0 for none.
        dev_images: of the dev split, on which losses are measured; 0 for all.
        bf16: mixed precision on a GPU.
        seed: of everything drawn.
    """

    stages: tuple[Stage, ...] = (Stage(),)
    batch_size: Annotated[int, between(2, MAX_BATCH)] = 64
    learning_rate: Positive = 2e-4
    lr_warmup_epochs: NotNegative = 2.0
    weight_decay: NotNegative = 0.01
    clip: Positive = 1.0
    contrastive_weight: NotNegative = 1.0
    reconstruction_weight: NotNegative = 0.5
    diffusion_weight: NotNegative = 0.1
    teacher_weight: NotNegative = 1.0
    perceptual_weight: NotNegative = 0.5
    representation_weight: NotNegative = 0.5
    object_weight: NotNegative = 1.0
    caption_dropout: Fraction = 0.1
    average: Fraction = 0.999
    text_start: str = ""
    teacher: str = ""
    label_smoothing: Fraction = 0.0
    mirrored: bool = False
    crops: Annotated[int, between(0, 100)] = 0
    held_back: Annotated[int, between(0)] = 0
    dev_images: Annotated[int, between(0)] = 0
    bf16: bool = True
    seed: Seed = 0

    def check(self) -> None:
        """Raise ValueError for no stages, or the loss "teacher" without a teacher."""
        if not self.stages:
            raise ValueError("training.stages is empty: give at least one stage.")
        if not self.teacher and any("teacher" in stage.losses for stage in self.stages):
            raise ValueError('training.stages has the loss "teacher": name a SEPS model as training.teacher.')

    def weight(self, loss: str) -> float:
        """Return a loss's weight."""
        key = "reconstruction" if loss in ("captions", "pixels") else loss
        weight: float = getattr(self, f"{key}_weight")
        return weight

    def rate_factor(self, epochs: int, step: int, steps: int) -> float:
        """Compute the learning rate of a step of a stage, counted from 0, as a fraction of the stage's largest."""
        warmup_steps = max(1, round(min(self.lr_warmup_epochs, epochs) * steps))
        return cosine_with_warmup(step, epochs * steps, warmup_steps)

    def batch(self, stage: Stage) -> int:
        """Images a step of a stage."""
        return stage.batch_size or self.batch_size


def read_recipe(name_or_path: str | Path) -> tuple[GeneratorConfig, GeneratorSettings]:
    """Return a recipe, a JSON file or the name of one of the package: a generator's config with "training"."""
    return read_parts(find_recipe(name_or_path, RECIPES), GeneratorConfig, GeneratorSettings)
