"""Ablation of a judge: `python -m seps.judge ablate --data DATA --out DIR [--freeze N] [--set KEY=VALUE]`."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib

matplotlib.use("Agg")
import torch
from matplotlib.figure import Figure as Picture
from tqdm import tqdm

from seps.common.checks import usable_device
from seps.common.numbers import amount, written
from seps.common.spreadsheet import csv_content
from seps.judge.config import ALL, FREEZING, SCORES, TABLE, JudgeConfig
from seps.judge.data import Ratings, read_ratings, split_by_row
from seps.judge.encoders import clip_layers, with_first_layers
from seps.judge.judge import Judge
from seps.judge.training.features import SplitFeatures, split_features
from seps.judge.training.loop import JudgeTrainer
from seps.judge.training.settings import UNFROZEN_RATE, JudgeSettings, rate_note

SCALES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
SEEDS = (0, 1, 2)
SPLITS = ("prompt", "row")
PICTURE = "ablation.png"


Variant = tuple[str, JudgeConfig, JudgeSettings]  # a row of the table: a name, and the recipe with its changes
Outcome = dict[str, Any]  # a "variant", "split" and "seed", with each score's SROCC, "_plcc" and "_gap" to train


def variants(
    config: JudgeConfig, settings: JudgeSettings, layers: Sequence[int] = (), group: str = ALL
) -> list[Variant]:
    """Return the rows of the ablation table for a recipe, or those of `group` (of `GROUPS`)."""
    residual = replace(config, residual=True, branches="one")
    rows: dict[str, JudgeConfig] = {}
    if config.encoder.kind == "clip" and group in (ALL, FREEZING):
        rows = freezing_rows(residual, layers)
    elif layers or group == FREEZING:
        raise ValueError(
            f"The recipe's encoders come from the SEPS model {config.encoder.name!r}, which always stay frozen: to "
            "compare freezing, give a recipe with CLIP, such as --recipe quick."
        )
    if group != FREEZING:
        rows |= {
            "direct": replace(config, residual=False, branches="one"),
            "direct, two branches": replace(config, residual=False, branches="two"),
            "residual": residual,
        }
        for scale in SCALES:
            name = f"scale {scale:g}" + (", no bound" if scale == 1 else "")
            rows[name] = replace(residual, scale_q=scale, scale_c=scale)
    usual = replace(settings, encoder_rate=UNFROZEN_RATE / settings.learning_rate)  # encoders forget at higher rates
    return [(name, row, usual if rate_note(row, settings) else settings) for name, row in rows.items()]


def freezing_rows(config: JudgeConfig, layers: Sequence[int] = ()) -> dict[str, JudgeConfig]:
    """Return a row per way of freezing CLIP: all, half of each tower, `layers` of each, and nothing."""
    encoder, towers = config.encoder, clip_layers(config.encoder.name)
    deepest = max(towers.values())
    halves = {tower: count // 2 for tower, count in towers.items()}
    rows = {
        "all frozen": replace(encoder, freeze="all", freeze_layers={}),
        "half of each tower frozen": replace(encoder, freeze="layers", freeze_layers=halves),
    }
    for count in layers or [round(0.75 * deepest)]:
        partly = with_first_layers(encoder, count)
        rows[f"{max(partly.freeze_layers.values())} of {deepest} layers frozen"] = partly
    rows["fully trained"] = replace(encoder, freeze="none", freeze_layers={})
    return {f"residual, {name}": replace(config, encoder=changed) for name, changed in rows.items()}


def ablate(
    config: JudgeConfig,
    settings: JudgeSettings,
    data: Path,
    out: Path,
    cache: Path | None = None,
    seeds: Sequence[int] = SEEDS,
    layers: Sequence[int] = (),
    group: str = ALL,
) -> list[Outcome]:
    """Train every variant with every seed under both splits; write ablation.csv and ablation.png to `out`."""
    settings = replace(settings, spoilt_weight=0.0)
    chosen = variants(config, settings, layers, group)
    train, dev = (read_ratings(data, name, config.data) for name in ("train", "dev"))
    out.mkdir(parents=True, exist_ok=True)
    frozen = replace(config.encoder, freeze="all", freeze_layers={})
    encoders, features = None, {}
    if any(row.encoder == frozen for _, row, _ in chosen):
        judge = Judge(replace(config, encoder=frozen))
        encoders, folder = judge.encoders, cache or out / "features"
        versions = settings.versions if settings.augment else 1
        features = {part.name: split_features(judge, part, folder, versions) for part in (train, dev)}
    outcomes = []
    for split, (name, row, usual), seed in tqdm(list(product(SPLITS, chosen, seeds)), desc="Variants"):
        ratings = {"train": train, "dev": dev}
        if split == "row":
            ratings["train"], ratings["dev"] = split_by_row(train, dev, seed)
        known: dict[str, SplitFeatures] = {}
        if row.encoder == frozen:
            known = by_row(features, ratings, train, dev) if split == "row" else features
        torch.manual_seed(seed)
        judge = Judge(row, encoders if known else None).to(usable_device(None))
        trainer = JudgeTrainer(judge, replace(usual, seed=seed), ratings, known)
        last = trainer.fit(range(usual.epochs), every_epoch=False)[-1]
        named = (("srocc", ""), ("plcc", "_plcc"), ("gap", "_gap"))
        measured = {f"{score}{end}": last[f"{score}_{figure}"] for figure, end in named for score in SCORES}
        outcomes.append({"variant": name, "split": split, "seed": seed} | measured)
    (out / TABLE).write_bytes(csv_content(list(outcomes[0]), [list(outcome.values()) for outcome in outcomes]))
    draw(out / PICTURE, outcomes)
    return outcomes


def by_row(
    features: dict[str, SplitFeatures], ratings: dict[str, Ratings], train: Ratings, dev: Ratings
) -> dict[str, SplitFeatures]:
    """Features of a split by row, assembled from the features of the split by prompt."""
    first, second = features["train"], features["dev"]
    quality, image, text = (
        torch.cat([getattr(part, name) for part in (first, second)]) for name in ("quality", "image", "text")
    )
    both = SplitFeatures(quality, image, text)
    places = {file: i for i, file in enumerate((*train.image_files, *dev.image_files))}
    rows = {name: torch.tensor([places[file] for file in ratings[name].image_files]) for name in ("train", "dev")}
    return {name: both.take(chosen) for name, chosen in rows.items()}


def table(outcomes: Sequence[Outcome]) -> str:
    """Means over seeds with the lowest and the highest, of SROCC and PLCC, as a Markdown table per split."""
    seeds = amount(len({outcome["seed"] for outcome in outcomes}), "seed")
    heads = [f"{name} {figure}" for name in SCORES for figure in ("SROCC", "PLCC")]
    columns = [column for name in SCORES for column in (name, f"{name}_plcc")]
    tables = []
    for split in SPLITS:
        lines = [f"| | {' | '.join(heads)} |", "|" + "---|" * (1 + len(heads))]
        for variant in dict.fromkeys(outcome["variant"] for outcome in outcomes):
            rows = [outcome for outcome in outcomes if (outcome["variant"], outcome["split"]) == (variant, split)]
            cells = [spread([row[column] for row in rows]) for column in columns]
            lines.append(f"| {variant} | {' | '.join(cells)} |")
        rows_of = "\n".join(lines)
        tables.append(f"Split by {split}, on dev, mean of {seeds} (lowest to highest):\n\n{rows_of}")
    return "\n\n".join(tables)


def spread(values: Sequence[float]) -> str:
    """Return the mean of values with the least and the greatest."""
    mean, least, most = (written(value, ".3f") for value in (fmean(values), min(values), max(values)))
    return f"{mean} ({least} to {most})"


def draw(path: Path, outcomes: Sequence[Outcome]) -> None:
    """SROCC of each variant, a dot a seed, one panel a score."""
    names = list(dict.fromkeys(outcome["variant"] for outcome in outcomes))
    picture = Picture(figsize=(11, 0.4 * len(names) + 1.5), layout="constrained")
    panels = picture.subplots(1, len(SCORES), sharey=True)
    for panel, score in zip(panels, SCORES, strict=True):
        for split, marker, shift in (("prompt", "o", -0.12), ("row", "s", 0.12)):
            chosen = [outcome for outcome in outcomes if outcome["split"] == split]
            places = [names.index(outcome["variant"]) + shift for outcome in chosen]
            panel.plot([row[score] for row in chosen], places, marker, alpha=0.7, label=f"split by {split}")
        panel.set_yticks(range(len(names)), names)
        panel.set_xlabel(f"{score}: SROCC on dev")
        panel.grid(alpha=0.3)
    panels[0].invert_yaxis()
    panels[0].legend()
    picture.savefig(path, dpi=120)
