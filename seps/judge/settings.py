"""How a judge is trained: the "training" section of a recipe, whose other keys are the judge's config."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from seps.checks import check_not_negative, check_positive, check_share, check_whole, read_fields
from seps.judge.config import JudgeConfig
from seps.runs.recipe import MAX_BATCH, MAX_EPOCHS, MAX_SEED, Check, check_settings, find_recipe, read_parts

RECIPES = "judge/recipes"  # in the package
CHECKS: dict[str, Check] = {
    "epochs": partial(check_whole, most=MAX_EPOCHS),
    "batch_size": partial(check_whole, most=MAX_BATCH),
    "spoilt_pictures": partial(check_whole, most=MAX_BATCH, least=0),
    "versions": partial(check_whole, most=MAX_BATCH),
    "seed": partial(check_whole, most=MAX_SEED, least=0),
    "learning_rate": check_positive,
    "clip": check_positive,
    "encoder_rate": check_not_negative,
    "weight_decay": check_not_negative,
    "quality_weight": check_not_negative,
    "consistency_weight": check_not_negative,
    "rank_weight": check_not_negative,
    "rank_margin": check_not_negative,
    "explanation_weight": check_not_negative,
    "spoilt_weight": check_not_negative,
    "spoilt_margin": check_not_negative,
    "base_decay": check_not_negative,
    "base_rate": check_not_negative,
    "consistency_rate": check_not_negative,
    "warmup": check_share,
}


@dataclass(frozen=True)
class JudgeSettings:
    """Everything that training needs to know beside the judge.

    Attributes:
        epochs, batch_size: passes over the training pictures, pictures a step.
        learning_rate: the largest, after warm-up; encoder_rate: of CLIP's parameters that learn, as a share of it.
        weight_decay: of AdamW.
        warmup: share of all steps over which the rate rises; from then on it falls as a cosine to 0.
        clip: largest norm of the gradient.
        quality_weight, consistency_weight: of the two squared errors.
        rank_weight: of the ranking loss on pairs of one prompt, for both scores; batches then hold whole prompts.
        rank_margin: by how much of the ratings' difference, at most, two scores must differ the same way.
        explanation_weight: of the rationales' loss, where the data have an `explanation_column`.
        spoilt_weight: of the ranking loss on spoilt copies, whose quality must lie below the picture's.
        spoilt_pictures: training pictures with two spoilt copies each, of blur, noise or JPEG blocks.
        spoilt_margin: how much quality must fall, at least, from strength 0 to 1.
        augment: random crops of 80 to 100% and mirror images.
        versions: with frozen encoders, how many versions of each picture are encoded, the picture itself the first.
        base_decay: with frozen encoders and above 0, the quality base starts as ridge regression of the ratings' logits
            on the embeddings, with this penalty; 0 starts at random.
        base_rate, consistency_rate: the learning rates of the quality base and of the consistency head, as shares.
        seed: of everything drawn.
    """

    epochs: int = 20
    batch_size: int = 32
    learning_rate: float = 1e-3
    encoder_rate: float = 1.0
    weight_decay: float = 1e-4
    warmup: float = 0.05
    clip: float = 1.0
    quality_weight: float = 0.5
    consistency_weight: float = 0.5
    rank_weight: float = 0.0
    rank_margin: float = 1.0
    explanation_weight: float = 0.1
    spoilt_weight: float = 0.0
    spoilt_pictures: int = 900
    spoilt_margin: float = 0.5
    augment: bool = True
    versions: int = 2
    base_decay: float = 0.0
    base_rate: float = 1.0
    consistency_rate: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_settings(self, CHECKS)
        if not (self.quality_weight or self.consistency_weight):
            raise ValueError("training.quality_weight and training.consistency_weight are 0: nothing would be learned.")

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in the recipe."""
        return asdict(self)


def read_recipe(name_or_path: str | Path) -> tuple[JudgeConfig, JudgeSettings]:
    """A recipe: a judge's config with a "training" section.

    Args:
        name_or_path: a JSON file, or the name of a recipe that comes with the package.

    Raises:
        ValueError: no such recipe, an unknown or missing key, a value that does not fit.
    """
    return read_parts(find_recipe(name_or_path, RECIPES), JudgeConfig.from_dict, read_settings)


def read_settings(section: Any) -> JudgeSettings:
    """Read a recipe's "training" section; errors as `read_recipe`."""
    return JudgeSettings(**read_fields("training", JudgeSettings, section, "training."))
