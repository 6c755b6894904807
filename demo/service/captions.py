"""Validation of typed captions."""

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
        note: a sentence or two if the model cuts the caption or may not know its words, else empty.
    """

    text: str
    note: str


def read_caption(model: SEPSModel, text: str | None, dense: bool = False, noun: str = "") -> Reading:
    """Validate a typed caption.

    Args:
        model: for its tokenizer.
        text: as typed, in any script; markup is treated as text.
        noun: its name in messages; by default "caption" or "dense caption".

    Raises:
        ValueError: empty, longer than MAX_CHARACTERS, or without any word of the model's vocabulary.
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
    """Normalise the white space of a typed text."""
    return " ".join((text or "").replace("\0", " ").split())


def add_unlike_note(known: KnownCaptions, reading: Reading, vector: Tensor) -> Reading:
    """Add a note to the reading if the caption, with vector (D_t,), differs from the training captions."""
    nearest = float(known.nearness(vector[None])[0])
    if nearest >= known.threshold:
        return reading
    shown = f"{nearest:.2f}, usually above {known.threshold:.2f}"  # short, for phones
    note = f"Few training captions are like this one (nearness {shown}): this may be a guess."
    return replace(reading, note=f"{reading.note} {note}".strip())


def read_prompt(model: SEPSModel, text: str | None) -> Reading:
    """Validate the prompt of a generated picture; arguments and errors as `read_caption`."""
    return read_caption(model, text, noun="prompt")


def read_pair(model: SEPSModel, caption: str | None, dense: str | None) -> tuple[str, str | None]:
    """Validate a caption and an optional dense caption; an empty dense caption becomes None.

    Raises:
        ValueError: as `read_caption`, for either.
    """
    text = read_caption(model, caption).text
    return text, read_caption(model, dense, dense=True).text if (dense or "").strip() else None


def read_typed(model: SEPSModel, text: str | None) -> list[str]:
    """Split typed text into captions, one per line; empty lines are skipped.

    Raises:
        ValueError: as `read_caption`, with the line number; more than MAX_TYPED.
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
    """Return the text, shortened with an ellipsis if it is longer."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
