"""Sentences on one record for files, commands and the lesson; assets/js/record/sentences.js does so for the page: its
masks, words and terms."""

from __future__ import annotations

from demo.record.layers.layers import Layer
from demo.record.texts.language import phrase
from demo.record.texts.table import say
from seps import BranchExplanation, Explanation

SPECIAL = ("[CLS]", "[SEP]")  # labels of the tokens around a caption


def branches_of(record: Explanation) -> list[BranchExplanation]:
    """Return the branches that ran."""
    return [branch for branch in (record.sparse, record.dense) if branch is not None]


def mask_key(layer: Layer) -> list[list[str]]:
    """Return the styles of a mask's patches with their meaning, kept patches first."""
    return [[look, say(f"mask.{meaning}")] for look, meaning in layer.row.looks.items()]


def describe_kept(branch: BranchExplanation) -> str:
    """Return how many patches a branch kept."""
    return say("mask.count", kept=branch.kept.sum(), total=branch.kept.size)


def word_line(record: Explanation, number: int) -> str:
    """Return the token that a word met best."""
    alignment = record.sparse_alignment
    best = int(alignment.best_token[number])
    return say(
        "word.met" if alignment.word_maps[number].any() else "word.placeless",
        word=alignment.words[number],
        cosine=alignment.cosines[best, number],
        token=alignment.tokens[best],
    )


def term_titles(record: Explanation) -> dict[str, str]:
    """Return each term's title: with its caption's name where two captions have terms."""
    both = record.dense_alignment is not None
    titles = {}
    for name in record.terms:
        caption, _, term = name.partition(" ")
        title = say(f"term.{term}")
        titles[name] = say("term.of_caption", caption=phrase(caption), term=title) if both else title
    return titles
