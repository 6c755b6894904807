"""The pooled baseline on the same frozen features: `python -m seps.baseline CONFIG --data DIR --cache CACHE`."""

import json
from dataclasses import replace
from pathlib import Path

import torch
from tqdm import trange

from seps.common.cli import Parser, print_error, whole_number
from seps.data import Split, read_split
from seps.models.model import SEPSModel
from seps.runs.lr_schedule import linear, set_learning_rate
from seps.search.metrics import RetrievalMetrics, retrieval_metrics
from seps.training.batches.batch import BatchEmbedder, pool
from seps.training.batches.cache import cache_features
from seps.training.batches.data_loader import CachedDataLoader, mean_captions, mean_images
from seps.training.batches.samplers import shuffle_batches
from seps.training.dev import recalls
from seps.training.losses.objective import pooled_loss
from seps.training.settings import TrainSettings, read_recipe


def train_pooled(model: SEPSModel, loader: CachedDataLoader, settings: TrainSettings, epochs: int) -> None:
    """Train only the heads with the pooled loss: `epochs` passes, with a linearly falling rate."""
    heads = [p for part in (model.img_enc, model.txt_enc) for p in part.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(heads, weight_decay=settings.weight_decay)
    embedder = BatchEmbedder(model.train(), settings.bf16_backbones)
    per_epoch = len(loader.split.captions) // settings.pooled_batch
    for epoch in trange(epochs, desc="Pooled two-tower", leave=False):
        generator = torch.Generator().manual_seed(settings.seed * 1000 + epoch)
        torch.manual_seed(settings.seed * 1000 + epoch)
        batches = shuffle_batches(len(loader.split.captions), settings.pooled_batch, generator)
        for number, captions in enumerate(batches):
            step_number, total = epoch * per_epoch + number, epochs * per_epoch
            set_learning_rate(optimizer, settings.pretrain_rate * linear(step_number, total, per_epoch))
            images = captions // loader.per_image
            pooled = embedder.pool_features(loader.image_means[images], loader.caption_means[captions])
            loss = pooled_loss(*pooled, images)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


@torch.no_grad()
def pooled_metrics(model: SEPSModel, split: Split, cache: Path) -> RetrievalMetrics:
    """Measure recall of pooled embeddings on a split."""
    model.eval()
    features = cache_features(model, split, "none", cache)
    images = pool(model.img_enc.project(mean_images(model, features)))  # (V, C)
    words = mean_captions(features)[:, None]  # (V * k, 1, D_t)
    captions = pool(model.txt_enc.project(words, torch.ones(len(words))))  # (V * k, C)
    return retrieval_metrics(images @ captions.T, split.captions_per_image)


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code."""
    parser = Parser(prog="python -m seps.baseline", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("config", help="the recipe of the SEPS to compare with")
    parser.add_argument("--data", type=Path, required=True, help="folder with train and dev in the authors' layout")
    parser.add_argument("--images", type=Path, help="folder of the image files; default: DATA/images")
    parser.add_argument("--cache", type=Path, required=True, help="folder of frozen features, as seps.train uses it")
    parser.add_argument("--epochs", type=whole_number, default=16)
    parser.add_argument("--seeds", type=whole_number, nargs="+", default=[0, 1, 2])
    options = parser.parse_args(arguments)
    try:
        config, settings = read_recipe(options.config)
        train, dev = (read_split(options.data, name, images=options.images) for name in ("train", "dev"))
        for seed in options.seeds:
            torch.manual_seed(seed)
            model = SEPSModel(config)
            model.freeze_backbones()
            seeded = replace(settings, seed=seed, grounding_weight=0.0)
            loader = CachedDataLoader(model, seeded, train, cache_features(model, train, "none", options.cache))
            loader.fit_heads()
            train_pooled(model, loader, seeded, options.epochs)
            metrics = pooled_metrics(model, dev, options.cache)
            row = {"seed": seed} | recalls(metrics)
            print(json.dumps({name: round(number, 2) for name, number in row.items()}), flush=True)
    except (ValueError, OSError) as error:
        return print_error(error)
    return 0
