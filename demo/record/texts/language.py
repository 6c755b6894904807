"""The language in which the page is answered: English, or Chinese where its address says `lang=zh`. English is the
source language; files, commands and endpoints always use it. Of the tables of sentences there is one file per language
(`table.zh.json` next to `table.json`), and `phrases.zh.json` has the code's strings itself, by its English text:
labels, names of galleries' contents, places on a picture. Sentences that the code makes, as errors and notes, are found
by their form: `messages.zh.json` has each with its values in braces. One that it lacks stays English."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

ENGLISH, CHINESE = LANGUAGES = ("en", "zh")


def _read(name: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return texts


PHRASES, MESSAGES = _read("phrases.zh.json"), _read("messages.zh.json")
VALUE = re.compile(r"\{(\w+)\}")  # of a message
END = r"(?=\s|<|$)"  # of a message
WORD, ANY = r"(?<!\\S)(?P<\1>\\S+?)", r"(?P<\1>.+?)"  # what a message may begin with, and any other value
LIST, MORE = "names", re.compile(r" and (\d+) more$")  # what values that are lists are called, and how a long one ends
GAP = re.compile("(?<=[\u3002\uff1a]) ")  # after a Chinese full stop or colon
LONGEST = 4000  # characters of messages that are translated
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """Return the language that is spoken here and now, one of LANGUAGES."""
    return _language.get()


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Use a language within a context, only in this thread or task; English if `name` is not in LANGUAGES."""
    token = _language.set(name if name in LANGUAGES else ENGLISH)
    try:
        yield
    finally:
        _language.reset(token)


def phrase(text: str) -> str:
    """Translate an English string of the code into the current language, if it has a translation."""
    return text if _language.get() == ENGLISH else PHRASES.get(text, text)


def sentences(text: str) -> str:
    """Translate English messages of the code, such as errors, where `messages.zh.json` has them."""
    if _language.get() == ENGLISH or len(text) > LONGEST:
        return text
    for pattern, chinese in _patterns().items():

        def filled(match: re.Match[str], chinese: str = chinese) -> str:
            return chinese.format(**{name: _value(name, value) for name, value in match.groupdict().items()})

        text = pattern.sub(filled, text)
    return GAP.sub("", text)


def _value(name: str, value: str) -> str:
    """Translate a value of a message: a list gets Chinese commas, a term is translated, all else is unchanged."""
    if name.startswith(LIST):
        value = MORE.sub(lambda match: phrase("and {count} more").format(count=match[1]), value)
        return "、".join(phrase(part) if " " in part else part for part in value.split(", "))  # names stay names
    return phrase(value)


@lru_cache(maxsize=1)
def _patterns() -> dict[re.Pattern[str], str]:
    """Return the regular expression of each message template, with its values as groups, and its Chinese."""
    patterns = {}
    for text, chinese in MESSAGES.items():
        plain = re.escape(text).replace(r"\{", "{").replace(r"\}", "}")
        plain = VALUE.sub(WORD, plain, count=1) if text[0] == "{" else plain
        patterns[re.compile(VALUE.sub(ANY, plain) + END)] = chinese
    return patterns


def in_languages(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the value that `make` makes in the current language, with the Chinese differences under "languages";
    `decoded` in assets/js/base/mount.js takes the page's own."""
    value = make()
    with speaking(CHINESE):
        other = make()
    differs = {name: part for name, part in other.items() if part != value.get(name)}
    return value | {"languages": {CHINESE: differs}}
