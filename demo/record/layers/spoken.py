"""Layers as people say them at the command line, where words are counted as in a sentence."""

import re
from collections.abc import Sequence

from demo.record.layers import layer_table
from demo.record.texts.table import counted
from seps import Explanation
from seps.encoders.tokenizer import Tokenizer, first_pieces

WORD = re.compile(r"([a-z_]+):([0-9]{1,9}|\[?(?:cls|sep)\]?)", re.IGNORECASE)
PIECE = re.compile(r"piece:([0-9]{1,9})")


def layer_of_words(text: str, caption: str, tokenizer: Tokenizer, record: Explanation) -> str:
    """As `layer_of_starts`, for a caption as read."""
    return layer_of_starts(text, first_pieces(caption, tokenizer), record)


def layer_of_starts(text: str, starts: Sequence[int], record: Explanation) -> str:
    """Return the layer as links and `Layer.parse` write it, where word:N is a place among [CLS], the word pieces and
    [SEP].

    Args:
        text: word:2 is the caption's second word, split at spaces, and of one in several pieces the first piece;
            word:[CLS] and word:[SEP], also without brackets, are those tokens; piece:3 is the third word piece;
            all layers of a word count alike, as effect:2; all others stay.
        starts: the place of each word's first piece, see `first_pieces` in `seps.encoders.tokenizer`.
        record: of the caption.

    Raises:
        ValueError: the caption has fewer words, or the model did not read so far.
    """
    count = len(record.sparse_alignment.words)  # with [CLS] and [SEP]
    if piece := PIECE.fullmatch(text):
        return f"word:{_within(int(piece[1]), count - 2, 'word piece')}"
    word = WORD.fullmatch(text)
    if word is None or word[1].lower() not in {row.name for row in layer_table.LAYERS if row.number == "word"}:
        return text
    name, spoken = word[1].lower(), word[2]
    if not spoken.isdigit():
        return f"{name}:0" if "cls" in spoken.lower() else f"{name}:{count - 1}"
    place = starts[_within(int(spoken), len(starts), "word") - 1]
    if place > count - 2:
        raise ValueError(f"The model reads {count - 2} word pieces of the caption, and word {spoken} comes after them.")
    return f"{name}:{place}"


def _within(number: int, most: int, noun: str) -> int:
    if not 1 <= number <= most:
        asked = f"{noun.split()[-1]} {number} was asked for"
        raise ValueError(f"The caption has {counted(most, noun)}, 1 to {most}, but {asked}.")
    return number
