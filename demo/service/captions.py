"""Validation of typed captions, with a hint for other languages: their words are split into pieces more often, or, as
in "une femme en robe rouge", the short English words are missing."""

from dataclasses import dataclass

from seps import SEPSModel
from seps.encoders.tokenizer import Tokenizer

MAX_CHARACTERS = 2000
MAX_TYPED = 200  # captions, one a line
ANY_LENGTH = 1_000_000  # word pieces
UNKNOWN = "[UNK]"
STARTS = "Ġ▁"  # marks of word starts in tokenizers other than BERT's
MIN_FRACTION = 0.25  # of the words in pieces, from which on a caption of at least ENOUGH words gets a hint
SHORT_FRACTION = 0.5  # and above which a shorter one does
ENOUGH = 4
NAMED = 5  # words that a hint names
SHORT_WORDS = """
    a an the this that these some two three of in on at with without and or to is are was be being it its as by from for
    into over under near behind through up down out off while his her their he she they who which there one no not next
    very all many other both each
"""
COMMON = frozenset(SHORT_WORDS.split())


@dataclass(frozen=True)
class Reading:
    """A caption as the model reads it."""

    text: str  # without surrounding or repeated white space
    note: str  # if the model cuts the caption or may not know its words, else ""


def read_caption(model: SEPSModel, text: str | None, dense: bool = False, noun: str = "") -> Reading:
    """Validate a typed caption in any script, with markup as text, for the model's tokenizer; `noun` is its name in
    messages. ValueError if it is empty, longer than MAX_CHARACTERS, or without any word of the model's vocabulary."""
    kind = noun or ("dense caption" if dense else "caption")
    text = cleaned(text)
    if not text:
        raise ValueError(f"The {kind} is empty: describe the photograph in a few English words.")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"The {kind} has {len(text):,} characters, but at most {MAX_CHARACTERS:,} fit: shorten it.")
    limit = model.config.text.max_dense_words if dense else model.config.text.max_words
    ids = model.tokenizer.encode(text, ANY_LENGTH)
    pieces = model.tokenizer.labels(ids)[1:-1]
    unknown = pieces.count("[UNK]")
    if unknown == len(pieces):
        raise ValueError(f'The model knows none of the words in "{shortened(text)}": write the {kind} in English.')
    notes = [hint(model.tokenizer, text)]
    if len(pieces) > limit - 2:
        notes.append(f"The model reads the first {limit - 2} of {len(pieces)} word pieces of the {kind}.")
    elif unknown and not notes[0]:
        words = listed([word for word in text.split() if UNKNOWN in labels(model.tokenizer, word)])
        notes.append(f"The model does not know {unknown} of {len(pieces)} word pieces of the {kind} ([UNK]): {words}.")
    return Reading(text, " ".join(note for note in notes if note))


def cleaned(text: str | None) -> str:
    """Normalise white space."""
    return " ".join((text or "").replace("\0", " ").split())


def read_prompt(model: SEPSModel, text: str | None) -> Reading:
    """Validate the prompt of a generated picture as `read_caption`."""
    return read_caption(model, text, noun="prompt")


def read_pair(model: SEPSModel, caption: str | None, dense: str | None) -> tuple[str, str | None]:
    """Validate a caption and an optional dense caption, None for an empty one; errors as `read_caption`."""
    text = read_caption(model, caption).text
    return text, read_caption(model, dense, dense=True).text if (dense or "").strip() else None


def read_typed(model: SEPSModel, text: str | None) -> list[str]:
    """Split typed text into captions, one per line, without empty lines; ValueError as `read_caption`, with the line
    number, or for more than MAX_TYPED."""
    lines = [(number, line) for number, line in enumerate((text or "").splitlines(), start=1) if line.strip()]
    if len(lines) > MAX_TYPED:
        raise ValueError(f"There are {len(lines)} captions, but at most {MAX_TYPED} can be ranked at once.")
    captions = []
    for number, line in lines:
        try:
            captions.append(read_caption(model, line).text)
        except ValueError as error:
            raise ValueError(f"Line {number}: {error}") from error
    return captions


def shortened(text: str, longest: int = 40) -> str:
    """Return the text, shortened with an ellipsis if it is longer."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def hint(tokenizer: Tokenizer, caption: str) -> str:
    """Return a hint with possibly unknown words if a caption does not look English, else ""."""
    words = [word for word in caption.split() if any(character.isalnum() for character in word)]
    if not words:
        return ""
    broken = [  # into pieces, as "Hund" into "hu" and "##nd", or unknown
        word for word in words if any(label.startswith("##") or label == UNKNOWN for label in labels(tokenizer, word))
    ]
    fraction = len(broken) / len(words)
    if fraction >= MIN_FRACTION if len(words) >= ENOUGH else fraction > SHORT_FRACTION:
        return f"The model has learnt English captions; it may not know: {listed(broken)}."
    if len(set(words)) >= ENOUGH and COMMON.isdisjoint(
        label.strip(STARTS).lower() for label in labels(tokenizer, caption)
    ):
        return "The model has learnt English captions, and this does not look like one."
    return ""


def labels(tokenizer: Tokenizer, text: str) -> list[str]:
    """Return the labels of a text's word pieces."""
    return tokenizer.labels([piece for word in tokenizer.words(text) for piece in word])


def listed(words: list[str]) -> str:
    """Join the first distinct words, without punctuation around them."""
    once = list(dict.fromkeys(word.strip(".,;:!?\"'()[]") or word for word in words))
    more = f" and {len(once) - NAMED} more" if len(once) > NAMED else ""
    return ", ".join(once[:NAMED]) + more
