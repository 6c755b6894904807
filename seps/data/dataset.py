"""Captions with their images as a torch dataset, and the batches that the authors' training loop takes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from PIL import Image
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset
from torch.utils.data._utils.collate import default_collate_fn_map

from seps.data.augmentation import augment_image, augment_words, item_random
from seps.data.layout import Split, dense_captions
from seps.photos import open_image

FEWEST = 3  # [CLS], a word and [SEP]


class CaptionTokenizer(Protocol):
    """Tokenizer interface used by a dataset; `seps.encoders.Tokenizer` implements it."""

    @property
    def cls_id(self) -> int:
        """Id of [CLS]."""

    @property
    def sep_id(self) -> int:
        """Id of [SEP]."""

    @property
    def mask_id(self) -> int:
        """Id of [MASK]."""

    @property
    def pad_id(self) -> int:
        """Id that fills a batch's shorter captions."""

    @property
    def ordinary_ids(self) -> Sequence[int]:
        """Ids that a random replacement may draw from."""

    def words(self, caption: str) -> list[list[int]]:
        """Return the ids of each basic word's word pieces, no special tokens."""

    def encode(self, caption: str, max_tokens: int) -> list[int]:
        """Ids from [CLS] to [SEP], at most max_tokens in all."""


class Item(NamedTuple):
    """A caption with its image.

    Attributes:
        image: (3, H, W).
        caption, dense_caption: token ids from [CLS] to [SEP]; no dense caption: None.
        number, image_number: indices of the caption and its image in the split.
        pad_id: pads shorter captions of a batch.
    """

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

    Raises:
        ValueError: a limit below 3, or as `dense_captions`; on access, an image file that cannot be read.
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
        self.split = split
        self.tokenizer = tokenizer
        self.preprocess = preprocess
        self.max_words = max_words
        self.max_dense_words = max_dense_words
        self.train = train
        self.seed = seed
        self.dense_captions = dense_captions(split, dense)
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # persistent workers see it change

    def __len__(self) -> int:
        return len(self.split.captions)

    def __getitem__(self, index: int) -> Item:
        if not 0 <= index < len(self):
            raise IndexError(f"index is {index}, but the split has {len(self)} captions, counted from 0.")
        image_number = index // self.split.captions_per_image
        return Item(
            self.image(index),
            self.caption(index),
            self.dense_caption(index),
            index,
            image_number,
            self.tokenizer.pad_id,
        )

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which seeds the augmentation; call it before iterating over a DataLoader."""
        self._epoch.fill_(epoch)

    def image(self, index: int) -> Tensor:
        """Return the image of caption `index`, (3, H, W), augmented in training."""
        file = self.split.image_files[index // self.split.captions_per_image]
        image = open_image(file)
        if self.train:
            image = augment_image(image, self._rng(index, "image"))
        try:
            return self.preprocess(image)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error

    def caption(self, index: int) -> list[int]:
        """Token ids of caption `index`, from [CLS] to [SEP], augmented in training."""
        text, tokenizer = self.split.captions[index], self.tokenizer
        if not self.train:
            return tokenizer.encode(text, self.max_words)
        rng = self._rng(index, "caption")
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

    def _rng(self, index: int, part: str) -> random.Random:
        return item_random(self.seed, int(self._epoch), index, part)


def collate(items: Sequence[Item], pad_id: int) -> Batch:
    """Stack and pad items into a batch, in their order."""
    captions, lengths = _pad([item.caption for item in items], pad_id)
    dense = [item.dense_caption for item in items if item.dense_caption is not None]
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


def _collate_plain(items: Sequence[Item], *, collate_fn_map: object = None) -> Batch:
    """Collate items like a DataLoader without a collate_fn."""
    return collate(items, items[0].pad_id)


default_collate_fn_map[Item] = _collate_plain  # torch's own place for how a type is collated


def _pad(captions: Sequence[list[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Captions as (B, L) and their lengths (B,), int64."""
    lengths = torch.tensor([len(caption) for caption in captions])  # (B,)
    return pad_sequence([torch.tensor(c) for c in captions], batch_first=True, padding_value=pad_id), lengths
