"""The losses on a small real batch: similarities, margin violations, what image ids mask, and the ratio loss."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Any

import torch
import torch.nn.functional as F
from timm.data import ImageNetInfo
from torch import Tensor

from demo.service.retrieval import RetrievalService
from seps.method.losses import align_loss, ratio_loss, same_image

GALLERY = "examples"
# Photographs with one of their captions each: like ones, so that margins are violated, and one of them twice.
BATCH = (
    ("running cheetah", 0),
    ("cheetah portrait", 1),
    ("lions", 2),
    ("cat", 0),
    ("astronaut", 1),
    ("officer", 0),
    ("coffee", 0),
    ("coffee", 3),
)
MININGS = ("all", "hardest")
MARGINS = (0.0, 1.0)
POINTS = 51  # of the loss curve
FRACTIONS = 101  # of the ratio losses' curves
HUBER_DELTA = 0.1
CLASS_LIST = "imagenet-1k"
# A photograph, one of its captions, and the caption's subject.
UNFORESEEN = (
    ("dahlia", 0, "dahlia"),
    ("motorcycle", 0, "motorcycle"),
    ("tower", 0, "Eiffel"),
    ("astronaut", 2, "astronaut"),
)


@dataclass(frozen=True, eq=False)
class Batch:
    """B pairs of a photograph and one of its captions, encoded; row i of each tensor is pair i."""

    indices: tuple[int, ...]  # of the photographs in the gallery
    captions: tuple[str, ...]
    img_ids: tuple[int, ...]  # the photograph of each pair, as a number
    images: Tensor  # (B, N[+1], C)
    words: Tensor  # (B, L_s, C)
    lengths: Tensor  # (B,)
    dense_words: Tensor  # (B, L_d, C), of each photograph's dense caption
    dense_lengths: Tensor  # (B,)


@lru_cache(maxsize=2)
def read_batch(service: RetrievalService) -> Batch:
    """Return the batch `BATCH`, encoded by the service's model."""
    indexed = service.find(GALLERY)
    indices = tuple(indexed.gallery.position(key) for key, _ in BATCH)
    items = [indexed.gallery.items[index] for index in indices]
    captions = tuple(item.captions[number] for item, (_, number) in zip(items, BATCH, strict=True))
    keys = list(dict.fromkeys(key for key, _ in BATCH))
    return Batch(
        indices,
        captions,
        tuple(keys.index(key) for key, _ in BATCH),
        torch.stack([indexed.patches(index) for index in indices]),
        *service.model.encode_captions(captions),
        *service.model.encode_captions([item.dense or "" for item in items], dense=True),
    )


def playground_value(
    service: RetrievalService, margin: float = 0.2, mining: str = "all", mask_ids: bool = True
) -> dict[str, Any]:
    """Return the playground's data and the gallery of examples, ready for JSON.

    `margin`: alpha of equation (6), in MARGINS; `mining`: "all" negatives, or the "hardest" of each row and column;
    `mask_ids`: whether captions of one photograph are kept from being each other's negatives (`img_ids`). ValueError
    for a margin or a mining that is not there.

    Matrices are (B, B) lists, row i a photograph and column j a caption: `similarity`; `excluded`, the pairs that are
    no negatives now; `to_captions` and `to_images`, by how much each pair violates the margin along its row and its
    column; `counted_captions` and `counted_images`, which of these the loss adds up. `loss` has L_align of both
    minings, `now` that of the present one, `masked` what `img_ids` changes, `curve` L_align over margins; `ratio` see
    `ratio_curves`, `ranking` see `_unforeseen`."""
    if not MARGINS[0] <= margin <= MARGINS[1]:
        raise ValueError(f"The margin is {margin}, but it must lie between {MARGINS[0]:g} and {MARGINS[1]:g}.")
    if mining not in MININGS:
        raise ValueError(f"The mining is {mining!r}, but it must be one of: {', '.join(MININGS)}.")
    batch, similarity = read_batch(service), _batch_similarity(service)
    ids = batch.img_ids if mask_ids else None
    indexed = service.find(GALLERY)
    items = [indexed.gallery.items[index] for index in batch.indices]
    excluded = same_image(len(similarity), ids, similarity.device)  # (B, B)
    to_captions, to_images = _violations(similarity, margin, excluded)
    counted_captions, counted_images = to_captions > 0, to_images > 0
    margins = torch.linspace(*MARGINS, POINTS, dtype=torch.float64).tolist()
    if mining == "hardest":
        counted_captions &= F.one_hot(to_captions.argmax(dim=1), len(similarity)).bool()
        counted_images &= F.one_hot(to_images.argmax(dim=0), len(similarity)).T.bool()
    return {
        "margin": margin,
        "margin_range": list(MARGINS),
        "mining": mining,
        "minings": list(MININGS),
        "mask_ids": mask_ids,
        "photos": [
            {"title": item.title, "thumb": indexed.thumbnail(index), "img_id": img_id}
            for item, index, img_id in zip(items, batch.indices, batch.img_ids, strict=True)
        ],
        "captions": [{"text": text} for text in batch.captions],
        "similarity": similarity.tolist(),
        "excluded": excluded.tolist(),
        "to_captions": to_captions.tolist(),
        "to_images": to_images.tolist(),
        "counted_captions": counted_captions.tolist(),
        "counted_images": counted_images.tolist(),
        "violating": int(((to_captions > 0) | (to_images > 0)).sum()),
        "counted": int(counted_captions.sum() + counted_images.sum()),
        "loss": {name: _loss(similarity, margin, name, ids) for name in MININGS},
        "now": _loss(similarity, margin, mining, ids),
        "masked": {  # the pairs off the diagonal that `img_ids` masks, and the loss both ways
            "pairs": [
                {"row": row, "column": column}
                for row, column in permutations(range(len(similarity)), 2)
                if batch.img_ids[row] == batch.img_ids[column]
            ],
            "with_ids": _loss(similarity, margin, mining, batch.img_ids),
            "without_ids": _loss(similarity, margin, mining, None),
        },
        "curve": {"margins": margins}
        | {name: [_loss(similarity, alpha, name, ids) for alpha in margins] for name in MININGS},
        "ratio": ratio_curves(service.model.cross_net.sparse_ratio),
        "ranking": _unforeseen(service),
    }


@lru_cache(maxsize=2)
def _batch_similarity(service: RetrievalService) -> Tensor:
    """Return S(I, T) of all pairs of the batch, captions alone, by the model's forward pass: (B, B) on the CPU."""
    batch = read_batch(service)
    with torch.no_grad():
        similarity = service.model.cross_net(batch.images, batch.words, batch.lengths)
    assert isinstance(similarity, Tensor)  # the model is in evaluation mode
    return similarity.cpu()


def _violations(similarity: Tensor, margin: float, excluded: Tensor) -> tuple[Tensor, Tensor]:
    """By how much each negative violates the margin, the terms of equation (6): (B, B) along rows and along columns."""
    positive = similarity.diagonal()  # (B,)
    to_captions = (margin - positive[:, None] + similarity).clamp(min=0).masked_fill(excluded, 0)
    to_images = (margin - positive[None, :] + similarity).clamp(min=0).masked_fill(excluded, 0)
    return to_captions, to_images


def _loss(similarity: Tensor, margin: float, mining: str, ids: tuple[int, ...] | None) -> float:
    return float(align_loss(similarity, margin, mining == "hardest", ids))


@lru_cache(maxsize=4)
def ratio_curves(target: float) -> dict[str, Any]:
    """Return three losses on the kept share, "mse" being the library's L_ratio, with their gradients, for a target."""
    fractions = torch.linspace(0, 1, FRACTIONS, dtype=torch.float64, requires_grad=True)
    goal = torch.full_like(fractions, target)
    with torch.enable_grad():
        values = {
            "mse": torch.stack([ratio_loss((fraction,), target) for fraction in fractions]),
            "mae": F.l1_loss(fractions, goal, reduction="none"),
            "huber": F.huber_loss(fractions, goal, reduction="none", delta=HUBER_DELTA),
        }
        gradients = {name: torch.autograd.grad(value.sum(), fractions)[0] for name, value in values.items()}
    losses = {name: {"value": values[name].tolist(), "gradient": gradients[name].tolist()} for name in values}
    return {"target": target, "shares": fractions.tolist(), "losses": losses}


@lru_cache(maxsize=1)
def class_names() -> list[str]:
    """Return the names of ImageNet's 1,000 classes, as timm lists them: those of the shipped encoder's training."""
    return list(ImageNetInfo(CLASS_LIST).label_descriptions())


def classes_naming(word: str) -> list[str]:
    """Return the class names that have the word, or its plural with an s."""
    pattern = re.compile(rf"\b{re.escape(word)}s?\b", re.IGNORECASE)
    return [name for name in class_names() if pattern.search(name)]


@lru_cache(maxsize=2)
def _unforeseen(service: RetrievalService) -> dict[str, Any]:
    """Return captions whose subject no class of a fixed list names, and how their photographs rank all the same.
    Cross-entropy over fixed classes needs a class for what is asked; a ranking asks only which photograph fits
    better."""
    indexed = service.find(GALLERY)
    examples = []
    for key, number, subject in UNFORESEEN:
        index = indexed.gallery.position(key)
        item = indexed.gallery.items[index]
        ranking = service.rank_images(indexed, item.captions[number])
        rank = ranking.order.index(index)
        other = 1 if rank == 0 else 0
        examples.append(
            {
                "caption": item.captions[number],
                "subject": subject,
                "named_by": classes_naming(subject),
                "title": item.title,
                "thumb": indexed.thumbnail(index),
                "rank": rank + 1,
                "total": len(ranking.order),
                "score": ranking.scores[rank],
                "best_other": indexed.gallery.items[ranking.order[other]].title,
                "other_score": ranking.scores[other],
            }
        )
    return {"classes": len(class_names()), "class_list": "ImageNet-1k", "examples": examples}
