"""Where two models looked for each word of a caption: the UNet that drew a picture, and SEPS that reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.record.layers.sentences import SPECIAL
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

    @property
    def high(self) -> float:
        """The highest value of both, where their one scale ends."""
        return float(max(self.unet.max(), self.seps.max()))


def find_looks(tokens: Sequence[str], attention: Floats, record: Explanation) -> list[Look]:
    """Return both maps of each token that both models read, not [CLS] or [SEP]; `attention` (L or more, side, side)."""
    alignment = record.sparse_alignment
    looks = []
    for token, other in shared_tokens(tokens, alignment.words):
        seen = record.on_grid(alignment.word_maps[other]).astype(np.float64)  # (H, W)
        seen /= seen.sum() or 1.0
        drawn = on_grid(attention[token], record.grid)
        looks.append(Look(tokens[token], other, drawn / (drawn.sum() or 1.0), seen))
    return looks


def shared_tokens(tokens: Sequence[str], others: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of each token in both lists: the second "dog" of one is the second of the other."""
    places = {named: place for place, named in enumerate(numbered(others))}
    return [
        (place, places[named])
        for place, named in enumerate(numbered(tokens))
        if named in places and named[0] not in SPECIAL
    ]


def numbered(tokens: Sequence[str]) -> list[tuple[str, int]]:
    """Return each token with how often it stood before."""
    seen: Counter[str] = Counter()
    numbered_tokens = []
    for token in tokens:
        numbered_tokens.append((token, seen[token]))
        seen[token] += 1
    return numbered_tokens


def on_grid(values: Floats, grid: tuple[int, int]) -> Floats:
    """Shares (h, w) laid out on another grid (H, W) of the same picture, by area: their sum stays."""
    rows, columns = (overlaps(old, new) for old, new in zip(values.shape, grid, strict=True))
    return np.asarray(rows @ values.astype(np.float64) @ columns.T)


def overlaps(old: int, new: int) -> Floats:
    """(new, old): the part of each of `old` equal lengths that lies in each of `new` equal ones."""
    ends, others = np.arange(new + 1) / new, np.arange(old + 1) / old
    shared = np.minimum(ends[1:, None], others[1:]) - np.maximum(ends[:-1, None], others[:-1])  # (new, old)
    return np.clip(shared, 0.0, None) * old


def looks_value(looks: Sequence[Look], grid: tuple[int, int]) -> dict[str, Any]:
    """Return each word's label, sentences and the end of its scale, and both maps, (W, N) each; JSON ready."""
    return {
        "grid": list(grid),
        "words": [
            {
                "label": look.token,
                "word": look.word,
                "high": look.high,
                "unet": say("generate.unet_says", word=look.token, where=lies(look.unet)),
                "seps": seps_says(look),
                "numbers": [say(f"generate.{side}_numbers", word=look.token) for side in ("unet", "seps")],
            }
            for look in looks
        ],
        "unet": packed_maps([look.unet for look in looks], grid),
        "seps": packed_maps([look.seps for look in looks], grid),
    }


def packed_maps(maps: Sequence[Floats], grid: tuple[int, int]) -> dict[str, Any]:
    """Pack maps (H, W) as (W, N), none where a caption has no word."""
    return pack_array(np.stack(maps).reshape(len(maps), -1) if maps else np.zeros((0, grid[0] * grid[1])))


def seps_says(look: Look, sentence: str = "seps_says") -> str:
    """Return where most of SEPS's map of a word lies, in a sentence of the table."""
    if not look.seps.any():
        return say("generate.seps_placeless", word=look.token)
    return say(f"generate.{sentence}", word=look.token, where=lies(look.seps))


def lies(attention: Floats) -> str:
    """Return where most of shares (H, W) lies, as the end of a sentence."""
    place = whereabouts(attention)
    return say("generate.evenly") if place is None else say("generate.mostly", place=phrase(place))
