"""Small folders in the authors' layout with drawn images, and a BERT tokenizer of a few words."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from tokenizers.implementations import BertWordPieceTokenizer
from torch import Tensor

COLOURS = ("red", "green", "blue", "grey")
SHAPES = ("square", "disc", "bar")
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PIECES = (*COLOURS, *SHAPES, "a", "on", "the", ".", "is", "small", "pic", "##ture", "##s")


class DrawnTokenizer:
    """A real BERT tokenizer, normaliser and word pieces, only of `PIECES`."""

    pad_id, unknown_id, cls_id, sep_id, mask_id = range(5)
    ordinary_ids = range(5, 5 + len(PIECES))

    def __init__(self) -> None:
        self.bert = BertWordPieceTokenizer({piece: i for i, piece in enumerate((*SPECIALS, *PIECES))})

    def words(self, caption: str) -> list[list[int]]:
        encoding = self.bert.encode(caption, add_special_tokens=False)
        starts = [i for i, word in enumerate(encoding.words) if i == 0 or word != encoding.words[i - 1]]
        return [encoding.ids[first:last] for first, last in pairwise([*starts, len(encoding.ids)])]

    def encode(self, caption: str, max_tokens: int) -> list[int]:
        pieces = [piece for word in self.words(caption) for piece in word]
        return [self.cls_id, *pieces[: max_tokens - 2], self.sep_id]


def caption_of(image: int, number: int) -> str:
    """Caption `number` of image `image`; all of a small folder differ."""
    return f"a {COLOURS[number % 4]} {SHAPES[image % 3]} on the picture{'s' * (number > 3)} ."


def draw(path: Path, seed: int, size: tuple[int, int] = (40, 30)) -> None:
    """A PNG of random pixels: no two alike, and none like its mirror image."""
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)


def write_lines(path: Path, lines: Sequence[object]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_captions(folder: Path, split: str, images: Mapping[str, tuple[str, Sequence[str]]]) -> None:
    """Write a split's files of captions: by image id, the image's file name and its captions; other splits stay."""
    mapping = folder / "id_mapping.json"
    before = json.loads(mapping.read_text()) if mapping.is_file() else {}
    mapping.write_text(json.dumps(before | {image_id: name for image_id, (name, _) in images.items()}))
    write_lines(folder / f"{split}_caps.txt", [caption for _, captions in images.values() for caption in captions])
    write_lines(folder / f"{split}_ids.txt", [image_id for image_id, (_, captions) in images.items() for _ in captions])


def write_split(folder: Path, split: str = "dev", images: int = 3, k: int = 5, dense: int = 0) -> Path:
    """A whole split: ids 10, 11, ..., files 10.png, ..., k captions each, `dense` dense captions."""
    (folder / "images").mkdir(exist_ok=True)
    captions = {f"{10 + i}": (f"{10 + i}.png", [caption_of(i, j) for j in range(k)]) for i in range(images)}
    write_captions(folder, split, captions)
    for image_id, (name, _) in captions.items():
        draw(folder / "images" / name, int(image_id))
    if dense:
        write_lines(folder / f"{split}_dense.jsonl", [json.dumps({"text": f"a picture {i}"}) for i in range(dense)])
    return folder


def to_tensor(image: Image.Image) -> Tensor:
    """A preprocessing as encoders have it: 8x8 pixels, (3, 8, 8) in [0, 1]."""
    pixels = np.asarray(image.convert("RGB").resize((8, 8)), dtype=np.float32)
    return torch.from_numpy(pixels / 255).permute(2, 0, 1)
