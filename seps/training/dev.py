"""Recall on dev after each epoch, over all processes."""

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seps.data import Split, open_image
from seps.models.model import SEPSModel
from seps.search.engine import ScoringEngine
from seps.search.metrics import RetrievalMetrics, retrieval_metrics
from seps.training.batches.batch import pool
from seps.training.batches.cache import FeatureCache
from seps.training.batches.samplers import ProcessShard
from seps.training.losses.gathering import gather_lists
from seps.training.settings import TrainSettings


@torch.no_grad()
def dev_metrics(
    model: SEPSModel,
    split: Split,
    cache: FeatureCache | None,
    settings: TrainSettings,
    shard: ProcessShard = ProcessShard(),  # noqa: B008
    pooled: bool = False,
) -> RetrievalMetrics:
    """Measure recall on the first `dev_images` images of dev (0: all), captions only; each process scores its shard.

    Scores are the network's or, with `pooled` and for settings without the ranking loss, those of pooled embeddings.
    """
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
        if pooled or not settings.align_weight:
            rows = list(pool(img_embs[:, -model.img_enc.num_patches :]) @ pool(cap_embs, lengths).T)
        else:
            engine = ScoringEngine(model.cross_net, progress=True)
            rows = list(engine.score(engine.encode_images(img_embs), engine.encode_captions(cap_embs, lengths)))
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


def recalls(metrics: RetrievalMetrics) -> dict[str, float]:
    """Return the columns of metrics.csv."""
    row = {"rsum": metrics.rsum}
    for name, recall in (("i2t", metrics.image_to_text), ("t2i", metrics.text_to_image)):
        row |= {f"{name}_r1": recall.r1, f"{name}_r5": recall.r5, f"{name}_r10": recall.r10}
    return row
