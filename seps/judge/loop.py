"""Train a judge: `python -m seps.judge train RECIPE --data DATA --out RUN [--resume]`.

With frozen encoders features are computed once and the heads learn from them; otherwise each step encodes its
pictures. RUN receives `model/` (the last epoch) and `best/` (the one of the highest mean SROCC on dev, which flatters
that measurement: say which you took), `checkpoint/`, `metrics.csv`,
`tensorboard/`, `loss.png`, `agreement.png`, `loss_curves.png` and `recipe.json`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Annotated, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from seps.checks import check_whole, usable_device
from seps.data import open_image
from seps.fields import Fields, between
from seps.files import write_json
from seps.judge.config import SCORES, JudgeConfig
from seps.judge.copies import crop_randomly
from seps.judge.curves import CURVES
from seps.judge.data import Ratings, rating_notes, read_ratings
from seps.judge.encoders import PictureFeatures, to_pixels
from seps.judge.features import SplitFeatures, split_features
from seps.judge.judge import Judge
from seps.judge.network import Predictions
from seps.judge.report import epoch_report, epoch_row, training_plan
from seps.judge.settings import JudgeSettings, rate_note, read_recipe
from seps.models.model import evaluating
from seps.runs.checkpoint import NUMBERS, load_checkpoint, read_state, save_checkpoint
from seps.runs.lr_schedule import FINE, set_learning_rate
from seps.runs.lr_schedule import length_note as note_on_length
from seps.runs.recipe import first_settings, write_recipe
from seps.runs.run_folder import BEST, BEST_EPOCH, FOLDER, check_no_run
from seps.runs.run_log import DrawTimer, StepLog, forget_after, read_epochs, write_epoch

MAX_SPOILT = 32  # pictures, each with its two spoilt copies
TINY = 1e-4  # ratings of 0 and 1 have no logit


@dataclass(frozen=True)
class RunState(Fields, section="the state"):
    """State of a run, saved next to its tensors: epochs done."""

    epoch: Annotated[int, between(0)]


class Batch(NamedTuple):
    """B rated pictures: rows (B,) of the split, features, prompts (B, d), rationales (B, d) or None."""

    rows: Tensor
    pictures: PictureFeatures
    text: Tensor
    explanations: Tensor | None


class Step(nn.Module):
    """A judge in training, with its losses."""

    def __init__(self, judge: Judge, settings: JudgeSettings) -> None:
        super().__init__()
        self.judge = judge
        self.settings = settings
        width = judge.encoders.width
        self.explain = nn.Linear(2 * width, width) if judge.config.data.explanation_column else None

    def forward(self, batch: Batch, rated: Tensor, prompts: Tensor, spoilt: tuple[Tensor, Tensor] | None) -> Tensor:
        """Return the loss of a step.

        Args:
            batch: B pictures; rated: (B, 2), quality and consistency in [0, 1]; prompts: (B,), their numbers.
            spoilt: quality features (m, 3, quality_width) of pictures and their two copies, and strengths (m, 3).
        """
        settings = self.settings
        quality, consistency = self.judge.network(batch.pictures.quality, batch.pictures.image, batch.text)
        loss = settings.quality_weight * F.mse_loss(quality.final, rated[:, 0])
        loss = loss + settings.consistency_weight * F.mse_loss(consistency.final, rated[:, 1])
        if settings.rank_weight:
            for scores, target in ((quality.final, rated[:, 0]), (consistency.final, rated[:, 1])):
                loss = loss + settings.rank_weight * ranking_loss(scores, target, prompts, settings.rank_margin)
        if spoilt is not None:
            loss = loss + settings.spoilt_weight * self.compute_spoilt_loss(*spoilt)
        if self.explain is not None and batch.explanations is not None:
            predicted = self.explain(torch.cat([batch.pictures.image, batch.text], dim=-1))  # (B, d)
            loss = loss + settings.explanation_weight * explanation_loss(predicted, batch.explanations)
        return loss

    def compute_spoilt_loss(self, features: Tensor, strengths: Tensor) -> Tensor:
        """Return by how much base and score of a copy exceed the milder copy's, minus a margin."""
        corrected = self.judge.network.quality(features.flatten(0, 1))
        loss = features.new_zeros(())
        for scores in (corrected.base.view_as(strengths), corrected.final.view_as(strengths)):  # (m, 3)
            drop = scores[:, :-1] - scores[:, 1:]  # (m, 2)
            margin = self.settings.spoilt_margin * strengths.diff(dim=1)  # (m, 2)
            loss = loss + F.relu(margin - drop).mean()
        return loss


def ranking_loss(scores: Tensor, rated: Tensor, groups: Tensor, margin: float) -> Tensor:
    """Return the mean distance of pairs of one prompt from the order of their ratings.

    Args:
        scores, rated: (B,); groups: (B,), numbers of the prompts.
        margin: multiple of the ratings' difference by which scores must differ.
    """
    apart = rated[:, None] - rated[None, :]  # (B, B)
    pairs = (groups[:, None] == groups[None, :]) & (apart > 0)
    if not bool(pairs.any()):
        return scores.new_zeros(())
    difference = scores[:, None] - scores[None, :]
    return F.relu(margin * apart - difference)[pairs].mean()


def explanation_loss(predicted: Tensor, explanations: Tensor) -> Tensor:
    """1 - cosine of predicted and true embeddings of rationales, both (B, d), the mean; rows without one are zero."""
    present = explanations.norm(dim=-1) > 0  # (B,)
    if not bool(present.any()):
        return predicted.new_zeros(())
    return (1 - F.cosine_similarity(predicted[present], explanations[present], dim=-1)).mean()


def train(
    config: JudgeConfig,
    settings: JudgeSettings,
    data: Path,
    out: Path,
    resume: bool = False,
    cache: Path | None = None,
    judge: Judge | None = None,
) -> Judge:
    """Train a judge from a recipe.

    Args:
        data: folder with `ratings.csv`, with the splits train and dev, and `images/`.
        out: folder of the run; resume: continue from its checkpoint.
        cache: folder of frozen features; default: `out/features`.
        judge: with loaded encoders; default: built from the config, on a GPU if available.

    Raises:
        ValueError: unusable data, recipe or checkpoint, before training starts; a loss that is not finite.
    """
    if not resume:
        check_no_run(out)
    ratings = {name: read_ratings(data, name, config.data) for name in ("train", "dev")}
    notes = [*rating_notes(ratings["train"], ratings["dev"], config.data), rate_note(config, settings)]
    for note in filter(None, notes):
        tqdm.write(f"Warning: {note}", file=sys.stderr)
    if resume and (note := length_note(out, settings)):
        tqdm.write(note)
    out.mkdir(parents=True, exist_ok=True)
    read_epochs(out)
    torch.manual_seed(settings.seed)
    judge = Judge(config).to(usable_device(None)) if judge is None else judge
    tqdm.write(training_plan(judge, settings, len(ratings["train"]), len(ratings["dev"])))
    write_recipe(out, config, settings)
    frozen = not any(parameter.requires_grad for parameter in judge.encoders.parameters())
    features: dict[str, SplitFeatures] = {}
    if frozen:
        folder = cache or out / "features"
        versions = settings.versions if settings.augment else 1
        spoilt = settings.spoilt_pictures if settings.spoilt_weight else 0
        features["train"] = split_features(judge, ratings["train"], folder, versions, spoilt)
        features["dev"] = split_features(judge, ratings["dev"], folder)
    elif settings.spoilt_weight:
        raise ValueError(
            "training.spoilt_weight needs frozen encoders: set encoder.freeze to 'all', or the weight to 0."
        )
    fit(judge, settings, ratings, features, out, resume)
    judge.save(out / "model")
    return judge


def length_note(out: Path, settings: JudgeSettings) -> str:
    """Say what becomes of the learning rate where a run goes on with another number of epochs; "" where it does not."""
    first = first_settings(out, read_recipe)
    try:
        done = read_state(out / FOLDER, RunState).epoch
    except ValueError:  # reported where the checkpoint is taken up
        return ""
    if first is None:
        return ""
    return note_on_length(
        first.epochs, settings.epochs, done, lambda epochs: settings.rate_factor(done * FINE, epochs * FINE)
    )


def fit(
    judge: Judge,
    settings: JudgeSettings,
    ratings: dict[str, Ratings],
    features: dict[str, SplitFeatures],
    out: Path | None = None,
    resume: bool = False,
    every_epoch: bool = True,
) -> list[dict[str, float]]:
    """Train a new judge and return a row per measured epoch, see `epoch_row`.

    Args:
        ratings: of "train" and "dev"; features: of frozen encoders, empty if encoders are trained.
        out: folder of checkpoint, metrics.csv and curves; None: write and print nothing.
        resume: continue from the checkpoint; every_epoch: measure after each epoch, not only after the last.
    """
    step = Step(judge, settings).to(judge.device)
    train_ratings = ratings["train"]
    if features:
        judge.network.quality.standardize.fit(features["train"].quality[:, 0].to(judge.device))
        if settings.base_decay:
            start_base(judge, features["train"], train_ratings, settings.base_decay)
    optimizer = torch.optim.AdamW(parameter_groups(step, settings), weight_decay=settings.weight_decay, fused=True)
    learned = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    done = resumed(out, step, optimizer, settings.epochs) if resume and out is not None else 0
    rows, timer = [], DrawTimer()
    targets = torch.from_numpy(np.stack([train_ratings.quality, train_ratings.consistency], axis=1)).float()  # (n, 2)
    prompts = torch.from_numpy(train_ratings.prompt_numbers)
    for epoch in range(done, settings.epochs):
        torch.manual_seed(settings.seed * 1000 + epoch)
        step.train()
        batches = epoch_rows(train_ratings, settings, epoch)
        count = len(batches)
        title = f"epoch {epoch + 1} of {settings.epochs}"
        with StepLog(out, CURVES, epoch + 1, epoch * count) as log:
            for number, chosen in enumerate(tqdm(batches, desc=title, leave=False, disable=out is None)):
                factor = settings.rate_factor(epoch * count + number, settings.epochs * count)
                set_learning_rate(optimizer, settings.learning_rate * factor)
                batch = next(make_batches(judge, train_ratings, features.get("train"), [chosen], settings, epoch))
                spoilt = sample_spoilt(features["train"], judge.device) if features and settings.spoilt_weight else None
                loss = step(batch, targets[chosen].to(judge.device), prompts[chosen].to(judge.device), spoilt)
                log.add({"loss": finite_loss(loss, epoch, number, chosen)})
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(learned, settings.clip)
                optimizer.step()
        if not every_epoch and epoch + 1 < settings.epochs:
            continue
        predictions = {name: predict(judge, rated, features.get(name)) for name, rated in ratings.items()}
        loss_mean = sum(line["loss"] for line in log.rows) / count
        row = {"epoch": epoch + 1.0, "loss": loss_mean} | epoch_row(judge, ratings, predictions)
        rows.append(row)
        if out is not None:
            write_epoch(out, CURVES, row, log.rows, timer.is_due(epoch + 1 == settings.epochs))
            save_checkpoint(out / FOLDER, get_learned_state(step), optimizer, RunState(epoch + 1))
            tqdm.write(epoch_report(row, judge.scales))
            keep_best(judge, out, row)
    return rows


def keep_best(judge: Judge, out: Path, row: Mapping[str, float]) -> None:
    """Save the judge as `best/` where its mean SROCC on dev is the run's highest so far, and say so."""
    score, before = mean_srocc(row), [mean_srocc(line) for line in read_epochs(out) if line["epoch"] < row["epoch"]]
    if before and score <= max(before):
        return
    judge.save(out / BEST)
    epoch = int(row["epoch"])
    write_json(out / BEST / BEST_EPOCH, {"epoch": epoch, "mean_srocc": score})
    tqdm.write(f"  Best so far by mean SROCC on dev, {score:.3f}: epoch {epoch} is in {out / BEST}.")


def mean_srocc(row: Mapping[str, float]) -> float:
    """Return the mean of both scores' rank correlations with people on dev, in [-1, 1]; -1 if undefined."""
    value = fmean(float(row[f"{name}_srocc"]) for name in SCORES)
    return value if isfinite(value) else -1.0


def finite_loss(loss: Tensor, epoch: int, number: int, rows: Tensor) -> float:
    """Return the loss of a step as a number; ValueError if it is not finite, naming epoch, batch and rows."""
    value = float(loss.detach())
    if not isfinite(value):
        raise ValueError(
            f"The loss is {value} in epoch {epoch + 1}, batch {number + 1}: lower learning_rate, or look at the "
            f"pictures of rows {rows.tolist()[:8]}."
        )
    return value


def epoch_rows(ratings: Ratings, settings: JudgeSettings, epoch: int) -> list[Tensor]:
    """Return the rows of each batch of an epoch: shuffled, or, for the ranking loss, whole prompts shuffled."""
    rng = np.random.default_rng([settings.seed, epoch])
    if settings.rank_weight:
        numbers = ratings.prompt_numbers
        place = rng.permutation(int(numbers.max()) + 1)
        order = np.argsort(place[numbers], kind="stable")
    else:
        order = rng.permutation(len(ratings))
    return list(torch.from_numpy(order).split(settings.batch_size))


def make_batches(
    judge: Judge,
    ratings: Ratings,
    features: SplitFeatures | None,
    chosen: Sequence[Tensor],
    settings: JudgeSettings,
    epoch: int,
) -> Iterator[Batch]:
    """Batches of these rows: from features, each picture in a version that is sampled, or from files."""
    for rows in chosen:
        if features is not None:
            versions = torch.randint(features.quality.shape[1], (len(rows),))
            pictures = PictureFeatures(features.quality[rows, versions], features.image[rows, versions])
            explanations = None if features.explanations is None else features.explanations[rows].to(judge.device)
            yield Batch(rows, on(judge, pictures), features.text[rows].to(judge.device), explanations)
            continue
        version = epoch + 1 if settings.augment else 0
        files = ratings.image_files
        opened = [crop_randomly(open_image(files[row]), settings.seed, version, row) for row in rows.tolist()]
        pixels = to_pixels(opened, judge.encoders.pixels).to(judge.device)
        texts = judge.encoders.prompts([ratings.prompts[row] for row in rows.tolist()])
        explanations = None
        if ratings.explanations is not None:
            explanations = torch.zeros(len(rows), judge.encoders.width, device=judge.device)
            named = [i for i, row in enumerate(rows.tolist()) if ratings.explanations[row]]
            if named:
                explanations[named] = judge.encode_prompts([ratings.explanations[int(rows[i])] for i in named])
        yield Batch(rows, judge.encoders.pictures(pixels), texts, explanations)


def on(judge: Judge, pictures: PictureFeatures) -> PictureFeatures:
    """Features on the judge's device."""
    return PictureFeatures(pictures.quality.to(judge.device), pictures.image.to(judge.device))


def sample_spoilt(features: SplitFeatures, device: torch.device) -> tuple[Tensor, Tensor] | None:
    """Pictures with two newly sampled spoilt copies each: features (m, 3, quality_width) and strengths (m, 3)."""
    spoilt = features.spoilt
    if spoilt is None:
        return None
    sampled = torch.randperm(len(spoilt.rows))[:MAX_SPOILT]
    clean = features.quality[spoilt.rows[sampled], 0][:, None]  # (m, 1, quality_width)
    strengths = F.pad(spoilt.strengths[sampled], (1, 0))  # (m, 3), 0 of the picture itself
    return torch.cat([clean, spoilt.quality[sampled]], dim=1).to(device), strengths.to(device)


@torch.no_grad()
def start_base(judge: Judge, features: SplitFeatures, ratings: Ratings, decay: float) -> None:
    """Start the quality base as ridge regression of the ratings' logits on the unit embeddings."""
    quality = features.quality.flatten(0, 1).to(judge.device)
    image = judge.network.quality.embed(quality).double().cpu()  # (n * versions, width)
    target = torch.from_numpy(ratings.quality).clamp(TINY, 1 - TINY).logit().clamp(-3, 3)  # (n,)
    target = target.repeat_interleave(features.quality.shape[1])
    centre, mean = image.mean(dim=0), target.mean()
    centred = image - centre
    gram = centred.T @ centred / len(image)
    weight = torch.linalg.solve(gram + decay * torch.eye(len(gram), dtype=gram.dtype), centred.T @ (target - mean))
    weight = weight / len(image)
    judge.network.quality.base.weight.copy_(weight[None])
    judge.network.quality.base.bias.copy_((mean - centre @ weight)[None])


def parameter_groups(step: Step, settings: JudgeSettings) -> list[dict[str, object]]:
    """AdamW's groups, each with its fraction of the learning rate: encoders, quality base, consistency, the rest."""
    rates = {
        "judge.encoders.": settings.encoder_rate,
        "judge.network.quality.base.": settings.base_rate,
        "judge.network.consistency.": settings.consistency_rate,
        "": 1.0,
    }
    groups: dict[str, list[nn.Parameter]] = {prefix: [] for prefix in rates}
    for name, parameter in step.named_parameters():
        if parameter.requires_grad:
            groups[next(prefix for prefix in rates if name.startswith(prefix))].append(parameter)
    return [{"params": members, "lr": 0.0, "share": rates[name]} for name, members in groups.items() if members]


def resumed(out: Path, step: nn.Module, optimizer: torch.optim.Optimizer, epochs: int) -> int:
    """Take up the run's checkpoint, and return how many of its epochs are done; ValueError as `load_checkpoint`."""
    done = read_state(out / FOLDER, RunState).epoch
    check_whole(f"epoch in {out / FOLDER / NUMBERS}", done, epochs)
    load_checkpoint(out / FOLDER, step, get_learned_state(step), optimizer, done)
    forget_after(out, CURVES, done)
    return done


def get_learned_state(modules: nn.Module) -> dict[str, torch.Tensor]:
    """Return the state dict without frozen parameters; buffers of modules that learn are kept."""
    frozen = {key for key, parameter in modules.named_parameters() if not parameter.requires_grad}
    buffers = {key for key, _ in modules.named_buffers() if key.startswith("judge.encoders.")}
    return {key: tensor for key, tensor in modules.state_dict().items() if key not in frozen | buffers}


def predict(judge: Judge, ratings: Ratings, features: SplitFeatures | None = None) -> Predictions:
    """Score a split's pictures in evaluation mode, from features if given, else from files."""
    with evaluating(judge):
        if features is not None:
            quality = features.quality[:, 0].to(judge.device)
            image, text = features.image[:, 0].to(judge.device), features.text.to(judge.device)
            return Predictions(*judge.network(quality, image, text))
        parts = [
            judge.encode([open_image(file) for file in ratings.image_files[start : start + 16]])
            for start in tqdm(range(0, len(ratings), 16), desc=f"Scoring {ratings.name}", leave=False)
        ]
        text = judge.encode_prompts(ratings.prompts)
        return Predictions(
            *judge.network(torch.cat([part.quality for part in parts]), torch.cat([part.image for part in parts]), text)
        )
