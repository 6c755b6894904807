"""Train a model: `python -m seps.train CONFIG --data DIR --out RUN`, see `seps.training.command`.

CONFIG is a recipe, a model's config with a "training" section (see `seps.training.settings`); DIR holds the splits
`train` and `dev` in the authors' layout (see `seps.data`). RUN receives `best/` (the best epoch by rSum on dev, which
`seps.load_model` loads), `checkpoints/`, `metrics.csv`, `tensorboard/`, `loss.png`, `loss_curves.png`, `recall.png` and
`recipe.json`. Problems are reported in a sentence that begins with "Warning: ", see `seps.training.watch`.
Several GPUs: `accelerate launch -m seps.train ...`.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from dataclasses import fields, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from seps.cli import check_folder
from seps.data import CaptionDataset, Split, no_dense, open_image, overlap_notes, read_split
from seps.encoders import preprocess
from seps.files import write_json
from seps.models.config import ModelConfig
from seps.models.hub import load_model
from seps.models.model import BACKBONES, SEPSModel
from seps.runs.checkpoint import save_checkpoint
from seps.runs.lr_schedule import length_note as note_on_length
from seps.runs.lr_schedule import linear
from seps.runs.recipe import first_settings, write_recipe
from seps.runs.run_folder import BEST, BEST_EPOCH, check_no_run, find_checkpoint, forget_checkpoints
from seps.runs.run_log import DrawTimer, StepLog, forget_after, read_epochs, write_epoch
from seps.search.engine import ScoringEngine
from seps.search.metrics import RetrievalMetrics, retrieval_metrics
from seps.text import ListError
from seps.training.batch import StepBatch
from seps.training.cache import FeatureCache, cache_features
from seps.training.curves import CURVES
from seps.training.data_loader import CachedDataLoader
from seps.training.embedding import pool
from seps.training.gathering import gather_lists, joined
from seps.training.loss_weights import align_factor
from seps.training.pixels import PixelDataLoader
from seps.training.run_state import MIN_BEST, RunState, resume_from
from seps.training.samplers import ProcessShard
from seps.training.settings import TrainSettings, read_recipe
from seps.training.step import TrainingStep
from seps.training.watch import epoch_warnings, start_warnings


def train(
    config: ModelConfig,
    settings: TrainSettings,
    data: Path,
    out: Path,
    resume: int | None = None,
    keep: int = 1,
    workers: int = 2,
    cache: Path | None = None,
    start: str | None = None,
    images: Path | None = None,
) -> float:
    """Train a model from a recipe and return the best rSum on dev.

    Args:
        config, settings: the two parts of the recipe.
        data: folder with the splits train and dev; images: folder of the image files, default: `data/images`.
        resume: epoch to resume after, 0: the latest checkpoint; None: start a new run.
        keep: number of checkpoints to keep; 0: all.
        workers: processes that read images; cache: folder of frozen features, default: `out/features`.
        start: a model, see `load_model`, to take weights from; the network's only if its sizes are equal. None: random
            weights.

    Raises:
        ValueError: unusable data, recipe, checkpoint, metrics.csv or start model, or a folder with another run, raised
            before training starts; a loss that is not finite.
    """
    if resume is None:
        check_no_run(out)
    accelerator = Accelerator(
        mixed_precision="bf16" if torch.cuda.is_available() else "no",
        kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)],
    )
    splits = read_splits(data, images)
    check_phrases(splits["train"], settings)
    notes = (*splits["train"].notes, *splits["dev"].notes, dense_note(splits["train"], settings))
    for note in dict.fromkeys(notes):  # a caption file has the same notes for both splits
        if note:
            accelerator.print(note)
    warn(accelerator, overlap_notes(*splits.values()) if accelerator.is_main_process else [])
    first = None if resume is None else first_settings(out, read_recipe)
    out.mkdir(parents=True, exist_ok=True)
    read_epochs(out)  # a curve that cannot be gone on with is refused now, not after an epoch
    write_recipe(out, config, settings)
    check_shared(config, settings)
    model = start_model(config, settings, start, accelerator.device)
    new, features = start is None, cache or out / "features"
    loader, dev_cache = open_loader(accelerator, model, settings, splits, features, workers, new)
    step = TrainingStep(model, settings)
    optimizer = torch.optim.AdamW(parameter_groups(step, settings), weight_decay=settings.weight_decay)
    state = RunState(epoch=0, best=MIN_BEST)
    epochs = settings.pretrain_epochs + settings.epochs
    if resume is not None:
        state = resume_from(find_checkpoint(out, resume), step, optimizer, epochs)
        if accelerator.is_main_process:
            forget_after(out, CURVES, state.epoch)
        if first is not None and (note := length_note(first, settings, state.epoch, loader.length())):
            accelerator.print(note)
    prepared, optimizer = accelerator.prepare(step, optimizer)
    warn(accelerator, start_warnings(settings, model.img_enc.num_patches, model.cross_net.sparse_ratio))
    timer = DrawTimer()
    for epoch in range(state.epoch, epochs):
        started = time.monotonic()
        before = steps_before(loader, settings, epoch)
        if note := negatives_note(settings, epoch):
            accelerator.print(note)
        with StepLog(out if accelerator.is_main_process else None, CURVES, epoch + 1, before) as log:
            row = run_epoch(accelerator, prepared, step, optimizer, loader, settings, epoch, log)
        if "kept" in row:
            row |= {"ratio_weight": settings.ratio_weight, "target_ratio": step.seps_loss.target_ratio}
        state = replace(state, epoch=epoch + 1)
        row = {"epoch": epoch + 1.0} | row | {"seconds": time.monotonic() - started}
        is_best = False
        if epoch < settings.pretrain_epochs and dev_cache is not None:
            row["pooled_rsum"] = dev_metrics(
                model, splits["dev"], dev_cache, use_pooled_only(settings), process_shard(accelerator)
            ).rsum
        if epoch >= settings.pretrain_epochs:
            row |= recalls(dev_metrics(model, splits["dev"], dev_cache, settings, process_shard(accelerator)))
            is_best = row["rsum"] > state.best
            state = replace(state, best=max(state.best, row["rsum"]))
        if accelerator.is_main_process:
            if is_best:
                model.save_pretrained(out / BEST)
                write_json(out / BEST / BEST_EPOCH, {"epoch": epoch + 1, "rsum": row["rsum"]})
            write_epoch(out, CURVES, row, log.rows, timer.is_due(epoch + 1 == epochs))
            save_checkpoint(out / "checkpoints" / f"epoch-{epoch + 1:03d}", step.state_dict(), optimizer, state)
            forget_checkpoints(out, keep)
            summary = ", ".join(f"{name} {number:.4g}" for name, number in row.items() if name != "epoch")
            tqdm.write(f"{epoch_title(settings, epoch)}: {summary}")
            if is_best:
                tqdm.write(f"Best so far by rSum on dev, {row['rsum']:.1f}: epoch {epoch + 1} is in {out / BEST}.")
        warn(accelerator, epoch_warnings(row, settings, epoch - settings.pretrain_epochs, step.sampled))
        accelerator.wait_for_everyone()
    return state.best


def use_pooled_only(settings: TrainSettings) -> TrainSettings:
    """Return settings that rank dev by pooled embeddings, as in pre-training: without the losses on the network."""
    return replace(
        settings, align_weight=0.0, map_weight=0.0, significance_weight=0.0, decision_weight=0.0, blind_weight=0.0
    )


def length_note(first: TrainSettings, settings: TrainSettings, done: int, steps: int) -> str:
    """Describe how the learning rate changes if a run is resumed with another number of epochs; "" if it does not.

    Args:
        first, settings: at the start of the run and now; done: epochs, including pre-training; steps: per epoch.
    """
    epoch = max(0, done - settings.pretrain_epochs)

    def rate(epochs: int) -> float:
        return replace(settings, epochs=epochs).rate_factor(epoch, epoch * steps, steps)

    return note_on_length(first.epochs, settings.epochs, done, rate)


def steps_before(loader: CachedDataLoader | PixelDataLoader, settings: TrainSettings, epoch: int) -> int:
    """Count the steps of the epochs before this one, both stages' together."""
    pretraining = min(epoch, settings.pretrain_epochs)
    before = pretraining * loader.pretrain_length() if pretraining else 0
    return before + (epoch - pretraining) * loader.length()


def warn(accelerator: Accelerator, sentences: list[str]) -> None:
    """Tell what is amiss on stderr, once for all processes."""
    for sentence in sentences if accelerator.is_main_process else []:
        tqdm.write(f"Warning: {sentence}", file=sys.stderr)


def process_shard(accelerator: Accelerator) -> ProcessShard:
    """Tell this process's place among those that train together."""
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
) -> tuple[CachedDataLoader | PixelDataLoader, FeatureCache | None]:
    """Return this process's batches and, with frozen backbones, the features of dev.

    Frozen backbones run now unless their features are cached; heads of a new model get the features' statistics.
    """
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
    fresh_network, network = (
        {key: tensor for key, tensor in state.items() if key.startswith("cross_net.")} for state in (fresh, weights)
    )
    if shapes(fresh_network) != shapes(network):
        weights = {key: tensor for key, tensor in weights.items() if key not in network} | fresh_network
        tqdm.write(f"The network starts from random weights: the network of {start} has other sizes.")
    classes = {key: tensor for key, tensor in fresh.items() if key.startswith("img_enc.classes.")}  # never learnt
    try:
        model.load_state_dict(classes | weights)
    except RuntimeError as error:
        raise ValueError(f"The recipe's model cannot start from {start}: {error}") from error


def shapes(tensors: dict[str, Tensor]) -> dict[str, torch.Size]:
    """Return the tensors' shapes by name."""
    return {name: tensor.shape for name, tensor in tensors.items()}


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
    """Describe the replacement of missing dense captions; None if none are missing.

    Raises:
        ValueError: the recipe requires dense captions and allows no replacement.
    """
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


def run_epoch(
    accelerator: Accelerator,
    prepared: torch.nn.Module,
    step: TrainingStep,
    optimizer: torch.optim.Optimizer,
    loader: CachedDataLoader | PixelDataLoader,
    settings: TrainSettings,
    epoch: int,
    log: StepLog,
) -> dict[str, float]:
    """Train for one epoch, with each step sent to `log`; return the mean of each loss."""
    pretraining = epoch < settings.pretrain_epochs
    main_epoch = epoch - settings.pretrain_epochs
    seed = settings.seed * 1000 + epoch  # an epoch's random numbers follow from its number, so that a run can resume
    torch.manual_seed(seed * accelerator.num_processes + accelerator.process_index)
    generator = torch.Generator().manual_seed(seed)
    step.seps_loss.set_max_violation(main_epoch >= settings.hard_after)
    step.set_sampling(settings.drawn_epochs < 0 or main_epoch < settings.drawn_epochs)
    prepared.train()
    if pretraining:
        batches, count = loader.pretrain_epoch(epoch, generator), loader.pretrain_length()
    else:
        batches, count = loader.epoch(epoch, generator), loader.length()
    sums: defaultdict[str, float] = defaultdict(float)
    number = 0
    title, silent = epoch_title(settings, epoch), not accelerator.is_main_process
    bar = tqdm(batches, total=count, desc=title, leave=False, disable=silent)
    for number, batch in enumerate(bar, 1):
        set_rates(optimizer, settings, pretraining, epoch if pretraining else main_epoch, number - 1, count)
        if (number - 1) % settings.class_steps == 0:
            loader.refresh_classes()
        steps_taken = main_epoch * count + number - 1  # steps, without pre-training
        step.align_factor = align_factor(settings.align_ramp_epochs, steps_taken, count)
        with accelerator.autocast():
            losses = prepared(move_to_device(batch, accelerator.device))
        loss = float(losses["loss"].detach())
        if not isfinite(loss):
            raise ValueError(
                f"The loss is {loss} in epoch {epoch + 1}, batch {number} of {count} (images "
                f"{batch.img_ids.tolist()[:8]}, ...): lower learning_rate, or look at these images and captions."
            )
        optimizer.zero_grad()
        accelerator.backward(losses["loss"])
        accelerator.clip_grad_norm_(prepared.parameters(), settings.clip)
        optimizer.step()
        parts = {name: float(part.detach()) for name, part in losses.items()}
        for name, part in parts.items():
            sums[name] += part
        log.add(parts)
        bar.set_postfix({name: f"{part:.3f}" for name, part in parts.items()}, refresh=False)
    if number == 0:
        key = "pretrain_batch" if epoch < settings.pretrain_epochs else "batch_size"
        raise ValueError(f"The training split makes no batch of {getattr(settings, key)}: lower training.{key}.")
    loader.refresh_classes()  # so that a saved model's class vectors match its text branch
    means = {name: total / number for name, total in sums.items()}
    if "kept" in means:  # each process has sampled other decisions
        means["kept"] = float(joined(torch.tensor([means["kept"]], device=accelerator.device)).mean())
    return means


def epoch_title(settings: TrainSettings, epoch: int) -> str:
    """Return an epoch, counted from 0 over both stages, for people: "epoch 2 of 8 (pre-training, 2 of 3)"."""
    before, after = settings.pretrain_epochs, settings.epochs
    title = f"epoch {epoch + 1} of {before + after}"
    if not before:
        return title
    stage = f"pre-training, {epoch + 1} of {before}" if epoch < before else f"training, {epoch - before + 1} of {after}"
    return f"{title} ({stage})"


def negatives_note(settings: TrainSettings, epoch: int) -> str:
    """Say, before the epoch in which hardest negatives begin, that they do; "" before the others."""
    if settings.loss != "triplet" or epoch != settings.pretrain_epochs + settings.hard_after:
        return ""
    return (
        f"From epoch {epoch + 1} on only the hardest negative of each image and caption counts: the loss, a sum, "
        "becomes smaller at once."
    )


def parameter_groups(step: TrainingStep, settings: TrainSettings) -> list[dict[str, Any]]:
    """Group parameters for AdamW by their share of the learning rate.

    Groups: backbones, heads, context, predictors of s^p, network.

    In pre-training all shares are 1, except for trained parts of frozen backbones.
    """
    names = ("backbone", "heads", "context", "predictor", "network")
    groups: dict[str, list[torch.nn.Parameter]] = {name: [] for name in names}
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
    along = settings.backbone_rate * (settings.heads_rate if settings.frozen else 1.0)
    context = settings.heads_rate * settings.context_rate
    rates = {"backbone": along, "heads": settings.heads_rate, "context": context}
    rates |= {"network": settings.network_rate, "predictor": 1.0}
    before = {"backbone": settings.backbone_rate if settings.frozen else 1.0}
    return [
        {"params": members, "lr": 0.0, "share": rates[name], "pretrain_share": before.get(name, 1.0)}
        for name, members in groups.items()
        if members
    ]


def set_rates(
    optimizer: torch.optim.Optimizer, settings: TrainSettings, pretraining: bool, epoch: int, number: int, count: int
) -> None:
    """Set the learning rates of step `number` of `count` in an epoch; parameters with rate 0 get no gradient."""
    if pretraining:
        step, total = epoch * count + number, settings.pretrain_epochs * count
        rate = settings.pretrain_rate * linear(step, total, count // 2)
    else:
        rate = settings.learning_rate * settings.rate_factor(epoch, epoch * count + number, count)
    for group in optimizer.param_groups:
        fraction = group["pretrain_share" if pretraining else "share"]
        group["lr"] = rate * fraction
        for parameter in group["params"]:
            parameter.requires_grad_(fraction > 0)


@torch.no_grad()
def dev_metrics(
    model: SEPSModel,
    split: Split,
    cache: FeatureCache | None,
    settings: TrainSettings,
    shard: ProcessShard = ProcessShard(),  # noqa: B008
) -> RetrievalMetrics:
    """Measure recall on the first `dev_images` images of dev (0: all), captions only; each process scores its shard."""
    count = min(settings.dev_images or len(split.image_files), len(split.image_files))
    images = shard.span(count)
    words: list[Tensor] = []  # of each caption, (L, C)
    rows: list[Tensor] = []  # of each image, (V * k,)
    model.eval()
    if images:
        img_embs, cap_embs, lengths = embed_split(model, split, cache, images)
    if shard.processes > 1:
        words = [caption[:n].cpu() for caption, n in zip(cap_embs, lengths, strict=True)] if images else []
        words = [word for part in gather_lists(words) for word in part]
        cap_embs = pad_sequence(words, batch_first=True).to(model.device)
        lengths = torch.tensor([len(word) for word in words])
    if images:
        rows = list(dev_similarity(model, settings, img_embs, cap_embs, lengths))
    if shard.processes > 1:
        rows = [row.cpu() for part in gather_lists(rows) for row in part]
    return retrieval_metrics(torch.stack(rows), split.captions_per_image)


def embed_split(
    model: SEPSModel, split: Split, cache: FeatureCache | None, images: range
) -> tuple[Tensor, Tensor, Tensor]:
    """Embed some of a split's images (B, N[+1], C) and their captions (B * k, L, C) with their lengths (B * k,)."""
    captions = range(images.start * split.captions_per_image, images.stop * split.captions_per_image)
    if cache is None:
        img_embs = model.encode_photos([open_image(split.image_files[i]) for i in images], progress=True)
        return img_embs, *model.encode_captions([split.captions[i] for i in captions], progress=True)
    chunks = torch.arange(images.start, images.stop).split(32)
    img_embs = torch.cat([model.img_enc.project(cache.image_features(c).to(model.device)) for c in chunks])
    features, lengths = cache.caption_features(torch.arange(captions.start, captions.stop))
    return img_embs, model.txt_enc.project(features.to(model.device), lengths), lengths


def dev_similarity(
    model: SEPSModel, settings: TrainSettings, img_embs: Tensor, cap_embs: Tensor, lengths: Tensor
) -> Tensor:
    """Score embedded images against embedded captions: (V, T)."""
    if not settings.align_weight:
        return pool(img_embs[:, -model.img_enc.num_patches :]) @ pool(cap_embs, lengths).T
    engine = ScoringEngine(model.cross_net, progress=True)
    return engine.score(engine.encode_images(img_embs), engine.encode_captions(cap_embs, lengths))


def recalls(metrics: RetrievalMetrics) -> dict[str, float]:
    """Return the columns of metrics.csv."""
    row = {"rsum": metrics.rsum}
    for name, recall in (("i2t", metrics.image_to_text), ("t2i", metrics.text_to_image)):
        row |= {f"{name}_r1": recall.r1, f"{name}_r5": recall.r5, f"{name}_r10": recall.r10}
    return row


def move_to_device(batch: StepBatch, device: torch.device) -> StepBatch:
    """Move the tensors of a batch to the device."""

    def moved(value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.to(device)
        return tuple(moved(item) for item in value) if isinstance(value, tuple) else value

    return replace(
        batch, **{item.name: moved(getattr(batch, item.name)) for item in fields(batch) if item.name != "phrases"}
    )
