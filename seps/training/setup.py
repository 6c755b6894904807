"""What a training run starts from: data, initial weights, batches and parameter groups."""

from functools import partial
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from tqdm import tqdm

from seps.common.cli import check_folder
from seps.common.text import ListError
from seps.data import CaptionDataset, Split, no_dense, read_split
from seps.encoders import preprocess
from seps.models.config import ModelConfig
from seps.models.hub import load_model
from seps.models.model import BACKBONES, SEPSModel
from seps.training.batches.cache import FeatureCache, cache_features
from seps.training.batches.data_loader import CachedDataLoader
from seps.training.batches.pixels import PixelDataLoader
from seps.training.batches.samplers import ProcessShard
from seps.training.losses.step import TrainingStep
from seps.training.settings import TrainSettings

Loader = CachedDataLoader | PixelDataLoader


def process_shard(accelerator: Accelerator) -> ProcessShard:
    """Return this process's place among those that train together."""
    return ProcessShard(accelerator.process_index, accelerator.num_processes)


def start_model(config: ModelConfig, settings: TrainSettings, start: str | None, device: torch.device) -> SEPSModel:
    """Build the initial model: seeded random weights, or the weights of `start`, which must be of the same kind."""
    torch.manual_seed(settings.seed)
    model = SEPSModel(config).to(device)
    with torch.no_grad():
        model.cross_net.aggr_net.scale.fill_(settings.aggregation_scale)
    if start is not None:
        take_weights(model, start)
    return model


def open_loader(
    accelerator: Accelerator,
    model: SEPSModel,
    settings: TrainSettings,
    splits: dict[str, Split],
    cache: Path,
    workers: int,
    new: bool = True,
) -> tuple[Loader, FeatureCache | None]:
    """Return this process's batches and, with frozen backbones, the features of dev."""
    shard = process_shard(accelerator)
    if settings.frozen:
        model.freeze_backbones(settings.frozen_until, settings.frozen_text_layers)
        with accelerator.main_process_first():  # the others find what the first has computed
            train_cache = cache_features(model, splits["train"], settings.dense, cache, settings.mirrored)
            dev_cache = cache_features(model, splits["dev"], "none", cache)
        loader = CachedDataLoader(model, settings, splits["train"], train_cache, shard)
        if new:
            loader.fit_heads()
        return loader, dev_cache
    dataset = CaptionDataset(
        splits["train"],
        model.tokenizer,
        partial(preprocess, config=model.config.vision),
        model.config.text.max_words,
        model.config.text.max_dense_words,
        train=settings.augment,
        seed=settings.seed,
        dense=settings.dense,
    )
    return PixelDataLoader(model, dataset, settings, workers, shard), None


def take_weights(model: SEPSModel, start: str) -> None:
    """Copy a trained model's weights, except a network of other sizes; ValueError for another kind of model."""
    weights, fresh = load_model(start).state_dict(), model.state_dict()
    sizes, fresh_sizes = (
        {key: tensor.shape for key, tensor in state.items() if key.startswith("cross_net.")}
        for state in (weights, fresh)
    )
    kept: tuple[str, ...] = ("img_enc.classes.",)  # never learnt
    if sizes != fresh_sizes:
        weights = {key: tensor for key, tensor in weights.items() if key not in sizes}
        kept = (*kept, "cross_net.")
        tqdm.write(f"The network starts from random weights: the network of {start} has other sizes.")
    try:
        model.load_state_dict({key: tensor for key, tensor in fresh.items() if key.startswith(kept)} | weights)
    except RuntimeError as error:
        raise ValueError(f"The recipe's model cannot start from {start}: {error}") from error


def read_splits(data: Path, images: Path | None = None) -> dict[str, Split]:
    """Read the splits train and dev; one ValueError lists what is wrong with both, or names a missing folder."""
    check_folder(data, "the folder with captions and images", or_file=True)
    splits: dict[str, Split] = {}
    problems: list[str] = []
    for name in ("train", "dev"):
        try:
            splits[name] = read_split(data, name, images=images)
        except ValueError as error:
            problems += error.args if isinstance(error, ListError) else [str(error)]
    if problems:
        raise ListError(*problems)
    return splits


def dense_note(split: Split, settings: TrainSettings) -> str | None:
    """Describe the replacement of missing dense captions, None if none are; ValueError if the recipe allows none."""
    if settings.dense == "none" or split.dense is not None:
        return None
    if settings.join_captions:
        return f"{no_dense(split)}: each caption comes with its image's other captions, joined, in their place."
    raise ValueError(
        f"{no_dense(split)}, but training.dense is 'own': write them, or set join_captions to true in the recipe's "
        "training section (each caption then comes with its image's other captions, joined), or dense to 'none'."
    )


def check_shared(config: ModelConfig, settings: TrainSettings) -> None:
    """Raise ValueError where parts that the classifier shares with the image encoder would learn."""
    classes = config.vision.classes
    if classes.names and classes.shared_until and not settings.frozen:
        raise ValueError(
            f"vision.classes.shared_until is {classes.shared_until!r}, but training.frozen is false, so that these "
            "parts would learn: set frozen to true, or shared_until to ''."
        )


def check_phrases(split: Split, settings: TrainSettings) -> None:
    """Raise ValueError where a recipe's losses need phrases with boxes, and the split has none."""
    file = split.folder / f"{split.name}_entities.jsonl"
    if settings.phrase_weights and not file.is_file():
        keys, off = settings.phrase_weights, " ".join(f"--set training.{key}=0" for key in settings.phrase_weights)
        raise ValueError(
            f"Split {split.name} of {split.folder} has no phrases with boxes, {file.name}, which the recipe's "
            f"{' and '.join(keys)} need{'s' * (len(keys) == 1)}: write them, or train without, {off}."
        )


def parameter_groups(step: TrainingStep, settings: TrainSettings) -> list[dict[str, Any]]:
    """Group parameters for AdamW by their share of the rate: backbones, heads, context, predictors of s^p, network."""
    along = settings.backbone_rate * (settings.heads_rate if settings.frozen else 1.0)
    shares = {  # of the rate, after and in pre-training
        "backbone": (along, settings.backbone_rate if settings.frozen else 1.0),
        "heads": (settings.heads_rate, 1.0),
        "context": (settings.heads_rate * settings.context_rate, 1.0),
        "predictor": (1.0, 1.0),
        "network": (settings.network_rate, 1.0),
    }
    groups: dict[str, list[torch.nn.Parameter]] = {name: [] for name in shares}
    for name, parameter in step.named_parameters():
        name = name.removeprefix("model.")
        if not parameter.requires_grad:
            continue
        if name.startswith(tuple(BACKBONES.values())):
            groups["backbone"].append(parameter)
        elif name.startswith("img_enc.context."):
            groups["context"].append(parameter)
        elif ".score_predictor." in name and settings.network_rate != 1:  # else one group, as earlier checkpoints have
            groups["predictor"].append(parameter)
        else:
            groups["heads" if name.startswith(("img_enc.", "txt_enc.")) else "network"].append(parameter)
    return [
        {"params": groups[name], "lr": 0.0, "share": share, "pretrain_share": before}
        for name, (share, before) in shares.items()
        if groups[name]
    ]
