"""Frozen backbones run once: features of a split, cached in files next to the run."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.lib.format import open_memmap
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from seps.common.files import write_atomically
from seps.data import Split, dense_captions, open_image
from seps.encoders import VisionEncoder
from seps.media.photos import READING
from seps.models.model import BACKBONES, SEPSModel, photo_batch_size

CAPTION_BATCH_SIZE = 64


@dataclass(frozen=True)
class FeatureCache:
    """Frozen features of a split, read from disk on demand.

    Attributes:
        images: (V, N[+1], D_v) float16, `VisionEncoder.features`; then of mirror images if `mirrored`.
        captions: (V * k, L_s, D_t) float16, `TextEncoder.features`; lengths: (V * k,) int64.
        dense: (V * k, D_t) float32, mean word of each dense caption, which is all that the paper variant reads; if
            layers of the text encoder are trained, its words (V * k, L_d, D_t) float16. None without dense captions.
        dense_lengths: (V * k,), numbers of words.
    """

    images: NDArray[np.float16]
    captions: NDArray[np.float16]
    lengths: Tensor
    dense: NDArray[np.floating] | None
    dense_lengths: Tensor
    mirrored: bool = False
    folder: Path = Path()

    def image_features(self, numbers: Tensor) -> Tensor:
        """Read features (B, N[+1], D_v) float32 of the images `numbers` (B,)."""
        return torch.from_numpy(self.images[numbers.numpy()].astype(np.float32))

    def caption_features(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Read features (B, L, D_t) float32 and lengths (B,) of the captions `numbers` (B,)."""
        lengths = self.lengths[numbers]
        words = self.captions[numbers.numpy(), : int(lengths.max())]
        return torch.from_numpy(words.astype(np.float32)), lengths

    def dense_features(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Read features (B, L, D_t) float32 and lengths (B,) of the dense captions of the captions `numbers` (B,)."""
        assert self.dense is not None
        lengths = self.dense_lengths[numbers]
        words = self.dense[numbers.numpy()]
        words = words[:, None] if words.ndim == 2 else words[:, : int(lengths.max())]
        return torch.from_numpy(words.astype(np.float32)), lengths


def cache_features(model: SEPSModel, split: Split, dense: str, folder: Path, mirrored: bool = False) -> FeatureCache:
    """Compute the features of a split, or read an earlier run's; dense: "own" or "none"; mirrored: mirror too."""
    key = cache_key(model, split)
    both = "-mirrored" if mirrored else ""
    compute = partial(image_array, model, split, mirrored)
    images = open_cached_array(folder / f"{split.name}-images-{key}{both}.npy", compute)
    texts, limit, title = list(split.captions), model.config.text.max_words, f"Captions of {split.name}"
    compute = partial(text_array, model, texts, limit, limit, title)
    captions = open_cached_array(folder / f"{split.name}-captions-{key}.npy", compute)
    lengths = torch.tensor([len(model.tokenizer.encode(caption, limit)) for caption in texts])
    words, dense_lengths = None, torch.ones(len(split.captions), dtype=torch.int64)
    if dense == "own":
        words = open_cached_array(folder / f"{split.name}-dense-{key}.npy", partial(dense_array, model, split))
        if model.txt_enc.tail is not None:
            texts, limit = own_dense(split), model.config.text.max_dense_words
            dense_lengths = torch.tensor([len(model.tokenizer.encode(text, limit)) for text in texts])
    return FeatureCache(images, captions, lengths, words, dense_lengths, mirrored, folder)


def cache_key(model: SEPSModel, split: Split) -> str:
    """Return a hash of the inputs of the features: encoders, captions, image files, weights not from a package."""
    config = model.config.as_dict()
    vision = config["vision"]
    if "classes" in vision:  # of these only names and number change the features
        vision |= {"classes": {key: vision["classes"].get(key) for key in ("names", "shared_until", "count")}}
    files = [(path.name, path.stat().st_size) for path in split.image_files]
    cut = [model.img_enc.frozen_until, model.txt_enc.frozen_layers]
    weights = "" if model.img_enc.tail or model.txt_enc.tail else hash_own_weights(model)
    parts = [READING, vision, config["text"], split.captions, split.dense, files]
    return hash_of(parts + [cut] * (cut != ["", -1]) + [weights] * bool(weights))


def hash_of(parts: list[Any]) -> str:
    """Return a short hash of plain values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def cache_texts(model: SEPSModel, texts: list[str], folder: Path, title: str) -> tuple[NDArray[np.float16], Tensor]:
    """Compute features (T, L, D_t) and lengths (T,) int64 of T short texts, or read an earlier run's."""
    limit = model.config.text.max_words
    lengths = torch.tensor([len(model.tokenizer.encode(text, limit)) for text in texts], dtype=torch.int64)
    weights = "" if model.txt_enc.tail else hash_own_weights(model)
    key = hash_of([model.config.as_dict()["text"], model.txt_enc.frozen_layers, texts, weights])
    compute = partial(text_array, model, texts, limit, int(lengths.max()), title)
    return open_cached_array(folder / f"{title.lower().replace(' ', '-')}-{key}.npy", compute), lengths


def mean_features(encoder: VisionEncoder, features: Tensor) -> Tensor:
    """Return the mean patch of each image, (B, 1, D_v), or with context (B, 2, D_v) with the smaller view."""
    last = -1 if encoder.context is not None else None
    features = features[..., : encoder.width]  # without classes
    mean = features[:, 1 if encoder.has_cls else 0 : last].mean(dim=1, keepdim=True)  # (B, 1, D_v)
    return mean if last is None else torch.cat([mean, features[:, -1:]], dim=1)


def hash_own_weights(model: SEPSModel) -> str:
    """Hash the backbones' weights that a model's file holds, which training may have changed; "" without any."""
    digest, state = hashlib.sha256(), model.state_dict()
    keys = [key for key in sorted(state) if key.startswith(tuple(BACKBONES.values())) and model.config.is_saved(key)]
    for key in keys:
        digest.update(key.encode())
        digest.update(state[key].cpu().contiguous().numpy().tobytes())
    return digest.hexdigest() if keys else ""


def open_cached_array(path: Path, compute: Callable[[Path], None]) -> NDArray[np.float16]:
    """Open the array of a file, computed if missing; an interrupted computation leaves no file."""
    if not path.is_file():
        with write_atomically(path) as partial:
            compute(partial)
    return np.load(path, mmap_mode="r")


@torch.no_grad()
def image_array(model: SEPSModel, split: Split, mirrored: bool, path: Path) -> None:
    """Write the images' features (V, N[+1], D_v), then, if requested, of their mirror images."""
    array: NDArray[np.float16] | None = None
    size = photo_batch_size(model.device)
    count = len(split.image_files)
    for start in tqdm(range(0, count, size), desc=f"Image features of {split.name}"):
        photos = [open_image(file) for file in split.image_files[start : start + size]]
        pixels = model.preprocess(photos).to(model.device, memory_format=torch.channels_last)
        for place, seen in ((start, pixels), (count + start, pixels.flip(3)))[: 1 + mirrored]:
            with torch.autocast(model.device.type, dtype=torch.bfloat16):
                features = model.img_enc.eval().features(seen).float().cpu()
            if array is None:
                array = open_memmap(path, "w+", np.float16, (count * (1 + mirrored), *features.shape[1:]))
            array[place : place + len(features)] = features.numpy()


def text_array(model: SEPSModel, texts: list[str], limit: int, longest: int, title: str, path: Path) -> None:
    """Write the features of texts, cut at `limit`: (T, longest, D_t), zero at the padding."""
    array = open_memmap(path, "w+", np.float16, (len(texts), longest, model.txt_enc.width))
    for numbers, words, _ in caption_features(model, texts, limit, title):
        array[numbers, : words.shape[1]] = words.numpy()


def dense_array(model: SEPSModel, split: Split, path: Path) -> None:
    """Write each dense caption's mean word (V * k, D_t), or its words where layers of the encoder learn along."""
    captions, limit, title = own_dense(split), model.config.text.max_dense_words, f"Dense captions of {split.name}"
    if model.txt_enc.tail is not None:
        longest = max(len(model.tokenizer.encode(text, limit)) for text in captions)
        text_array(model, captions, limit, longest, title, path)
        return
    means = open_memmap(path, "w+", np.float32, (len(captions), model.txt_enc.width))
    for numbers, words, lengths in caption_features(model, captions, limit, title):
        means[numbers] = (words.sum(dim=1) / lengths[:, None]).numpy()


def own_dense(split: Split) -> list[str]:
    """Return the dense caption that each caption comes with, (V * k)."""
    captions = dense_captions(split, "own")
    assert captions is not None  # "own" always gives some
    return captions


@torch.no_grad()
def caption_features(
    model: SEPSModel, captions: list[str], limit: int, title: str
) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Yield batches of captions of like length: their numbers (list), features (B, L, D_t) and lengths (B,)."""
    ids, lengths = model.tokenizer.pad([model.tokenizer.encode(caption, limit) for caption in captions])
    order = lengths.argsort(stable=True)
    for start in tqdm(range(0, len(captions), CAPTION_BATCH_SIZE), desc=title):
        numbers = order[start : start + CAPTION_BATCH_SIZE]
        longest = int(lengths[numbers].max())
        words = model.txt_enc.eval().features(ids[numbers, :longest].to(model.device), lengths[numbers])
        yield numbers.tolist(), words.cpu(), lengths[numbers]
