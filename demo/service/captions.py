"""Captions that people type: what the model can read, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from demo.service.language import hint, listed, unknown_words
from seps import SEPSModel
from seps.models.known_captions import KnownCaptions

MAX_CHARACTERS = 2000
MAX_TYPED = 200  # captions, one a line
ANY_LENGTH = 1_000_000  # word pieces


@dataclass(frozen=True)
class Reading:
    """A caption as the model reads it.

    Attributes:
        text: without surrounding or repeated white space.
        note: a sentence or two where the model does not read all of it as it stands, or may not know its words, else
            empty.
    """

    text: str
    note: str


def read_caption(model: SEPSModel, text: str | None, dense: bool = False, noun: str = "") -> Reading:
    """Check a typed caption.

    Args:
        model: whose tokenizer reads it.
        text: as typed, in any script; markup in it is text like any other.
        dense: whether it is a dense caption.
        noun: what it is called, "caption" or "dense caption" where left out.

    Raises:
        ValueError: empty, longer than MAX_CHARACTERS, or nothing in it that the model's vocabulary has.
    """
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
        words = listed(unknown_words(model.tokenizer, text))
        notes.append(f"The model does not know {unknown} of {len(pieces)} word pieces of the {kind} ([UNK]): {words}.")
    return Reading(text, " ".join(note for note in notes if note))


def cleaned(text: str | None) -> str:
    """Return a text as typed without surrounding or repeated white space, as `Reading` has it."""
    return " ".join((text or "").replace("\0", " ").split())


def noted_if_unlike(known: KnownCaptions, reading: Reading, vector: Tensor) -> Reading:
    """Return the reading, its note telling where the caption, of this vector (D_t,), is unlike those that the model
    learnt from."""
    nearest = float(known.nearness(vector[None])[0])
    if nearest >= known.threshold:
        return reading
    shown = f"{nearest:.2f}, usually above {known.threshold:.2f}"  # short: on a phone it stands above the ranking
    note = f"Few training captions are like this one (nearness {shown}): this may be a guess."
    return replace(reading, note=f"{reading.note} {note}".strip())


def read_prompt(model: SEPSModel, text: str | None) -> Reading:
    """Check the prompt that a picture was made from; arguments and errors as `read_caption`."""
    return read_caption(model, text, noun="prompt")


def read_pair(model: SEPSModel, caption: str | None, dense: str | None) -> tuple[str, str | None]:
    """Check a caption and the dense caption beside it; None for an empty dense caption.

    Raises:
        ValueError: as `read_caption`, of either.
    """
    text = read_caption(model, caption).text
    return text, read_caption(model, dense, dense=True).text if (dense or "").strip() else None


def read_typed(model: SEPSModel, text: str | None) -> list[str]:
    """Captions typed one a line; empty lines are passed over.

    Raises:
        ValueError: as `read_caption`, naming the line; more than MAX_TYPED.
    """
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
    """Return the text, cut with an ellipsis where it is longer."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
