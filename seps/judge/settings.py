"""How a judge is trained: the "training" section of a recipe, whose other keys are the judge's config."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seps.checks import check_not_negative, check_positive, check_share, check_whole, read_fields
from seps.judge.config import JudgeConfig
from seps.recipes import names_in, read_parts

MOST_EPOCHS, MOST_BATCH, MOST_SEED = 100_000, 1_000_000, 2**32 - 1


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
        for name, least, most in (
            ("epochs", 1, MOST_EPOCHS),
            ("batch_size", 1, MOST_BATCH),
            ("spoilt_pictures", 0, MOST_BATCH),
            ("versions", 1, MOST_BATCH),
            ("seed", 0, MOST_SEED),
        ):
            check_whole(f"training.{name}", getattr(self, name), most, least)
        for name in ("learning_rate", "clip"):
            check_positive(f"training.{name}", getattr(self, name))
        for name in (
            "encoder_rate",
            "weight_decay",
            "quality_weight",
            "consistency_weight",
            "rank_weight",
            "rank_margin",
            "explanation_weight",
            "spoilt_weight",
            "spoilt_margin",
            "base_decay",
            "base_rate",
            "consistency_rate",
        ):
            check_not_negative(f"training.{name}", getattr(self, name))
        check_share("training.warmup", self.warmup)
        if not (self.quality_weight or self.consistency_weight):
            raise ValueError("training.quality_weight and training.consistency_weight are 0: nothing would be learned.")

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in the recipe."""
        return asdict(self)


def recipe_names() -> list[str]:
    """The recipes that come with the package, by name."""
    return names_in("judge")


def read_recipe(name_or_path: str | Path) -> tuple[JudgeConfig, JudgeSettings]:
    """A recipe: a judge's config with a "training" section.

    Args:
        name_or_path: a JSON file, or the name of a recipe that comes with the package.

    Raises:
        ValueError: no such recipe, an unknown or missing key, a value that does not fit.
    """
    path, values, section = read_parts("judge", name_or_path)
    try:
        settings = JudgeSettings(**read_fields("training", JudgeSettings, section, "training."))
        return JudgeConfig.from_dict(values), settings
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
