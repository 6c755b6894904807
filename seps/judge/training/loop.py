"""Train a judge: `python -m seps.judge train RECIPE --data DATA --out RUN [--resume]`."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from statistics import fmean

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from seps.common.checks import usable_device
from seps.common.files import write_json
from seps.common.precision import evaluating
from seps.data import open_image
from seps.judge.config import SCORES, JudgeConfig
from seps.judge.data import Ratings, rating_notes, read_ratings
from seps.judge.encoders import PictureFeatures, to_pixels
from seps.judge.judge import Judge
from seps.judge.network import Predictions
from seps.judge.training.features import SplitFeatures, crop_randomly, split_features
from seps.judge.training.report import epoch_report, epoch_row, training_plan
from seps.judge.training.settings import JudgeSettings, rate_note, read_recipe
from seps.runs.checkpoint import RunState, read_state
from seps.runs.lr_schedule import FINE, length_note, set_learning_rate
from seps.runs.recipe import first_settings, write_recipe
from seps.runs.run_folder import BEST, BEST_EPOCH, FOLDER, check_no_run
from seps.runs.run_log import Curves, Panel, Row, read_epochs
from seps.runs.trainer import Epoch, Trainer, Values, warn

AGREEMENT = tuple(f"{score}_{figure}" for score in SCORES for figure in ("srocc", "plcc", "krcc"))
CURVES = Curves(
    pictures={"loss.png": (("loss",), "loss on train"), "agreement.png": (AGREEMENT, "agreement on dev")},
    step_columns=("loss",),
    panels=(Panel("loss", "total loss"),),
    step_tags={"Loss/total": "loss"},
)


def train(
    config: JudgeConfig,
    settings: JudgeSettings,
    data: Path,
    out: Path,
    resume: bool = False,
    cache: Path | None = None,
) -> Judge:
    """Train a judge from a recipe."""
    if not resume:
        check_no_run(out)
    ratings = {name: read_ratings(data, name, config.data) for name in ("train", "dev")}
    warn([*rating_notes(ratings["train"], ratings["dev"], config.data), rate_note(config, settings)])
    state = read_state(out / FOLDER, [settings.epochs]) if resume else RunState(0)
    if resume and (note := schedule_note(out, settings, state.epoch)):
        tqdm.write(note)
    out.mkdir(parents=True, exist_ok=True)
    read_epochs(out)
    torch.manual_seed(settings.seed)
    judge = Judge(config).to(usable_device(None))
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
            "training.spoilt_weight needs frozen encoders: set encoder.freeze to 'all', or this weight to 0."
        )
    trainer = JudgeTrainer(judge, settings, ratings, features, out)
    if resume:
        trainer.resume(out / FOLDER, state, state.epoch)
    trainer.fit(range(state.epoch, settings.epochs))
    judge.save(out / "model")
    return judge


def schedule_note(out: Path, settings: JudgeSettings, done: int) -> str:
    """Describe how another number of epochs changes a resumed run's learning rate; "" if it does not."""
    first = first_settings(out, read_recipe, settings)
    return length_note(
        first.epochs, settings.epochs, done, lambda epochs: settings.rate_factor(done * FINE, epochs * FINE)
    )


class JudgeTrainer(Trainer[Tensor]):
    """Trains a judge on batches of rows; see `Trainer`."""

    curves = CURVES

    def __init__(
        self,
        judge: Judge,
        settings: JudgeSettings,
        ratings: dict[str, Ratings],
        features: dict[str, SplitFeatures],
        out: Path | None = None,
    ) -> None:
        self.judge, self.settings, self.ratings, self.features = judge, settings, ratings, features
        self.loss, train = JudgeLoss(judge, settings).to(judge.device), ratings["train"]
        if features:
            judge.network.quality.standardize.fit(features["train"].quality[:, 0].to(judge.device))
        groups = parameter_groups(self.loss, settings)
        optimizer = torch.optim.AdamW(groups, weight_decay=settings.weight_decay, fused=True)
        super().__init__(self.loss, optimizer, settings.clip, out)
        self.targets = torch.from_numpy(np.stack([train.quality, train.consistency], axis=1)).float()  # (n, 2)

    def data(self, number: int) -> Epoch[Tensor]:
        """Return the rows of each batch of an epoch."""
        settings = self.settings
        torch.manual_seed(settings.seed * 1000 + number)
        self.loss.train()
        order = np.random.default_rng([settings.seed, number]).permutation(len(self.ratings["train"]))
        batches = torch.from_numpy(order).split(settings.batch_size)
        title = f"epoch {number + 1} of {settings.epochs}"
        return Epoch(number, title, batches, len(batches), number * len(batches))

    def step(self, batch: Tensor, epoch: Epoch[Tensor], number: int) -> Values:
        """Compute the loss of these rows."""
        settings, device, features = self.settings, self.judge.device, self.features.get("train")
        factor = settings.rate_factor(epoch.before + number, settings.epochs * epoch.steps)
        set_learning_rate(self.optimizer, settings.learning_rate * factor)
        rated, spoilt = self.targets[batch].to(device), None
        if features is None:
            pictures, text = self.open_pictures(batch, epoch.number)
        else:
            versions = torch.randint(features.quality.shape[1], (len(batch),))
            parts = (features.quality[batch, versions], features.image[batch, versions])
            pictures, text = PictureFeatures(*(part.to(device) for part in parts)), features.text[batch].to(device)
            if settings.spoilt_weight and features.spoilt is not None:
                spoilt = features.spoilt.sample(device)
        return {"loss": self.loss(pictures, text, rated, spoilt)}

    def open_pictures(self, rows: Tensor, epoch: int) -> tuple[PictureFeatures, Tensor]:
        """Encode the pictures of these rows, cropped at random if augmented, and their prompts (B, d)."""
        encoders, ratings, seed = self.judge.encoders, self.ratings["train"], self.settings.seed
        version = epoch + 1 if self.settings.augment else 0
        opened = [crop_randomly(open_image(ratings.image_files[row]), seed, version, row) for row in rows.tolist()]
        pixels = to_pixels(opened, encoders.pixels).to(self.judge.device)
        text = encoders.prompts([ratings.prompts[row] for row in rows.tolist()])
        return encoders.pictures(pixels), text

    def advice(self, batch: Tensor) -> str:
        """Name rows of the batch."""
        return f", or look at the pictures of rows {batch.tolist()[:8]}"

    def evaluate(self, epoch: Epoch[Tensor], means: Row) -> Row:
        """Return the mean loss, and agreement with people, see `epoch_row`."""
        predictions = {
            name: predict(self.judge, rated, self.features.get(name)) for name, rated in self.ratings.items()
        }
        return means | epoch_row(self.judge, self.ratings, predictions)

    def score(self, row: Row) -> float:
        """Return the mean of both scores' rank correlations with people on dev, in [-1, 1]; -1 if undefined."""
        value = fmean(float(row[f"{name}_srocc"]) for name in SCORES)
        return value if isfinite(value) else -1.0

    def save_best(self, row: Row) -> None:
        """Write `best/`."""
        self.judge.save(self.folder / BEST)
        write_json(self.folder / BEST / BEST_EPOCH, {"epoch": int(row["epoch"]), "mean_srocc": self.score(row)})

    def saved(self) -> dict[str, Tensor]:
        """Return the tensors that learn, and the buffers of their modules."""
        frozen = {key for key, parameter in self.loss.named_parameters() if not parameter.requires_grad}
        buffers = {key for key, _ in self.loss.named_buffers() if key.startswith("judge.encoders.")}
        return {key: tensor for key, tensor in self.loss.state_dict().items() if key not in frozen | buffers}

    def report(self, epoch: Epoch[Tensor], row: Row, steps: Sequence[Row], is_best: bool) -> None:
        """Print the agreement, and whether the epoch is the best."""
        tqdm.write(epoch_report(row, self.judge.scales))
        if is_best:
            best = f"Best so far by mean SROCC on dev, {self.score(row):.3f}"
            tqdm.write(f"  {best}: epoch {epoch.number + 1} is in {self.folder / BEST}.")


class JudgeLoss(nn.Module):
    """A judge in training, with its losses."""

    def __init__(self, judge: Judge, settings: JudgeSettings) -> None:
        super().__init__()
        self.judge = judge
        self.settings = settings

    def forward(
        self, pictures: PictureFeatures, text: Tensor, rated: Tensor, spoilt: tuple[Tensor, Tensor] | None
    ) -> Tensor:
        """Return the loss of B pictures with prompts (B, d), rated (B, 2), and of spoilt copies, see below."""
        settings = self.settings
        quality, consistency = self.judge.network(*pictures, text)
        loss = settings.quality_weight * F.mse_loss(quality.final, rated[:, 0])
        loss = loss + settings.consistency_weight * F.mse_loss(consistency.final, rated[:, 1])
        if spoilt is not None:
            loss = loss + settings.spoilt_weight * self.compute_spoilt_loss(*spoilt)
        return loss

    def compute_spoilt_loss(self, features: Tensor, strengths: Tensor) -> Tensor:
        """Return by how much scores of copies, features (m, 3, Q) of strengths (m, 3), exceed the milder copy's."""
        corrected = self.judge.network.quality(features.flatten(0, 1))
        loss = features.new_zeros(())
        for scores in (corrected.base.view_as(strengths), corrected.final.view_as(strengths)):  # (m, 3)
            drop = scores[:, :-1] - scores[:, 1:]  # (m, 2)
            margin = self.settings.spoilt_margin * strengths.diff(dim=1)  # (m, 2)
            loss = loss + F.relu(margin - drop).mean()
        return loss


def parameter_groups(step: JudgeLoss, settings: JudgeSettings) -> list[dict[str, object]]:
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


def predict(judge: Judge, ratings: Ratings, features: SplitFeatures | None = None) -> Predictions:
    """Score a split's pictures in evaluation mode, from features if given, else from files."""
    with evaluating(judge):
        if features is not None:
            quality = features.quality[:, 0].to(judge.device)
            image, text = features.image[:, 0].to(judge.device), features.text.to(judge.device)
            return judge.network(quality, image, text)
        files = ratings.image_files
        starts = tqdm(range(0, len(ratings), 16), desc=f"Scoring {ratings.name}", leave=False)
        parts = [judge.encode([open_image(file) for file in files[start : start + 16]]) for start in starts]
        quality, image = (torch.cat(tensors) for tensors in zip(*parts, strict=True))
        return judge.network(quality, image, judge.encode_prompts(ratings.prompts))
