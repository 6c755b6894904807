"""Where two models looked for each word of a caption: the UNet that drew a picture, and SEPS that reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.record.layers.layers import SPECIAL
from demo.record.packing import pack_array
from demo.record.texts.language import phrase
from demo.record.texts.table import say
from demo.service.measuring.measured import whereabouts
from seps import Explanation

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Look:
    """Two maps (H, W) of one token on one picture, each adding up to 1, SEPS's to 0 if its best token has no place."""

    token: str
    word: int
    unet: Floats
    seps: Floats


def find_looks(tokens: Sequence[str], attention: Floats, record: Explanation) -> list[Look]:
    """Return both maps of each token that both models read, not [CLS] or [SEP]; `attention` (L or more, side, side).
    The second "dog" of one is the second of the other."""
    alignment = record.sparse_alignment
    places = {named: place for place, named in enumerate(_numbered(alignment.words))}
    looks = []
    for token, named in enumerate(_numbered(tokens)):
        if named not in places or named[0] in SPECIAL:
            continue
        seen = record.on_grid(alignment.word_maps[places[named]]).astype(np.float64)  # (H, W)
        seen /= seen.sum() or 1.0
        drawn = _on_grid(attention[token], record.grid)
        looks.append(Look(tokens[token], places[named], drawn / (drawn.sum() or 1.0), seen))
    return looks


def _numbered(tokens: Sequence[str]) -> list[tuple[str, int]]:
    """Return each token with how often it stood before."""
    return [(token, tokens[:place].count(token)) for place, token in enumerate(tokens)]


def _on_grid(values: Floats, grid: tuple[int, int]) -> Floats:
    """Lay shares (h, w) out on another grid (H, W) of the same picture, by area: their sum stays."""
    overlaps = []  # (new, old) each: the part of each of `old` equal lengths that lies in each of `new` equal ones
    for old, new in zip(values.shape, grid, strict=True):
        ends, others = np.arange(new + 1) / new, np.arange(old + 1) / old
        shared = np.minimum(ends[1:, None], others[1:]) - np.maximum(ends[:-1, None], others[:-1])
        overlaps.append(np.clip(shared, 0.0, None) * old)
    return np.asarray(overlaps[0] @ values.astype(np.float64) @ overlaps[1].T)


def looks_value(looks: Sequence[Look], grid: tuple[int, int]) -> dict[str, Any]:
    """Return each word's label, sentences and the end of its scale, and both maps, (W, N) each; JSON ready."""
    words = [
        {
            "label": look.token,
            "word": look.word,
            "high": float(max(look.unet.max(), look.seps.max())),  # where the one scale of both ends
            "unet": say("generate.unet_says", word=look.token, where=lies(look.unet)),
            "seps": seps_says(look),
            "numbers": [say(f"generate.{side}_numbers", word=look.token) for side in ("unet", "seps")],
        }
        for look in looks
    ]
    return {"grid": list(grid), "words": words} | {
        side: packed_maps([getattr(look, side) for look in looks], grid) for side in ("unet", "seps")
    }


def packed_maps(maps: Sequence[Floats], grid: tuple[int, int]) -> dict[str, Any]:
    """Pack maps (H, W) as (W, N), none where a caption has no word."""
    return pack_array(np.array(maps).reshape(len(maps), grid[0] * grid[1]))


def seps_says(look: Look, sentence: str = "seps_says") -> str:
    """Return where most of SEPS's map of a word lies, in a sentence of the table."""
    if not look.seps.any():
        return say("generate.seps_placeless", word=look.token)
    return say(f"generate.{sentence}", word=look.token, where=lies(look.seps))


def lies(attention: Floats) -> str:
    """Return where most of shares (H, W) lies, as the end of a sentence."""
    place = whereabouts(attention)
    return say("generate.evenly") if place is None else say("generate.mostly", place=phrase(place))
