"""Validation of a caption for the generator, with suggestions for unknown words."""

from __future__ import annotations

from dataclasses import dataclass

from demo.service.captions import Reading, cleaned, read_caption
from seps import SEPSModel
from seps.generator.unknown_words import UnknownWord, describe_nearest, describe_unknown_words, unknown_words


@dataclass(frozen=True)
class DrawnReading(Reading):
    """A caption as the generator reads it.

    Attributes:
        unknown: words that are read as [UNK], each with the nearest known ones.
    """

    unknown: tuple[UnknownWord, ...]

    def record(self) -> dict[str, object]:
        """Return the note and the unknown words as plain values for endpoints and files."""
        words = [{"word": word, "nearest": list(nearest)} for word, nearest in self.unknown]
        return {"note": self.note, "unknown_words": words}


def read_drawn_caption(model: SEPSModel, text: str | None) -> DrawnReading:
    """Validate a caption to draw, and list the words that the generator does not know.

    Raises:
        ValueError: as `read_caption`; if no word is known, the message suggests the nearest ones.
    """
    caption = cleaned(text)
    unknown = tuple(unknown_words(model.tokenizer, caption))
    try:
        reading = read_caption(model, caption)
    except ValueError as error:
        raise ValueError(f"{error} {describe_nearest(unknown)}".strip()) from error
    cut = reading.note if "reads the first" in reading.note else ""
    note = f"{describe_unknown_words(unknown)} {cut}".strip() if unknown else reading.note
    return DrawnReading(reading.text, note, unknown)
