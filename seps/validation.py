"""Loud checks at the door: every message names both numbers and says what to do."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

Lengths = Tensor | Sequence[int]


def check_ratio(name: str, ratio: float) -> None:
    """Raise ValueError unless 0 < ratio <= 1."""
    if not 0.0 < ratio <= 1.0:
        raise ValueError(f"{name} is {ratio}, but it must lie in (0, 1].")


def check_positive(name: str, number: float) -> None:
    """Raise ValueError unless number > 0."""
    if not number > 0:
        raise ValueError(f"{name} is {number}, but it must be greater than 0.")


def check_embeddings(name: str, embeddings: Tensor, channels: int) -> None:
    """Raise ValueError unless `embeddings` is a finite (batch, length, channels) float tensor.

    Padding positions count too: a NaN there is a NaN that something upstream made.
    """
    if embeddings.ndim != 3:
        raise ValueError(
            f"{name} has {embeddings.ndim} dimensions {tuple(embeddings.shape)}, but 3 are needed: "
            "(batch, length, channels)."
        )
    if embeddings.shape[0] == 0:
        raise ValueError(f"{name} has a batch of 0, but at least 1 is needed.")
    if not embeddings.is_floating_point():
        raise ValueError(f"{name} holds {embeddings.dtype}, but floating-point embeddings are needed.")
    if embeddings.shape[-1] != channels:
        raise ValueError(
            f"{name} has {embeddings.shape[-1]} channels, but the model was built for embed_size {channels}."
        )
    finite = torch.isfinite(embeddings)
    if not bool(finite.all()):
        bad = int((~finite).sum())
        where = tuple(int(i) for i in (~finite).nonzero()[0])
        raise ValueError(
            f"{name} holds {bad} NaN or infinite values among {embeddings.numel()}, the first at index {where}."
        )


def check_patch_count(name: str, tokens: int, num_patches: int) -> bool:
    """Return whether the image has a [CLS] token; raise ValueError where the count fits neither way."""
    if tokens == num_patches + 1:
        return True
    if tokens == num_patches:
        return False
    raise ValueError(
        f"{name} has {tokens} tokens an image, but the model was built for num_patches {num_patches}: "
        f"{num_patches} tokens, or {num_patches + 1} with a [CLS] token first."
    )


def check_lengths(name: str, lengths: Lengths, embeddings_name: str, embeddings: Tensor) -> list[int]:
    """Return caption lengths as ints; raise ValueError for a wrong count, a 0 or one beyond the tensor."""
    numbers = lengths.tolist() if isinstance(lengths, Tensor) else list(lengths)
    counts = [int(number) for number in numbers]
    if counts != numbers:
        raise ValueError(f"{name} is {numbers}, but whole numbers are needed: {counts}.")
    batch, longest = embeddings.shape[:2]
    if len(counts) != batch:
        raise ValueError(f"{name} has {len(counts)} entries, but {embeddings_name} has {batch} captions.")
    for i, count in enumerate(counts):
        if not 1 <= count <= longest:
            raise ValueError(
                f"{name}[{i}] is {count}, but {embeddings_name} has room for 1 to {longest} words a caption."
            )
    return counts


def check_captions(
    channels: int,
    cap_embs: Tensor,
    cap_lens: Lengths,
    long_cap_embs: Tensor | None,
    long_cap_lens: Lengths | None,
) -> tuple[list[int], list[int] | None]:
    """Check sparse and dense captions together; return their lengths as ints."""
    check_embeddings("cap_embs", cap_embs, channels)
    lengths = check_lengths("cap_lens", cap_lens, "cap_embs", cap_embs)
    if long_cap_embs is None:
        if long_cap_lens is not None:
            raise ValueError(
                f"long_cap_lens has {len(long_cap_lens)} entries, but there are 0 dense captions: pass long_cap_embs."
            )
        return lengths, None
    if long_cap_lens is None:
        raise ValueError(
            f"long_cap_embs has {long_cap_embs.shape[0]} dense captions, but 0 lengths: pass long_cap_lens."
        )
    check_embeddings("long_cap_embs", long_cap_embs, channels)
    if long_cap_embs.shape[0] != cap_embs.shape[0]:
        raise ValueError(
            f"long_cap_embs has {long_cap_embs.shape[0]} dense captions, but cap_embs has "
            f"{cap_embs.shape[0]} captions: each caption needs its own."
        )
    return lengths, check_lengths("long_cap_lens", long_cap_lens, "long_cap_embs", long_cap_embs)
