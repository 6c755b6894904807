"""Validation of event data from the page's scripts: other programs may send anything.

Gradio rebuilds an event's data in the class that the function names. So every event of this
app names `Detail`; `gr.EventData` would pass the values on as they came.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable
from math import isfinite
from types import MethodType
from typing import Any, TypeVar

import gradio as gr
from gradio.events import EventListener
from gradio.helpers import EventData

LONGEST = 4000  # characters of a text
ADDRESS, LONGEST_ADDRESS = "query", 2**16  # the field that is the page's address, as long as one that uvicorn reads
PICTURE, LONGEST_PICTURE = "frame", 400_000  # the field that is a frame of a camera, a JPEG in base64
MAX_COUNTED = 10_000  # of patches, words, objects
Kind = TypeVar("Kind", str, float, int, bool)


class Detail(EventData):
    """The fields of an event, each read as the needed type; a wrong or missing field raises an error.

    Args:
        target: the component that the event is of; _data: the fields as they came, see `parse_fields`.
    """

    def __init__(self, target: Any, _data: Any) -> None:
        super().__init__(target, parse_fields(_data))

    def __getattr__(self, name: str) -> Any:
        """Refuse what `EventData` offers: a field in whatever form it came."""
        raise AttributeError(f"Read {name} with one of the methods of Detail, which check it.")

    def value(self, name: str) -> str | float | int | bool | None:
        """Return a field as it came: a text, a number, true, false or none.

        Raises:
            ValueError: there is no such field, or for the other methods, it is something else.
        """
        if name not in self._data:
            raise ValueError(f"This event lacks {name}: reload the page.")
        value: str | float | int | bool | None = self._data[name]
        return value

    def text(self, name: str) -> str:
        """Return a text of at most LONGEST characters; errors as `value`."""
        value = self.value(name)
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def picture(self, name: str) -> bytes:
        """Return the bytes of a text in base64; errors as `value`."""
        text = self.text(name)
        try:
            return b64decode(text, validate=True)
        except ValueError as error:  # no base64, or letters that are not ASCII
            raise self._wrong(name, "a picture in base64") from error

    def flag(self, name: str) -> bool:
        """Return whether something is so; errors as `value`."""
        value = self.value(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def number(self, name: str, least: float = 0.0, most: float = 1.0) -> float:
        """Return a number from `least` to `most`; errors as `value`."""
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self._wrong(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def whole(self, name: str, count: int, first: int = 0) -> int:
        """Return one of `count` whole numbers from `first` on; errors as `value`."""
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or value - first not in range(count):
            raise self._wrong(name, f"a whole number from {first} to {first + count - 1}")
        return int(value)

    def like(self, name: str, usual: Kind) -> Kind:
        """Return a field of the kind of `usual`, which is the default; a number that is no whole one
        lies between 0 and 1. Errors as `value`."""
        if name not in self._data:
            return usual
        if isinstance(usual, bool):
            return self.flag(name)
        if isinstance(usual, str):
            return self.text(name)
        return self.whole(name, MAX_COUNTED) if isinstance(usual, int) else self.number(name)

    def several(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the given ones of some fields; errors as `value`."""
        return {name: self.value(name) for name in names if self._data.get(name) is not None}

    def _wrong(self, name: str, needed: str) -> ValueError:
        return ValueError(f"{name} is {shortened(self._data[name])}, but {needed} is needed: reload the page.")


def parse_fields(data: Any) -> dict[str, Any]:
    """Return the fields of an event; empty without data.

    Raises:
        ValueError: a field that is no single value, a number that cannot be counted with, or a text that is too long
            or no Unicode.
    """
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValueError(f"This event contains {shortened(data)}, but a JSON object is needed: reload the page.")
    for field, value in data.items():
        name = field if field.isidentifier() and len(field) <= 40 else shortened(field)
        if isinstance(value, str):
            most = {ADDRESS: LONGEST_ADDRESS, PICTURE: LONGEST_PICTURE}.get(field, LONGEST)
            if len(value) > most:
                raise ValueError(f"{name} has {len(value):,} characters, but at most {most:,} can be read.")
            valid_text(name, value)
        elif not isinstance(value, int | float | None):
            raise ValueError(f"{name} is {shortened(value)}, but a single value is needed: reload the page.")
        elif value is not None and not is_finite(value):
            raise ValueError(f"{name} is {shortened(value)}, but a finite number is needed: reload the page.")
    return data


def is_finite(value: float) -> bool:
    """Return whether a number is one that can be counted with: neither infinite nor too large for a float."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def valid_text(name: str, text: str) -> str:
    """Return the text; ValueError if it is not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds half a character (a lone surrogate): type it again.") from error
    return text


def shortened(value: Any) -> str:
    """Return a value as a sentence shows it: never long, and never a container's content."""
    if isinstance(value, dict | list):
        return "a JSON object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def trigger_of(component: gr.HTML, event: str) -> Any:
    """Return an event of a scripted component in the form in which `gr.on` takes several components' events."""
    return MethodType(EventListener(event_name=event).listener, component)
