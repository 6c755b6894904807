"""Training settings: the "training" section of a recipe; the other keys are the model's config."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from seps.common.checks import check_ratio
from seps.common.elsewhere import NAMES
from seps.common.fields import CountOrZero, Fields, Fraction, NotNegative, Positive, Ratio, between, choice_of
from seps.models.config import ModelConfig, load_config
from seps.runs.lr_schedule import linear, multistep
from seps.runs.recipe import MAX_EPOCHS, BatchSize, Epochs, Seed, read_parts, recipe_files

RECIPES = "configs/recipes"  # in the package


def check_ratio_or_zero(name: str, ratio: float) -> None:
    """Raise ValueError unless 0 <= ratio <= 1."""
    if ratio != 0:
        check_ratio(name, ratio)


def check_rising(name: str, epochs: Sequence[int]) -> None:
    """Raise ValueError unless each of these is greater than the one before."""
    if any(later <= epoch for epoch, later in pairwise(epochs)):
        raise ValueError(f"{name} is {list(epochs)}, but each epoch must be greater than the one before.")


@dataclass(frozen=True)
class TrainSettings(Fields, section="training", elsewhere=NAMES["training_keys"]):
    """Training settings of a model; the defaults are the published ones.

    Attributes:
        epochs: passes over the training captions, after `pretrain_epochs`.
        batch_size: B, images and captions a step.
        loss: "triplet", equation (6), or "infonce", cross-entropy over the batch's similarities both ways.
        align_weight: weight of that loss; 0 trains only embeddings, without the network.
        align_ramp_epochs: epochs, after `pretrain_epochs`, over which that loss rises from 0 to its weight; 1 is the
            released code's `embedding_warmup_epochs` 0.
        margin: alpha of equation (6); temperature: initial one of InfoNCE.
        hard_after: epochs of all negatives before hardest-negative mining (triplet).
        ratio_weight: weight of L_ratio, equation (7), where decisions are drawn (Gumbel-Softmax).
        lambda_sparse, lambda_dense: weights of the two branches in equation (7).
        learning_rate: of heads and network; backbone_rate: of the backbones, as a share of it.
        heads_rate, network_rate: shares of heads and of the network without predictors of s^p, after pre-training.
        context_rate: of the image head's context, as a share of the heads'; 0 freezes.
        schedule: "multistep", times decay_rate at each of lr_schedules; "linear", down to 2% at the last step.
        lr_warmup_steps: steps over which the rates rise from 0.
        clip: largest norm of the gradient.
        frozen: freeze the backbones and cache their features once, next to the run.
        frozen_until: with frozen, the last part of the image backbone that stays so ("blocks.4"); "" keeps all of it.
        frozen_text_layers: with frozen, how many of the text encoder's layers stay so; -1 keeps all.
        mirrored: with frozen, take mirror images half of the time, except for captions that name left and right.
        augment: crop and flip images, mask, replace and delete words (not with cached features).
        dense: "own" trains with dense captions, "none" without; join_captions: join the image's others if missing.
        dense_share: share of the steps that see dense captions.
        similar_batches: above 0, batches hold similar images, with this much noise: harder negatives.
        captions_an_epoch, images_an_epoch: how many of each image's captions, and of the images, an epoch takes; 0 all.
        neighbours: above 0, batches of pixels are made of groups of so many similar captions: harder negatives.
        drawn_epochs: with Gumbel-Softmax, how many epochs after pre-training draw decisions; -1 all.
        pretrain_epochs: passes over the images that train only heads and backbones, before the network joins them.
        pretrain_captions: with cached features, how many of each image's captions a step of it takes; 0 all.
        pooled_weight: weight of InfoNCE on pooled embeddings; pooled_batch: its captions a step with cached features.
        grounding_weight, word_weight: weights of the losses of phrases and of their words against patches.
        map_weight: weight of the phrase loss on word maps, in steps without dense captions.
        significance_weight: with cached features, weight of the loss on s^p, equation (1): high on named objects.
        decision_weight: with cached features, weight of the loss on the decision of each phrase as a caption.
        blind_weight: weight of the loss on the spread of the caption-free score, (1 - 2 beta) s^p + 2 beta s^im.
        regions: regions of phrases in those losses (they need {split}_entities.jsonl): "boxes", or "masks" of scenes.
        aggregation_scale: the aggregation logits' scale at the start; above 1 tokens start as few patches.
        dev_images: how many images of dev, from the first, choose the best epoch; 0 takes all.
        bf16_backbones: run trained backbones in bfloat16 on a CPU too, if it is fast there.
        seed: of everything drawn.
    """

    epochs: Epochs = 30
    batch_size: BatchSize = 64
    loss: Annotated[str, choice_of("triplet", "infonce")] = "triplet"
    align_weight: NotNegative = 1.0
    align_ramp_epochs: Annotated[int, between(0, MAX_EPOCHS)] = 0
    margin: NotNegative = 0.2
    temperature: Positive = 0.05
    hard_after: CountOrZero = 1
    ratio_weight: NotNegative = 2.0
    lambda_sparse: NotNegative = 1.0
    lambda_dense: NotNegative = 1.0
    learning_rate: Positive = 2e-4
    backbone_rate: Fraction = 0.1
    heads_rate: NotNegative = 1.0
    context_rate: NotNegative = 1.0
    network_rate: NotNegative = 1.0
    weight_decay: NotNegative = 1e-4
    schedule: Annotated[str, choice_of("multistep", "linear")] = "multistep"
    lr_schedules: Annotated[tuple[Epochs, ...], check_rising] = (9, 15, 20, 25)
    decay_rate: Ratio = 0.3
    lr_warmup_steps: CountOrZero = 0
    clip: Positive = 2.0
    frozen: bool = False
    frozen_until: str = ""
    frozen_text_layers: Annotated[int, between(-1, 1_024)] = -1
    mirrored: bool = False
    augment: bool = True
    dense: Annotated[str, choice_of("none", "own")] = "own"
    join_captions: bool = False
    dense_share: Annotated[float, check_ratio_or_zero] = 1.0
    similar_batches: NotNegative = 0.0
    captions_an_epoch: CountOrZero = 0
    images_an_epoch: CountOrZero = 0
    neighbours: CountOrZero = 0
    drawn_epochs: Annotated[int, between(-1)] = -1
    pretrain_epochs: Annotated[int, between(0, MAX_EPOCHS)] = 0
    pretrain_batch: BatchSize = 64
    pretrain_rate: Positive = 1e-3
    pretrain_captions: CountOrZero = 0
    pooled_weight: NotNegative = 0.0
    pooled_batch: BatchSize = 512
    grounding_weight: NotNegative = 0.0
    map_weight: NotNegative = 0.0
    word_weight: NotNegative = 0.0
    significance_weight: NotNegative = 0.0
    decision_weight: NotNegative = 0.0
    blind_weight: NotNegative = 0.0
    regions: Annotated[str, choice_of("boxes", "masks")] = "boxes"
    aggregation_scale: Positive = 1.0
    dev_images: CountOrZero = 0
    bf16_backbones: bool = False
    seed: Seed = 0

    @property
    def phrase_weights(self) -> list[str]:
        """Return the nonzero keys of losses that read phrases and their regions."""
        keys = ("grounding_weight", "map_weight", "word_weight", "significance_weight", "decision_weight")
        return [key for key in keys if getattr(self, key)]

    def check(self) -> None:
        """Raise ValueError where settings that are each in their range contradict each other."""
        if self.dense == "own":
            check_ratio("training.dense_share", self.dense_share)
        if self.pretrain_epochs and not (self.pooled_weight or self.grounding_weight):
            raise ValueError(
                f"training.pretrain_epochs is {self.pretrain_epochs}, but pooled_weight and grounding_weight are 0: "
                "nothing would train the heads."
            )
        if not self.align_weight and not self.pooled_weight:
            raise ValueError("training.align_weight and training.pooled_weight are 0: nothing would be ranked.")
        if not self.align_weight and self.map_weight:
            raise ValueError(
                f"training.align_weight is 0, which leaves the network out, but map_weight is {self.map_weight:g}: "
                "word maps need the network, so set map_weight to 0."
            )
        for name in ("significance_weight", "decision_weight"):
            if getattr(self, name) and not (self.frozen and self.align_weight):
                raise ValueError(
                    f"training.{name} is for frozen backbones and teaches the network's s^p: set frozen to true and "
                    "align_weight above 0."
                )
        if self.blind_weight and not self.align_weight:
            raise ValueError("training.blind_weight teaches the network's s^p: set align_weight above 0.")
        if self.neighbours and (self.batch_size % self.neighbours or not self.captions_an_epoch):
            raise ValueError(
                f"training.neighbours is {self.neighbours}, but batch_size, {self.batch_size}, must be a multiple "
                "of it and captions_an_epoch above 0."
            )
        if self.similar_batches and not self.frozen:
            raise ValueError("training.similar_batches is for frozen backbones: set frozen to true.")
        if (self.frozen_until or self.frozen_text_layers >= 0 or self.mirrored) and not self.frozen:
            raise ValueError(
                "training.frozen_until, frozen_text_layers and mirrored are for frozen backbones: set frozen to true."
            )

    def rate_factor(self, epoch: int, step: int, count: int) -> float:
        """Return the learning rate of a step of the main training as a fraction of the largest, of `count` an epoch."""
        if self.schedule == "multistep":
            return multistep(epoch, step, self.lr_schedules, self.decay_rate, self.lr_warmup_steps)
        return linear(step, self.epochs * count, self.lr_warmup_steps)


def read_recipe(name_or_path: str | Path) -> tuple[ModelConfig, TrainSettings]:
    """Read a recipe, a model's config with an optional "training" section: a JSON file, or a name in the package."""
    path = recipe_files(RECIPES).get(str(name_or_path), Path(name_or_path))
    if not path.is_file():
        return load_config(name_or_path), TrainSettings()
    return read_parts(path, ModelConfig, TrainSettings)
