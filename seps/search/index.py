"""Encode once: what the engine keeps of each image and each caption, whatever they are matched with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.network import CrossSparseAggrNet, ImageFeatures
from seps.method.selection import caption_directions, normalise_patches
from seps.method.tokens import split_cls

Rows = int | slice | Tensor | Sequence[int]


def model_key(model: CrossSparseAggrNet) -> str:
    """Return the fingerprint that an index shares with its model: settings, and a sum over the parameters."""
    variant = "paper" if model.use_paper_version else "released"
    sums = torch.stack([parameter.detach().double().sum() for parameter in model.parameters()])
    total = sum(sums.tolist())  # one look at the device for all
    return (
        f"{variant}, {model.embed_size} channels, {model.num_patches} patches, ratios {model.sparse_ratio} and "
        f"{model.aggr_ratio}, parameters adding up to {total:.9g}"
    )


def chosen(rows: Rows, count: int) -> slice | Tensor:
    """Return rows as a slice or as a tensor (K,) of positions; raise IndexError for one beyond the count."""
    if isinstance(rows, slice):
        return rows
    if isinstance(rows, int):
        rows = [rows]
    return torch.arange(count)[rows.cpu() if isinstance(rows, Tensor) else list(rows)]


def take_rows(values: Tensor | None, rows: slice | Tensor) -> Tensor | None:
    """Return some rows, or None."""
    return None if values is None else values[rows]


@dataclass(frozen=True)
class ImageIndex:
    """Quantities that depend only on the images, as in the network's `ImageFeatures`, with the key of its model.

    Attributes:
        cls: (V, C) of unit length, or None; patches: (V, N, C); norms: (V, N), their lengths; s_im: (V, N).
        s_p: (V, N) for the sparse and the dense branch, or None twice.
        logits: (V, N_c, N) for the sparse and the dense branch; one tensor twice where they share a network.
    """

    cls: Tensor | None
    patches: Tensor
    norms: Tensor
    s_im: Tensor
    s_p: tuple[Tensor | None, Tensor | None]
    logits: tuple[Tensor, Tensor]
    model_key: str

    def __len__(self) -> int:
        return len(self.patches)

    def __getitem__(self, rows: Rows) -> ImageIndex:
        """Return some of the images, by number, slice or numbers."""
        selected = chosen(rows, len(self))
        sparse, dense = self.logits
        part = sparse[selected]
        return ImageIndex(
            cls=take_rows(self.cls, selected),
            patches=self.patches[selected],
            norms=self.norms[selected],
            s_im=self.s_im[selected],
            s_p=(take_rows(self.s_p[0], selected), take_rows(self.s_p[1], selected)),
            logits=(part, part if dense is sparse else dense[selected]),
            model_key=self.model_key,
        )

    def features(self) -> ImageFeatures:
        """Return the images as the network takes them, so that they need not be encoded again."""
        return ImageFeatures(
            cls=None if self.cls is None else self.cls[:, None].to(self.patches.dtype),
            patches=self.patches,
            unit=normalise_patches(self.patches),
            s_im=self.s_im,
            s_p=self.s_p,
            logits=self.logits,
        )


@dataclass(frozen=True)
class Captions:
    """Sparse or dense captions: words (T, L, C) of unit length, zero after the end, lengths (T,), unit means (T, C)."""

    words: Tensor
    lengths: Tensor
    direction: Tensor

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, rows: Rows) -> Captions:
        """Return some of the captions, no longer than the longest of them."""
        selected = chosen(rows, len(self))
        lengths = self.lengths[selected]
        longest = int(lengths.max()) if len(lengths) else 0
        return Captions(self.words[:, :longest][selected].contiguous(), lengths, self.direction[selected])

    def block(self, rows: Tensor, longest: int) -> Captions:
        """Return the captions at positions (K,) on their device, none longer than `longest`, without a look at them."""
        return Captions(self.words[:, :longest][rows], self.lengths[rows], self.direction[rows])


@dataclass(frozen=True)
class CaptionIndex:
    """Quantities that depend only on the captions: the sparse ones, and each one's dense caption or None for all."""

    sparse: Captions
    dense: Captions | None

    def __len__(self) -> int:
        return len(self.sparse)

    def __getitem__(self, rows: Rows) -> CaptionIndex:
        """Return some of the captions, by number, slice or numbers."""
        return CaptionIndex(self.sparse[rows], None if self.dense is None else self.dense[rows])


def index_images(model: CrossSparseAggrNet, img_embs: Tensor, batches: Iterable[slice]) -> ImageIndex:
    """Encode checked images (V, N+1, C) or (V, N, C), batch by batch."""
    features: list[ImageFeatures] = []
    norms: list[Tensor] = []
    for rows in batches:
        image = model.encode_images(img_embs[rows])
        norms.append(image.patches.float().norm(dim=-1))  # (batch, N)
        features.append(replace(image, unit=image.unit[:0]))  # large, and quickly made again

    def joined(parts: Iterable[Tensor | None]) -> Tensor | None:
        present = [part for part in parts if part is not None]
        return torch.cat(present) if present else None

    cls, patches = split_cls(img_embs, model.num_patches)
    sparse = torch.cat([image.logits[0] for image in features])
    shared = features[0].logits[0] is features[0].logits[1]
    return ImageIndex(
        cls=None if cls is None else F.normalize(cls[:, 0].float(), dim=-1),
        patches=patches,  # the caller's own memory, no copy
        norms=torch.cat(norms),
        s_im=torch.cat([image.s_im for image in features]),
        s_p=(joined(image.s_p[0] for image in features), joined(image.s_p[1] for image in features)),
        logits=(sparse, sparse if shared else torch.cat([image.logits[1] for image in features])),
        model_key=model_key(model),
    )


def index_captions(
    cap_embs: Tensor, lengths: list[int], dense_cap_embs: Tensor | None, dense_lengths: list[int] | None
) -> CaptionIndex:
    """Index checked embeddings of captions (T, L_s, C) and dense captions (T, L_d, C)."""
    sparse = encode_texts(cap_embs, lengths)
    if dense_cap_embs is None or dense_lengths is None:
        return CaptionIndex(sparse, None)
    return CaptionIndex(sparse, encode_texts(dense_cap_embs, dense_lengths))


def encode_texts(embeddings: Tensor, lengths: list[int]) -> Captions:
    """Scale words to unit length, zeros beyond each end, and compute each caption's direction as the network does."""
    longest = max(lengths)
    words = F.normalize(embeddings[:, :longest].float(), dim=-1)  # (T, L, C)
    count = torch.tensor(lengths, device=embeddings.device)
    beyond = torch.arange(longest, device=embeddings.device) >= count[:, None]  # (T, L)
    words = words.masked_fill(beyond[..., None], 0.0)
    direction = caption_directions(embeddings, lengths)  # (T, C)
    return Captions(words, count, direction)
