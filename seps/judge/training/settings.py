"""Judge training settings: the "training" section of a recipe; the other keys are the judge's config."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from seps.common.checks import read_json_file
from seps.common.elsewhere import NAMES
from seps.common.fields import Fields, Fraction, NotNegative, Positive, between
from seps.judge.config import JudgeConfig
from seps.runs.lr_schedule import cosine_with_warmup
from seps.runs.recipe import MAX_BATCH, BatchSize, Epochs, Seed, find_recipe, read_parts

RECIPES = "judge/recipes"  # in the package
UNFROZEN_RATE, MAX_ENCODER_RATE = 3e-5, 1e-4  # of encoders that learn: usual, and where they begin to forget


@dataclass(frozen=True)
class JudgeSettings(Fields, section="training", elsewhere=NAMES["judge_training_keys"]):
    """Training settings of a judge.

    Attributes:
        epochs, batch_size: passes over the training pictures, pictures a step.
        learning_rate: the largest, after warm-up; encoder_rate: of CLIP's parameters that learn, as a share of it.
        warmup: share of all steps over which the rate rises; from then on it falls as a cosine to 0.
        weight_decay: of AdamW; clip: largest norm of the gradient.
        quality_weight, consistency_weight: of the two squared errors.
        spoilt_weight: of the ranking loss on spoilt copies, which must score lower than the picture.
        spoilt_pictures: training pictures with two spoilt copies each, of blur, noise or JPEG blocks.
        spoilt_margin: how much quality must fall, at least, from strength 0 to 1.
        augment: random crops of 80 to 100% and mirror images.
        versions: with frozen encoders, how many versions of each picture are encoded, the picture itself the first.
        base_rate, consistency_rate: the learning rates of the quality base and of the consistency head, as shares.
    """

    epochs: Epochs = 20
    batch_size: BatchSize = 32
    learning_rate: Positive = 1e-3
    encoder_rate: NotNegative = 1.0
    weight_decay: NotNegative = 1e-4
    warmup: Fraction = 0.05
    clip: Positive = 1.0
    quality_weight: NotNegative = 0.5
    consistency_weight: NotNegative = 0.5
    spoilt_weight: NotNegative = 0.0
    spoilt_pictures: Annotated[int, between(0, MAX_BATCH)] = 900
    spoilt_margin: NotNegative = 0.5
    augment: bool = True
    versions: BatchSize = 2
    base_rate: NotNegative = 1.0
    consistency_rate: NotNegative = 1.0
    seed: Seed = 0

    def check(self) -> None:
        """Raise ValueError where nothing would be learned."""
        if not (self.quality_weight or self.consistency_weight):
            raise ValueError("training.quality_weight and training.consistency_weight are 0: nothing would be learned.")

    def rate_factor(self, step: int, total: int) -> float:
        """Compute the learning rate of a step, counted from 0 of all `total`, as a fraction of the largest."""
        return cosine_with_warmup(step, total, max(1, round(self.warmup * total)))


def read_recipe(name_or_path: str | Path) -> tuple[JudgeConfig, JudgeSettings]:
    """Return a recipe, a JSON file or the name of one of the package: a judge's config with a "training" section."""
    path = find_recipe(name_or_path, RECIPES)
    config, settings = read_parts(path, JudgeConfig, JudgeSettings)
    if config.encoder.freeze == "none" and "learning_rate" not in read_json_file(path).get("training", {}):
        settings = replace(settings, learning_rate=UNFROZEN_RATE)
    return config, settings


def rate_note(config: JudgeConfig, settings: JudgeSettings) -> str:
    """Say in a sentence where encoders that learn have a rate that makes them forget; "" where they have not."""
    rate = settings.learning_rate * settings.encoder_rate
    if config.encoder.freeze == "all" or rate <= MAX_ENCODER_RATE:
        return ""
    usual = f"{UNFROZEN_RATE:g}" if config.encoder.freeze == "none" else f"{UNFROZEN_RATE:g} to {MAX_ENCODER_RATE:g}"
    return (
        f"Encoders that learn forget at a learning rate of {rate:g}: usual with encoder.freeze "
        f"{config.encoder.freeze!r} is {usual}, so set training.learning_rate or training.encoder_rate lower."
    )
