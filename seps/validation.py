"""Loud checks at the door: every message names both numbers and says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import torch
from torch import Tensor

Lengths = Tensor | Sequence[int]
LARGEST = 1e15  # squares of greater values, summed over channels, leave float32


def check_ratio(name: str, ratio: float) -> None:
    """Raise ValueError unless 0 < ratio <= 1."""
    if not 0.0 < ratio <= 1.0:
        raise ValueError(f"{name} is {ratio}, but it must lie in (0, 1].")


def check_whole(name: str, number: float) -> None:
    """Raise ValueError unless number is a whole number of at least 1."""
    if number != int(number) or number < 1:
        raise ValueError(f"{name} is {number}, but a whole number of at least 1 is needed.")


def check_positive(name: str, number: float) -> None:
    """Raise ValueError unless number > 0."""
    if not number > 0:
        raise ValueError(f"{name} is {number}, but it must be greater than 0.")


def check_embeddings(name: str, embeddings: Tensor, channels: int, dtype: torch.dtype) -> None:
    """Raise ValueError unless `embeddings` is a finite (batch, length, channels) tensor of the model's dtype.

    Under autocast any floating-point dtype goes. Padding positions count too: a NaN there is a NaN that
    something upstream made.
    """
    if not isinstance(embeddings, Tensor):
        raise ValueError(f"{name} is a {type(embeddings).__name__}, but a torch.Tensor is needed.")
    if embeddings.ndim != 3:
        raise ValueError(
            f"{name} has {embeddings.ndim} dimensions {tuple(embeddings.shape)}, but 3 are needed: "
            "(batch, length, channels)."
        )
    if embeddings.shape[0] == 0:
        raise ValueError(f"{name} has a batch of 0, but at least 1 is needed.")
    if not embeddings.is_floating_point():
        raise ValueError(f"{name} holds {embeddings.dtype}, but floating-point embeddings are needed.")
    if embeddings.dtype != dtype and not torch.is_autocast_enabled(embeddings.device.type):
        raise ValueError(f"{name} holds {embeddings.dtype}, but the model's parameters are {dtype}: convert one.")
    if embeddings.shape[-1] != channels:
        raise ValueError(
            f"{name} has {embeddings.shape[-1]} channels, but the model was built for embed_size {channels}."
        )
    if embeddings.numel() == 0:
        return
    low, high = (float(bound) for bound in embeddings.detach().aminmax())  # NaN where there is one
    if not (isfinite(low) and isfinite(high)):
        finite = torch.isfinite(embeddings)
        bad = int((~finite).sum())
        where = tuple(int(i) for i in (~finite).nonzero()[0])
        raise ValueError(
            f"{name} holds {bad} NaN or infinite values among {embeddings.numel()}, the first at index {where}."
        )
    largest = max(-low, high)
    if largest > LARGEST:
        raise ValueError(f"{name} holds a magnitude of {largest:.1e}, but squares and sums need at most {LARGEST:.0e}.")


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
    try:
        numbers = torch.as_tensor(lengths)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{name} is {lengths!r}, but a whole number a caption is needed.") from error
    if numbers.ndim != 1:
        raise ValueError(f"{name} has {numbers.ndim} dimensions, but 1 is needed: a length a caption.")
    if numbers.is_floating_point() and not bool((numbers == numbers.round()).all()):
        raise ValueError(f"{name} is {numbers.tolist()}, but whole numbers are needed.")
    if not bool(torch.isfinite(numbers).all()):
        raise ValueError(f"{name} is {numbers.tolist()}, but finite numbers are needed.")
    counts = [int(number) for number in numbers.tolist()]
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
    dtype: torch.dtype,
) -> tuple[list[int], list[int] | None]:
    """Check sparse and dense captions together; return their lengths as ints."""
    check_embeddings("cap_embs", cap_embs, channels, dtype)
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
    check_embeddings("long_cap_embs", long_cap_embs, channels, dtype)
    if long_cap_embs.shape[0] != cap_embs.shape[0]:
        raise ValueError(
            f"long_cap_embs has {long_cap_embs.shape[0]} dense captions, but cap_embs has "
            f"{cap_embs.shape[0]} captions: each caption needs its own."
        )
    return lengths, check_lengths("long_cap_lens", long_cap_lens, "long_cap_embs", long_cap_embs)
