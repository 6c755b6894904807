"""Captions with their images as a torch dataset, and the batches that the authors' training loop takes."""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from PIL import Image
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset
from torch.utils.data._utils.collate import default_collate_fn_map

from seps.data.layout import Split, dense_captions
from seps.media.photos import open_image

TOUCHED = 0.2  # fraction of words
MASKED, REPLACED = 0.5, 0.1  # fractions of the words touched; the rest is deleted
AREA = (0.6, 1.0)  # of the crop, as a fraction of the image's
ASPECT = (3 / 4, 4 / 3)  # of the crop, width over height
MIRRORED = 0.5  # fraction of images
TRIES = 10

FEWEST = 3  # [CLS], a word and [SEP]


def item_random(seed: int, epoch: int, index: int, part: str) -> random.Random:
    """Make the rng of one part ("caption" or "image") of one item: the same whenever and wherever it is made."""
    return random.Random(f"{seed} {epoch} {index} {part}")


def augment_words(
    words: Sequence[Sequence[int]], mask_id: int, ordinary_ids: Sequence[int], rng: random.Random
) -> list[int]:
    """Mask, replace and delete words, lists of word pieces' ids; at least one word remains."""
    pieces: list[int] = []
    for word in words:
        if rng.random() >= TOUCHED:
            pieces.extend(word)
            continue
        fate = rng.random()
        if fate < MASKED:
            pieces.extend([mask_id] * len(word))
        elif fate < MASKED + REPLACED:
            pieces.extend(rng.choice(ordinary_ids) for _ in word)
    return pieces or [piece for word in words for piece in word]


def augment_image(image: Image.Image, rng: random.Random) -> Image.Image:
    """Return a random crop, mirrored half of the time, at its own size: preprocessing resizes it once."""
    crop = image.crop(random_box(*image.size, rng))
    return crop.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if rng.random() < MIRRORED else crop


def random_box(width: int, height: int, rng: random.Random) -> tuple[int, int, int, int]:
    """Return the edges (left, top, right, bottom) in pixels of a random crop, as RandomResizedCrop draws them."""
    for _ in range(TRIES):
        area = width * height * rng.uniform(*AREA)
        aspect = math.exp(rng.uniform(math.log(ASPECT[0]), math.log(ASPECT[1])))
        crop_width, crop_height = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < crop_width <= width and 0 < crop_height <= height:
            left, top = rng.randint(0, width - crop_width), rng.randint(0, height - crop_height)
            return left, top, left + crop_width, top + crop_height
    crop_width = max(1, min(width, round(height * ASPECT[1])))
    crop_height = max(1, min(height, round(width / ASPECT[0])))
    left, top = (width - crop_width) // 2, (height - crop_height) // 2
    return left, top, left + crop_width, top + crop_height


class CaptionTokenizer(Protocol):
    """Tokenizer interface used by a dataset; `seps.encoders.Tokenizer` implements it."""

    cls_id: int
    sep_id: int
    mask_id: int
    pad_id: int

    @property
    def ordinary_ids(self) -> Sequence[int]:
        """Ids that a random replacement may draw from."""

    def words(self, caption: str) -> list[list[int]]:
        """Return the ids of each basic word's word pieces, no special tokens."""

    def encode(self, caption: str, max_tokens: int) -> list[int]:
        """Ids from [CLS] to [SEP], at most max_tokens in all."""


class Item(NamedTuple):
    """A caption with its image (3, H, W): token ids from [CLS] to [SEP], and their indices in the split."""

    image: Tensor
    caption: list[int]
    dense_caption: list[int] | None
    number: int
    image_number: int
    pad_id: int = 0


class Batch(NamedTuple):
    """B items, in the order that the authors' training loop unpacks.

    Attributes:
        images: (B, 3, H, W).
        captions: (B, L) int64, padded token ids; lengths: (B,) int64, including [CLS] and [SEP].
        dense_captions, dense_lengths: (B, L_d) and (B,), or both None.
        ids, img_ids: (B,) int64, indices of the captions and their images in the split.
    """

    images: Tensor
    captions: Tensor
    lengths: Tensor
    dense_captions: Tensor | None
    dense_lengths: Tensor | None
    ids: Tensor
    img_ids: Tensor

    def __getitem__(self, key: Any) -> Any:
        """Return a field by its position, or by its name, as `batch["images"]`; KeyError for another name."""
        if not isinstance(key, str):
            return tuple.__getitem__(self, key)
        if key not in self._fields:
            raise KeyError(f"A batch has no {key!r}. Choose one of: {', '.join(self._fields)}.")
        return getattr(self, key)


class CaptionDataset(Dataset[Item]):
    """A split as V * k items, one per caption; a DataLoader makes a `Batch` of them, with or without a collate_fn.

    Args:
        preprocess: returns a normalised (3, H, W) float tensor of an image of any size and mode.
        max_words, max_dense_words: largest number of tokens, including [CLS] and [SEP]; at least 3.
        train: augment images and captions, differently in each epoch; dense captions are never changed.
        seed: with the epoch and the index it decides the augmentation.
        dense: "none", "own" or "other", see `dense_captions`.
    """

    def __init__(
        self,
        split: Split,
        tokenizer: CaptionTokenizer,
        preprocess: Callable[[Image.Image], Tensor],
        max_words: int = 30,
        max_dense_words: int = 200,
        train: bool = False,
        seed: int = 0,
        dense: str = "own",
    ) -> None:
        for name, limit in (("max_words", max_words), ("max_dense_words", max_dense_words)):
            if limit < FEWEST:
                raise ValueError(f"{name} is {limit}, but [CLS], a word and [SEP] need at least {FEWEST}.")
        self.split, self.tokenizer, self.preprocess = split, tokenizer, preprocess
        self.max_words, self.max_dense_words = max_words, max_dense_words
        self.train, self.seed = train, seed
        self.dense_captions = dense_captions(split, dense)
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # persistent workers see it change

    def __len__(self) -> int:
        return len(self.split.captions)

    def __getitem__(self, index: int) -> Item:
        if not 0 <= index < len(self):
            raise IndexError(f"index is {index}, but the split has {len(self)} captions, counted from 0.")
        image_number = index // self.split.captions_per_image
        texts = self.caption(index), self.dense_caption(index)
        return Item(self.image(index), *texts, index, image_number, self.tokenizer.pad_id)

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which seeds the augmentation; call it before iterating over a DataLoader."""
        self._epoch.fill_(epoch)

    def image(self, index: int) -> Tensor:
        """Return the image of caption `index`, (3, H, W), augmented in training."""
        file = self.split.image_files[index // self.split.captions_per_image]
        image = open_image(file)
        if self.train:
            image = augment_image(image, item_random(self.seed, int(self._epoch), index, "image"))
        try:
            return self.preprocess(image)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error

    def caption(self, index: int) -> list[int]:
        """Token ids of caption `index`, from [CLS] to [SEP], augmented in training."""
        text, tokenizer = self.split.captions[index], self.tokenizer
        if not self.train:
            return tokenizer.encode(text, self.max_words)
        rng = item_random(self.seed, int(self._epoch), index, "caption")
        pieces = augment_words(tokenizer.words(text), tokenizer.mask_id, tokenizer.ordinary_ids, rng)
        return [tokenizer.cls_id, *pieces[: self.max_words - 2], tokenizer.sep_id]

    def dense_caption(self, index: int) -> list[int] | None:
        """Token ids of the dense caption that comes with caption `index`, or None."""
        if self.dense_captions is None:
            return None
        return self.tokenizer.encode(self.dense_captions[index], self.max_dense_words)

    def collate(self, items: Sequence[Item]) -> Batch:
        """Return a batch of these items, padded with the tokenizer's pad_id: the collate_fn of a DataLoader."""
        return collate(items, self.tokenizer.pad_id)


def collate(items: Sequence[Item], pad_id: int) -> Batch:
    """Stack and pad items into a batch, in their order."""
    dense = [item.dense_caption for item in items if item.dense_caption is not None]
    captions, lengths = _pad([item.caption for item in items], pad_id)
    dense_captions, dense_lengths = _pad(dense, pad_id) if dense else (None, None)
    return Batch(
        torch.stack([item.image for item in items]),
        captions,
        lengths,
        dense_captions,
        dense_lengths,
        torch.tensor([item.number for item in items]),
        torch.tensor([item.image_number for item in items]),
    )


# How a DataLoader without a collate_fn collates items.
default_collate_fn_map[Item] = lambda items, *, collate_fn_map=None: collate(items, items[0].pad_id)


def _pad(captions: Sequence[list[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Captions as (B, L) and their lengths (B,), int64."""
    padded = pad_sequence([torch.tensor(caption) for caption in captions], batch_first=True, padding_value=pad_id)
    return padded, torch.tensor([len(caption) for caption in captions])
