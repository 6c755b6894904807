"""Weight inside the named object: the share of a word's map on the object that its phrase names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demo.galleries.annotation import SceneAnnotation, labels, objects_name
from demo.galleries.phrases import phrases_of
from demo.record.table import say
from seps import Explanation
from seps.data.regions import energy_inside, mask_overlap
from seps.encoders.tokenizer import Tokenizer, word_tokens
from seps.scenes import Mention


@dataclass(frozen=True)
class Inside:
    """A word of the caption, counted from 0 as in the record, and the object its phrase names.

    Attributes:
        phrase: as in the caption; objects: their numbers; name: them in words, "the red car".
        fraction: of the weight of the word's map, in [0, 1], that lies inside the objects.
    """

    word: int
    phrase: str
    objects: tuple[int, ...]
    name: str
    fraction: float


def weights_inside(record: Explanation, known: SceneAnnotation, caption: str, tokenizer: Tokenizer) -> list[Inside]:
    """For each word of a phrase that names objects: the share of its map's weight inside them.

    Words with a zero map or a hidden object have none.
    """
    named = phrases_of(known, caption)
    positions = word_tokens(tokenizer, caption)
    if not named or positions is None:
        return []
    seen, maps = labels(known.scene), record.sparse_alignment.word_maps
    weights = []
    for mention in named:
        mask = np.isin(seen, mention.objects)
        if not mask.any():
            continue
        overlap = mask_overlap(mask, record.grid).reshape(-1)  # (N,)
        name = objects_name(known.scene, mention.objects)
        weights += [
            Inside(word, mention.phrase, mention.objects, name, energy_inside(maps[word], overlap))
            for word in words_of(mention, positions)
            if word < len(maps) - 1 and maps[word].any()  # the last one is [SEP]
        ]
    return weights


def words_of(mention: Mention, positions: Sequence[range]) -> list[int]:
    """Return the positions of a phrase's word pieces in the encoded caption."""
    last = mention.first_word + len(mention.phrase.split())
    return [place for word in positions[mention.first_word : last] for place in word]


def sentence(inside: Inside) -> str:
    """Return the figure in words."""
    return say("word.inside", share=100 * inside.fraction, name=inside.name)
