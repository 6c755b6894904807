"""A split's training data, stored next to the run: pictures of one size or their features, and token ids."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from seps.common.checks import read_json_file
from seps.common.files import write_atomically
from seps.common.precision import in_bfloat16
from seps.data import open_image, read_entities, read_split
from seps.data.dataset import augment_image, item_random
from seps.data.layout import Split
from seps.data.objects import Masks, read_scenes
from seps.encoders.tokenizer import Tokenizer
from seps.generator.model.encoders import ImageEncoder
from seps.generator.model.network import GeneratorNetwork, to_bytes, to_values
from seps.media.photos import READING

BATCH_SIZE = 32  # pictures that are encoded at once
Features = np.ndarray[tuple[int, ...], np.dtype[np.float16]]


class Captioned(NamedTuple):
    """V pictures (V, S, S, 3) uint8 on disk, empty if not needed, and the ids (L,) int64 of their captions."""

    split: Split
    pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
    ids: list[Tensor]

    def __len__(self) -> int:
        return len(self.split.image_files)

    def values(self, rows: Tensor) -> Tensor:
        """Pictures (B, S, S, 3) uint8 by number."""
        return torch.from_numpy(self.pixels[rows.numpy()])

    def part(self, first: int, last: int, name: str) -> Captioned:
        """Return the pictures from number `first` up to `last`, and their captions, as a split of another name."""
        k, split = self.split.captions_per_image, self.split
        chosen = replace(
            split,
            name=name,
            image_ids=split.image_ids[first:last],
            image_files=split.image_files[first:last],
            captions=split.captions[k * first : k * last],
            dense=None,
            notes=(),
        )
        return Captioned(chosen, self.pixels[first:last], self.ids[k * first : k * last])

    def captions(self, rows: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """Of each picture one caption, 0 to k - 1: ids (B, L), padded with 0, and lengths (B,)."""
        k = self.split.captions_per_image
        chosen = [self.ids[row * k + number] for row, number in zip(rows.tolist(), which.tolist(), strict=True)]
        return pad_sequence(chosen, batch_first=True), torch.tensor([len(ids) for ids in chosen])


def read_captioned(
    folder: Path,
    name: str,
    size: int,
    tokenizer: Tokenizer,
    max_words: int,
    cache: Path | None,
    images: Path | None = None,
) -> Captioned:
    """Read a split as `seps.data.read_split` for a generator, with pictures of `size` as bytes in any `cache`."""
    split = read_split(folder, name, images=images)
    for note in split.notes:
        tqdm.write(note)
    ids = [torch.tensor(tokenizer.encode(caption, max_words)) for caption in split.captions]
    if cache is None:
        return Captioned(split, np.empty((0, size, size, 3), np.uint8), ids)

    def pictures() -> Iterator[NDArray[np.uint8]]:
        for path in tqdm(split.image_files, desc=f"Reading {split.name}", leave=False):
            yield to_bytes(open_image(path), size)

    file, shape = cache / f"{split.name}-{size}.npy", (len(split.image_files), size, size, 3)
    return Captioned(split, cached_rows(file, fingerprint(split), "|u1", shape, pictures()), ids)


def cached_rows(
    file: Path, made_from: dict[str, Any], kind: str, shape: tuple[int, ...], parts: Iterable[NDArray[Any]]
) -> NDArray[Any]:
    """Open an array on disk that was made from the same, or write its parts and a note of what they were made from."""
    note = file.with_suffix(".json")
    if not (file.is_file() and note.is_file() and read_json_file(note) == made_from):
        with write_atomically(file) as partial, partial.open("wb") as stream:
            np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
            for part in parts:
                stream.write(part.astype(kind).tobytes())
        note.write_text(json.dumps(made_from) + "\n", encoding="utf-8")
    return np.load(file, mmap_mode="r")


def fingerprint(split: Split) -> dict[str, str | int]:
    """Return a fingerprint of a split's images: their names, sizes and times."""
    digest = hashlib.sha256()
    for path in split.image_files:
        status = path.stat()
        digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return {"images": len(split.image_files), "sha256": digest.hexdigest(), "reading": READING}


def objects_of(split: Split, side: int) -> Tensor:
    """Return the share of each place of a grid on objects of a split's scenes: (V, side, side) in [0, 1]."""
    scenes = read_scenes(split.folder, split.name, read_entities(split.folder, split.name))
    if scenes is None:
        raise ValueError(
            f"training.object_weight needs {split.folder / (split.name + '_scenes.jsonl')}, which is not there: leave "
            "it at 1, or draw scenes by python -m seps.scenes."
        )
    masks = [Masks(scene, (side, side)).all() for scene in tqdm(scenes, f"Objects of {split.name}", leave=False)]
    return torch.from_numpy(np.stack(masks)).float().view(-1, side, side)


def find_frequent_ids(captions: Sequence[Tensor], count: int, always: Sequence[int]) -> Tensor:
    """Return the `count` most frequent token ids of captions and `always`, then the lowest, ascending."""
    often = [number for number, _ in Counter(int(i) for ids in captions for i in ids).most_common()]
    return torch.tensor(sorted(list(dict.fromkeys([*always, *often, *range(count)]))[:count]))


def features_of(
    network: GeneratorNetwork, split: Split, cache: Path, mirrored: bool = False, crops: int = 0
) -> Features:
    """Compute or read the cells (V, K, G, D) of a split's pictures from a frozen encoder, float16 in `cache`."""
    encoders, size = network.config.encoders, network.config.image_size
    views = 1 + mirrored + crops
    stem = f"{split.name}-{encoders.vision}-{size}{'-mirrored' if mirrored else ''}{f'-{crops}-crops' if crops else ''}"
    made_from = fingerprint(split) | {"vision": encoders.vision, "weights": encoders.vision_weights}
    files, images = split.image_files, network.images
    shape = (len(files), views, images.side**2, images.width)

    def compute() -> Iterator[Features]:
        for start in tqdm(range(0, len(files), BATCH_SIZE), desc=f"Features of {split.name}", leave=False):
            opened = [open_image(path) for path in files[start : start + BATCH_SIZE]]
            pictures = to_values(opened, size)
            seen = [pictures, *[pictures.flip(3)] * mirrored]
            for crop in range(crops):
                rngs = (item_random(0, crop, start + number, "image") for number in range(len(opened)))
                seen.append(to_values(list(map(augment_image, opened, rngs)), size))
            yield torch.stack([cells_of(images, view.to(network.device)) for view in seen], dim=1).numpy()

    return cached_rows(cache / f"{stem}.npy", made_from, "<f2", shape, compute())


@torch.no_grad()
def cells_of(images: ImageEncoder, pictures: Tensor) -> Tensor:
    """Cells (B, G, D) of pictures (B, 3, S, S), row by row, on the CPU."""
    with in_bfloat16(pictures.device.type == "cpu"):
        maps = images.maps(pictures.contiguous(memory_format=torch.channels_last))
    return maps.float().flatten(2).transpose(1, 2).cpu()


def maps_of(features: Features, rows: Tensor, side: int, training: bool) -> Tensor:
    """Maps (B, D, side, side) of pictures by number, in training of each at random one of its views."""
    views = torch.randint(features.shape[1], (len(rows),)) if training else torch.zeros_like(rows)
    cells = torch.from_numpy(features[rows.numpy(), views.numpy()].astype(np.float32))  # (B, G, D)
    return cells.transpose(1, 2).unflatten(2, (side, side))
