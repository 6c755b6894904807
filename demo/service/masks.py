"""Formats of decision masks in links and commands: bits as text, and lists of patches."""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
ALL = "all"
RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def mask_text(mask: NDArray[np.generic]) -> str:
    """Encode the bits of a mask (N,) as base64url without padding; 34 characters for 196 patches."""
    return urlsafe_b64encode(np.packbits(mask.astype(bool)).tobytes()).decode().rstrip("=")


def read_mask(text: str, count: int) -> Mask | None:
    """Decode the text of a mask of `count` patches; None, the model's decision, for "". ValueError for invalid text,
    another number of bits, or a mask without a kept patch."""
    if not text:
        return None
    length = (count + 7) // 8  # bytes
    try:
        content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        content = b""
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8)).astype(bool)
    if len(content) != length or bits[count:].any() or mask_text(bits[:count]) != text:
        raise ValueError(f"The mask {text[:60]!r} does not have {count} patches: leave it out, or copy the link again.")
    return require_kept_patch(bits[:count])


def require_kept_patch(mask: Mask) -> Mask:
    """Return the mask; ValueError if it keeps no patch."""
    if not mask.any():
        raise ValueError("The mask keeps no patch, but at least one is needed: keep one.")
    return mask


def read_patches(text: str, count: int, name: str) -> Mask:
    """Parse a list of patches, "1,2,5-9" or "all", counted from 1 row by row, as a mask (N,), empty for none;
    ValueError for invalid text, or a patch above `count`."""
    mask = np.zeros(count, dtype=bool)
    if text.strip() == ALL:
        return ~mask
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"{name} has {part[:40]!r}, but numbers of patches are needed, such as 1,2,5-9, or {ALL}.")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            raise ValueError(f"{name} has {part}, but there are patches 1 to {count}.")
        mask[first - 1 : last] = True
    return mask


def changed_mask(kept: Mask, keep: str, drop: str) -> Mask | None:
    """Return the decision (N,) after dropping and then keeping patches, None if both lists are empty; ValueError as
    `read_patches`, or if no patch is left."""
    if not (keep.strip() or drop.strip()):
        return None
    dropped, added = read_patches(drop, kept.size, "drop"), read_patches(keep, kept.size, "keep")
    return require_kept_patch((kept & ~dropped) | added)


def overlap_of(mask: Mask, other: Mask) -> float:
    """Return the intersection over union of two masks, in [0, 1]; 1 if both are empty."""
    union = int((mask | other).sum())
    return int((mask & other).sum()) / union if union else 1.0
