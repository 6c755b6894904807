"""How a model is trained: the "training" section of a recipe, whose other keys are the model's config."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from seps.checks import (
    check_choice,
    check_not_negative,
    check_positive,
    check_ratio,
    check_share,
    check_whole,
    read_fields,
)
from seps.models.config import ModelConfig, load_config
from seps.runs.recipe import MAX_BATCH, MAX_EPOCHS, MAX_SEED, Check, check_settings, read_parts, recipe_files

LOSSES = ("triplet", "infonce")
RATIO_WEIGHTS = ("fixed", "adaptive")
SCHEDULES = ("multistep", "linear")
DENSE = ("none", "own")
REGIONS = ("boxes", "masks")
RECIPES = "configs/recipes"  # in the package
FORMER_NAMES = {  # recipes that people have keep working
    "warm_steps": "lr_warmup_steps",
    "warmup_epochs": "pretrain_epochs",
    "warmup_batch": "pretrain_batch",
    "warmup_rate": "pretrain_rate",
}


def check_ratio_or_zero(name: str, ratio: float) -> None:
    """Raise ValueError unless 0 <= ratio <= 1."""
    if ratio != 0:
        check_ratio(name, ratio)


def check_epochs(name: str, epochs: Sequence[int]) -> None:
    """Raise ValueError unless these are whole numbers of at least 1, each greater than the one before."""
    for epoch in epochs:
        check_whole(name, epoch, MAX_EPOCHS)
    if any(later <= epoch for epoch, later in pairwise(epochs)):
        raise ValueError(f"{name} is {list(epochs)}, but each epoch must be greater than the one before.")


CHECKS: dict[str, Check] = {  # in this order; types are checked where a recipe is read
    "epochs": partial(check_whole, most=MAX_EPOCHS),
    "pretrain_epochs": partial(check_whole, most=MAX_EPOCHS, least=0),
    "batch_size": partial(check_whole, most=MAX_BATCH),
    "pooled_batch": partial(check_whole, most=MAX_BATCH),
    "pretrain_batch": partial(check_whole, most=MAX_BATCH),
    "seed": partial(check_whole, most=MAX_SEED, least=0),
    "align_ramp_epochs": partial(check_whole, most=MAX_EPOCHS, least=0),
    "temperature": check_positive,
    "learning_rate": check_positive,
    "pretrain_rate": check_positive,
    "clip": check_positive,
    "aggregation_scale": check_positive,
    "hard_after": check_not_negative,
    "align_weight": check_not_negative,
    "lr_warmup_steps": check_not_negative,
    "ratio_weight": check_not_negative,
    "lambda_sparse": check_not_negative,
    "lambda_dense": check_not_negative,
    "weight_decay": check_not_negative,
    "pooled_weight": check_not_negative,
    "grounding_weight": check_not_negative,
    "map_weight": check_not_negative,
    "word_weight": check_not_negative,
    "significance_weight": check_not_negative,
    "decision_weight": check_not_negative,
    "blind_weight": check_not_negative,
    "heads_rate": check_not_negative,
    "context_rate": check_not_negative,
    "network_rate": check_not_negative,
    "similar_batches": check_not_negative,
    "captions_an_epoch": check_not_negative,
    "pretrain_captions": check_not_negative,
    "images_an_epoch": check_not_negative,
    "neighbours": check_not_negative,
    "class_names": partial(check_whole, most=1_000, least=0),
    "phrases_an_image": partial(check_whole, most=1_000),
    "dev_images": check_not_negative,
    "frozen_text_layers": partial(check_whole, most=1_024, least=-1),
    "loss": partial(check_choice, choices=LOSSES),
    "ratio_schedule": partial(check_choice, choices=RATIO_WEIGHTS),
    "schedule": partial(check_choice, choices=SCHEDULES),
    "dense": partial(check_choice, choices=DENSE),
    "regions": partial(check_choice, choices=REGIONS),
    "backbone_rate": check_share,
    "target_ratio": check_ratio_or_zero,
    "lr_schedules": check_epochs,
    "decay_rate": check_ratio,
}


@dataclass(frozen=True)
class TrainSettings:
    """Everything that training needs to know beside the model; the defaults are the published ones.

    Attributes:
        epochs: passes over the training captions, after `pretrain_epochs`.
        batch_size: B, images and captions a step.
        loss: "triplet", equation (6), or "infonce", cross-entropy over the batch's similarities both ways.
        margin: alpha of equation (6).
        align_ramp_epochs: epochs, after `pretrain_epochs`, over which that loss rises from 0 to its weight, step by
            step; the released code's default, `embedding_warmup_epochs` 0, is 1 here.
        align_weight: weight of that loss; 0 trains embeddings alone, without the network: dev is ranked by pooled ones.
        temperature: what InfoNCE divides similarities by at the start; it is learned.
        hard_after: epochs of all negatives before hardest-negative mining (triplet).
        ratio_weight: weight of L_ratio, equation (7), which counts where decisions are drawn (Gumbel-Softmax).
        ratio_schedule: "fixed", or "adaptive": after each epoch chosen anew, twice ratio_weight while the kept ratio
            is more than 0.1 off its target, half of it where less than 0.02, else ratio_weight itself.
        target_ratio: rho of equation (7), the kept ratio that L_ratio aims at, in (0, 1]; 0 takes the network's
            sparse_ratio, as the released code does.
        lambda_sparse, lambda_dense: weights of the two branches in equation (7); the released variant, whose masks are
            one tensor, has none.
        learning_rate: of heads and network; backbone_rate: of the backbones, as a share of it.
        heads_rate: of the projection heads after pre-training, as a share of it, and so of what learns along of frozen
            backbones.
        context_rate: of the image head's context after pre-training, as a share of the heads': what a whole image tells
            its patches; 0 keeps it, as the start has it.
        network_rate: of the network's parts other than the predictors of s^p after pre-training, as a share of it; 0
            keeps them, so that the decision alone learns.
        weight_decay: of AdamW.
        schedule: "multistep", times decay_rate at each of the epochs lr_schedules, counted from 0; "linear", down to 2%
            at the last step.
        lr_schedules: those epochs, rising; decay_rate: in (0, 1].
        lr_warmup_steps: steps over which the rates rise from 0.
        clip: largest norm of the gradient.
        frozen: keep the backbones as they are and cache their features, once, beside the data's run.
        frozen_until: with frozen, the last part of the image backbone that stays so ("blocks.4" of a timm
            EfficientNet): the parts after it learn along, on its cached maps, their batch normalisations' statistics
            left alone; "" keeps all of it.
        frozen_text_layers: with frozen, how many of the text encoder's layers stay so, the later ones learning along;
            -1 keeps all.
        mirrored: with frozen, cache the features of the images' mirror images too, and take these half of the time, but
            for captions that tell left from right.
        augment: crop and flip images, mask, replace and delete words (not with cached features).
        dense: "own" trains with dense captions, "none" without.
        join_captions: with "own" and data without dense captions, take each image's other captions, joined, instead.
        dense_share: share of the steps that see dense captions.
        similar_batches: 0 shuffles; above 0, batches hold images alike in a random direction of the pooled embedding,
            with this much noise: harder negatives in a small batch.
        captions_an_epoch: how many of each image's captions, drawn anew, an epoch with similar_batches or with pixels
            takes; 0 all.
        images_an_epoch: with pixels and captions_an_epoch, how many images, drawn anew, an epoch takes; 0 all.
        neighbours: 0 shuffles; above 0, with captions_an_epoch, batches of pixels are made of groups of so many
            captions that are alike: harder negatives; batch_size is a multiple of it.
        drawn_epochs: with Gumbel-Softmax, how many epochs after pre-training draw decisions, later ones take the top k;
            -1 draws in all.
        pretrain_epochs: passes over the images that train heads and backbones (heads alone where these are frozen) by
            the two losses below, before the network joins them; pretrain_batch: images a step of it; pretrain_rate: its
            learning rate, falling linearly.
        pretrain_captions: with cached features, how many of each image's captions, drawn anew of those that have
            phrases, a step of it takes; 0 all.
        pooled_weight: weight of InfoNCE on pooled embeddings (mean patch against mean word).
        pooled_batch: captions a step of it with cached features; with pixels it takes the batch's own.
        class_names: with cached features, how many of ImageNet's classes, drawn anew each step, join that loss: the
            image encoder's classifier gives a prototype of each, its name the caption.
        grounding_weight: weight of the phrase losses: a phrase's words against the patches of its image, inside
            its boxes against outside, and phrases against regions over the batch; needs {split}_entities.jsonl.
        map_weight: weight of the phrase loss on word maps, which reaches aggregation and s^p too; it counts in steps
            without dense captions and needs {split}_entities.jsonl.
        word_weight: weight of the phrase loss of each word by itself: its patches inside the boxes against outside;
            needs {split}_entities.jsonl.
        significance_weight: with cached features, weight of the loss on s^p, equation (1): high on what any of the
            image's captions names, low elsewhere; the phrase loss on word maps then leaves s^p to it. Needs
            {split}_entities.jsonl.
        decision_weight: with cached features, weight of the loss on the decision: each phrase, as a caption of its own,
            keeps what it names and drops what the image's other phrases name; the phrase loss on word maps then leaves
            s^p to it. Needs {split}_entities.jsonl.
        blind_weight: weight of the loss on the spread within an image of what of the score knows no caption,
            (1 - 2 beta) s^p + 2 beta s^im.
        phrases_an_image: with decision_weight, how many phrases of each image a step takes.
        regions: what those losses take as a phrase's region: its "boxes", or the "masks" of what it names, which scenes
            have ({split}_scenes.jsonl).
        aggregation_scale: the aggregation logits' scale at the start; above 1 tokens start as few patches.
        dev_images: how many images of dev, from the first, choose the best epoch; 0 takes all.
        bf16_backbones: run trained backbones in bfloat16 on a CPU too, where it multiplies in bfloat16 at least as fast
            as in float32; it about halves the time there.
        seed: of everything drawn.
    """

    epochs: int = 30
    batch_size: int = 64
    loss: str = "triplet"
    align_weight: float = 1.0
    align_ramp_epochs: int = 0
    margin: float = 0.2
    temperature: float = 0.05
    hard_after: int = 1
    ratio_weight: float = 2.0
    ratio_schedule: str = "fixed"
    target_ratio: float = 0.0
    lambda_sparse: float = 1.0
    lambda_dense: float = 1.0
    learning_rate: float = 2e-4
    backbone_rate: float = 0.1
    heads_rate: float = 1.0
    context_rate: float = 1.0
    network_rate: float = 1.0
    weight_decay: float = 1e-4
    schedule: str = "multistep"
    lr_schedules: tuple[int, ...] = (9, 15, 20, 25)
    decay_rate: float = 0.3
    lr_warmup_steps: int = 0
    clip: float = 2.0
    frozen: bool = False
    frozen_until: str = ""
    frozen_text_layers: int = -1
    mirrored: bool = False
    augment: bool = True
    dense: str = "own"
    join_captions: bool = False
    dense_share: float = 1.0
    similar_batches: float = 0.0
    captions_an_epoch: int = 0
    images_an_epoch: int = 0
    neighbours: int = 0
    drawn_epochs: int = -1
    pretrain_epochs: int = 0
    pretrain_batch: int = 64
    pretrain_rate: float = 1e-3
    pretrain_captions: int = 0
    pooled_weight: float = 0.0
    pooled_batch: int = 512
    class_names: int = 0
    grounding_weight: float = 0.0
    map_weight: float = 0.0
    word_weight: float = 0.0
    significance_weight: float = 0.0
    decision_weight: float = 0.0
    blind_weight: float = 0.0
    phrases_an_image: int = 3
    regions: str = "boxes"
    aggregation_scale: float = 1.0
    dev_images: int = 0
    bf16_backbones: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_settings(self, CHECKS)
        if self.dense == "own":
            check_ratio("training.dense_share", self.dense_share)
        object.__setattr__(self, "lr_schedules", tuple(self.lr_schedules))
        check_together(self)

    @property
    def wants_phrases(self) -> bool:
        """Whether any of the losses reads phrases and where they are."""
        weights = (self.grounding_weight, self.map_weight, self.word_weight)
        return any((*weights, self.significance_weight, self.decision_weight))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as in the recipe."""
        return asdict(self)


def check_together(settings: TrainSettings) -> None:
    """Raise ValueError where settings that are each in their range contradict each other."""
    if settings.pretrain_epochs and not (settings.pooled_weight or settings.grounding_weight):
        raise ValueError(
            f"training.pretrain_epochs is {settings.pretrain_epochs}, but pooled_weight and grounding_weight are 0: "
            "nothing would train the heads."
        )
    if not settings.align_weight and not settings.pooled_weight:
        raise ValueError("training.align_weight and training.pooled_weight are 0: nothing would be ranked.")
    if not settings.align_weight and settings.map_weight:
        raise ValueError(
            f"training.align_weight is 0, which leaves the network out, but map_weight is {settings.map_weight:g}: "
            "word maps need the network, so set map_weight to 0."
        )
    for name in ("significance_weight", "decision_weight"):
        if getattr(settings, name) and not (settings.frozen and settings.align_weight):
            raise ValueError(
                f"training.{name} is for frozen backbones and teaches the network's s^p: set frozen to true and "
                "align_weight above 0."
            )
    if settings.blind_weight and not settings.align_weight:
        raise ValueError("training.blind_weight teaches the network's s^p: set align_weight above 0.")
    if settings.neighbours and (settings.batch_size % settings.neighbours or not settings.captions_an_epoch):
        raise ValueError(
            f"training.neighbours is {settings.neighbours}, but batch_size, {settings.batch_size}, must be a multiple "
            "of it and captions_an_epoch above 0."
        )
    if settings.similar_batches and not settings.frozen:
        raise ValueError("training.similar_batches is for frozen backbones: set frozen to true.")
    if settings.class_names and not (settings.frozen and settings.pooled_weight):
        raise ValueError(
            "training.class_names is for frozen backbones and adds to the pooled loss: set frozen to true and "
            "pooled_weight above 0."
        )
    if (settings.frozen_until or settings.frozen_text_layers >= 0 or settings.mirrored) and not settings.frozen:
        raise ValueError(
            "training.frozen_until, frozen_text_layers and mirrored are for frozen backbones: set frozen to true."
        )


def with_new_names(section: dict[str, Any]) -> dict[str, Any]:
    """Rename the former keys of a "training" section to those of today.

    Raises:
        ValueError: a key stands there under both names.
    """
    for old, new in FORMER_NAMES.items():
        if old in section and new in section:
            raise ValueError(f"training.{old} is the former name of training.{new}: leave one of them out.")
    return {FORMER_NAMES.get(name, name): value for name, value in section.items()}


def read_recipe(name_or_path: str | Path) -> tuple[ModelConfig, TrainSettings]:
    """Read a recipe: a model's config with a "training" section; a config without one trains by the defaults.

    Args:
        name_or_path: a JSON file, or the name of a recipe or a config that comes with the package.

    Raises:
        ValueError: no such recipe, an unknown or missing key, a value that does not fit.
    """
    path = recipe_files(RECIPES).get(str(name_or_path), Path(name_or_path))
    if not path.is_file():
        return load_config(name_or_path), TrainSettings()
    return read_parts(path, ModelConfig.from_dict, read_settings)


def read_settings(section: Any) -> TrainSettings:
    """Read a recipe's "training" section; errors as `read_recipe`."""
    values = with_new_names(section) if isinstance(section, dict) else section
    return TrainSettings(**read_fields("training", TrainSettings, values, "training."))
