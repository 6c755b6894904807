"""What the bounded correction is worth: `python -m seps.judge ablate --data DATA --out DIR`.

The same recipe without spoilt copies, three seeds each: direct and residual; part of the learning held fixed; other
scales; and both splits, by prompt and by row. Where CLIP's towers may learn, freezing half of each and all of them are
two rows more; a SEPS model's encoders always stay frozen, and there a row holds the base as it starts.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

import matplotlib

matplotlib.use("Agg")
import torch
from matplotlib.figure import Figure as Picture
from tqdm import tqdm

from seps.judge.config import SCORES, JudgeConfig
from seps.judge.data import Ratings, read_ratings, split_by_row
from seps.judge.encoders import clip_architecture, clip_folder, tower_layers
from seps.judge.features import SplitFeatures, split_features
from seps.judge.judge import Judge
from seps.judge.loop import fit
from seps.judge.settings import JudgeSettings
from seps.numbers import written

SCALES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
SEEDS = (0, 1, 2)
SPLITS = ("prompt", "row")
TABLE, PICTURE = "ablation.csv", "ablation.png"


@dataclass(frozen=True)
class Variant:
    """One row of the table: a name, and what it changes of the recipe."""

    name: str
    config: JudgeConfig
    settings: JudgeSettings


@dataclass(frozen=True)
class Outcome:
    """A variant under one split and seed: SROCC on dev and on train, and the mean correction as a share."""

    variant: str
    split: str
    seed: int
    quality: float
    consistency: float
    quality_gap: float
    consistency_gap: float


def variants(config: JudgeConfig, settings: JudgeSettings) -> list[Variant]:
    """Return the rows of the table for a recipe."""
    residual = replace(config, residual=True, branches="one")
    variants = [
        Variant("direct", replace(config, residual=False, branches="one"), settings),
        Variant("direct, two branches", replace(config, residual=False, branches="two"), settings),
        Variant("residual", residual, settings),
    ]
    if config.encoder.kind == "seps":
        # the encoders are frozen in every row; what can be held beside them is the base
        held = replace(settings, base_rate=0.0)
        if settings.base_decay:
            variants.append(Variant("residual, base held at its start", residual, held))
    else:
        variants += [
            Variant("residual, half of each tower frozen", with_half_frozen(residual), settings),
            Variant("residual, all frozen", with_freezing(residual, "all", {}), settings),
        ]
    variants += [
        Variant(f"scale {scale:g}" + (", no bound" if scale == 1 else ""), with_scale(residual, scale), settings)
        for scale in SCALES
    ]
    return variants


def with_scale(config: JudgeConfig, scale: float) -> JudgeConfig:
    """Return the config with both scales set."""
    return replace(config, scale_q=scale, scale_c=scale)


def with_freezing(config: JudgeConfig, freeze: str, layers: dict[str, int]) -> JudgeConfig:
    """Return the config with another way of freezing."""
    return replace(config, encoder=replace(config.encoder, freeze=freeze, freeze_layers=layers))


def with_half_frozen(config: JudgeConfig) -> JudgeConfig:
    """Return the config with the first half of each CLIP tower frozen; ValueError where the encoder cannot be had."""
    layers = tower_layers(clip_architecture(clip_folder(config.encoder.name)))
    return with_freezing(config, "layers", {tower: count // 2 for tower, count in layers.items()})


def ablate(
    config: JudgeConfig,
    settings: JudgeSettings,
    data: Path,
    out: Path,
    cache: Path | None = None,
    seeds: Sequence[int] = SEEDS,
) -> list[Outcome]:
    """Train every variant with every seed under both splits; write a table and a picture.

    Args:
        config, settings: the recipe; data, cache: as in `train`; out: where ablation.csv and ablation.png go.
        seeds: of each variant; the split by row is drawn anew with each.

    Raises:
        ValueError: data or a recipe that do not fit.
    """
    train, dev = (read_ratings(data, name, config.data) for name in ("train", "dev"))
    out.mkdir(parents=True, exist_ok=True)
    settings = replace(settings, spoilt_weight=0.0)
    encoders = Judge(config).encoders
    frozen = not any(parameter.requires_grad for parameter in encoders.parameters())
    features: dict[str, SplitFeatures] = {}
    if frozen:
        judge = Judge(config, encoders)
        folder = cache or out / "features"
        versions = settings.versions if settings.augment else 1
        features["train"] = split_features(judge, train, folder, versions)
        features["dev"] = split_features(judge, dev, folder, versions)
    outcomes = []
    rows = [(split, variant, seed) for split in SPLITS for variant in variants(config, settings) for seed in seeds]
    for split, variant, seed in tqdm(rows, desc="Variants"):
        ratings = {"train": train, "dev": dev}
        known = features
        if split == "row":
            ratings["train"], ratings["dev"] = split_by_row(train, dev, seed)
            known = by_row(features, ratings, train, dev) if features else features
        torch.manual_seed(seed)
        reused = encoders if variant.config.encoder == config.encoder and frozen else None
        chosen = replace(variant.settings, seed=seed)
        last = fit(
            Judge(variant.config, reused), chosen, ratings, known if reused is not None else {}, every_epoch=False
        )[-1]
        outcomes.append(
            Outcome(
                variant.name,
                split,
                seed,
                last["quality_srocc"],
                last["consistency_srocc"],
                last["quality_gap"],
                last["consistency_gap"],
            )
        )
    write_table(out / TABLE, outcomes)
    draw(out / PICTURE, outcomes)
    return outcomes


def by_row(
    features: dict[str, SplitFeatures], ratings: dict[str, Ratings], train: Ratings, dev: Ratings
) -> dict[str, SplitFeatures]:
    """Features of a split by row, put together from those of the split by prompt."""
    first, second = features["train"], features["dev"]
    both = SplitFeatures(
        torch.cat([first.quality, second.quality]),
        torch.cat([first.image, second.image]),
        torch.cat([first.text, second.text]),
    )
    places = {file: i for i, file in enumerate((*train.image_files, *dev.image_files))}
    rows = {name: torch.tensor([places[file] for file in ratings[name].image_files]) for name in ("train", "dev")}
    return {name: both.take(chosen) for name, chosen in rows.items()}


def write_table(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Print one line a variant, split and seed."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(asdict(outcomes[0])))
        writer.writeheader()
        writer.writerows(asdict(outcome) for outcome in outcomes)


def table(outcomes: Sequence[Outcome]) -> str:
    """Means over seeds with the lowest and the highest, as a Markdown table."""
    head = "| | " + " | ".join(f"{name}, by {split}" for split in SPLITS for name in SCORES) + " |"
    lines = [head, "|" + "---|" * (1 + len(SPLITS) * len(SCORES))]
    for variant in dict.fromkeys(outcome.variant for outcome in outcomes):
        cells = []
        for split in SPLITS:
            for name in SCORES:
                values = [
                    getattr(outcome, name)
                    for outcome in outcomes
                    if (outcome.variant, outcome.split) == (variant, split)
                ]
                cells.append(spread(values))
        lines.append(f"| {variant} | {' | '.join(cells)} |")
    return "\n".join(lines)


def spread(values: Sequence[float]) -> str:
    """Return the mean of values with the least and the greatest; empty without any."""
    if not values:
        return ""
    mean, least, most = (written(value, ".3f") for value in (fmean(values), min(values), max(values)))
    return f"{mean} ({least} to {most})"


def draw(path: Path, outcomes: Sequence[Outcome]) -> None:
    """SROCC of each variant, a dot a seed, one panel a score."""
    names = list(dict.fromkeys(outcome.variant for outcome in outcomes))
    picture = Picture(figsize=(11, 0.4 * len(names) + 1.5), layout="constrained")
    panels = picture.subplots(1, len(SCORES), sharey=True)
    for panel, score in zip(panels, SCORES, strict=True):
        for split, marker, shift in (("prompt", "o", -0.12), ("row", "s", 0.12)):
            chosen = [outcome for outcome in outcomes if outcome.split == split]
            places = [names.index(outcome.variant) + shift for outcome in chosen]
            panel.plot(
                [getattr(outcome, score) for outcome in chosen], places, marker, alpha=0.7, label=f"split by {split}"
            )
        panel.set_yticks(range(len(names)), names)
        panel.set_xlabel(f"{score}: SROCC on dev")
        panel.grid(alpha=0.3)
    panels[0].invert_yaxis()
    panels[0].legend()
    picture.savefig(path, dpi=120)
