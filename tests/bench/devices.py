"""A model on a device and on the CPU: how far embeddings are apart, and which decisions differ.

The galleries are those that come with the app and need no network, each with the model that the app reads it with.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

import torch
from PIL import Image
from torch import Tensor

from demo.galleries.gallery import caption_pool
from demo.galleries.sources.named import open_named_gallery
from seps import ScoringEngine, load_model
from seps.models.model import SEPSModel
from seps.search.blocks import Decisions
from seps.search.index import CaptionIndex, ImageIndex
from seps.search.parallel import split

GALLERIES = {"photos": ("examples",), "scenes": ("scenes", "moving")}  # by model
PAIRS = 2**14  # decided at a time


@dataclass(frozen=True)
class Pictures:
    """A gallery's photographs and all captions; a gallery without captions uses its model's other galleries'."""

    photos: list[Image.Image]
    captions: list[str]


def read_galleries(model: str, most: int | None) -> dict[str, Pictures]:
    """Read a model's galleries by name, at most so many photographs and captions of each."""
    galleries = [open_named_gallery(name) for name in GALLERIES[model]]
    pools = [caption_pool(gallery)[0] for gallery in galleries]
    everything = [caption for pool in pools for caption in pool]
    return {
        gallery.name: Pictures([item.photo() for item in gallery.items[:most]], (pool or everything)[:most])
        for gallery, pool in zip(galleries, pools, strict=True)
    }


def on_both(name: str, device: torch.device) -> tuple[SEPSModel, SEPSModel]:
    """Load a shipped model on the CPU and on a device."""
    model = load_model(name)
    return model, deepcopy(model).to(device)


def compare_encoders(name: str, galleries: dict[str, Pictures], device: torch.device) -> dict[str, float]:
    """Return the largest differences of a shipped model's embeddings from the CPU's, over the galleries."""
    models = on_both(name, device)
    images = captions = 0.0
    for pictures in galleries.values():
        images = max(images, largest([model.encode_photos(pictures.photos) for model in models]))
        captions = max(captions, largest([model.encode_captions(pictures.captions)[0] for model in models]))
    return {"image_embeddings": images, "caption_embeddings": captions}


def largest(values: list[Tensor]) -> float:
    """Return the largest difference of two tensors."""
    here, there = values
    return float((here - there.cpu()).abs().max())


def compare_decisions(name: str, galleries: dict[str, Pictures], device: torch.device) -> dict[str, dict[str, int]]:
    """Count the decisions, by gallery, that a device makes and the CPU does not, of each photograph and caption.

    Each device encodes and decides by itself ("differing", in so many "pairs_differing"), and once from the CPU's
    embeddings ("differing_given_embeddings").
    """
    here, there = on_both(name, device)
    result = {}
    for gallery, pictures in galleries.items():
        images = here.encode_photos(pictures.photos)
        words, lengths = here.encode_captions(pictures.captions)
        from_cpu = index(there, images, words, lengths)
        gpu_index = index(there, there.encode_photos(pictures.photos), *there.encode_captions(pictures.captions))
        counts = dict.fromkeys(("pairs", "decisions", "differing", "pairs_differing", "differing_given_embeddings"), 0)
        blocks = (
            masks(model, *pair) for model, pair in ((here, index(here, images, words, lengths)), (there, gpu_index))
        )
        for cpu, gpu, same in zip(*blocks, masks(there, *from_cpu), strict=True):
            counts["pairs"] += cpu[..., 0].numel()
            counts["decisions"] += cpu.numel()
            counts["differing"] += int((cpu != gpu).sum())
            counts["pairs_differing"] += int((cpu != gpu).any(dim=-1).sum())
            counts["differing_given_embeddings"] += int((cpu != same).sum())
        result[gallery] = counts
    return result


def index(model: SEPSModel, images: Tensor, words: Tensor, lengths: Tensor) -> tuple[ImageIndex, CaptionIndex]:
    """Index embeddings for a model, on its device."""
    engine = ScoringEngine(model.cross_net)
    return engine.encode_images(images), engine.encode_captions(words, lengths)


@torch.inference_mode()
def masks(model: SEPSModel, images: ImageIndex, captions: CaptionIndex) -> Iterator[Tensor]:
    """Yield decision masks of all pairs as the engine decides on the model's device, in blocks (V, T, N) bool."""
    decisions = Decisions(model.cross_net, images)
    for part in split(len(captions), max(1, PAIRS // len(images))):
        sparse, _ = decisions.select(captions[part])
        yield sparse.mask.cpu() > 0
