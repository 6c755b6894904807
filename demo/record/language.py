"""The language in which the page is answered: English, or Chinese where its address says `lang=zh`.

English is what everything is written in; files, commands and endpoints speak it always. Of the tables of sentences
there is one file a language (`table.zh.json` beside `table.json`), and `phrases.zh.json` has what stands in the code
itself, by its English text: labels, names of galleries' contents, places on a picture.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

ENGLISH, CHINESE = LANGUAGES = ("en", "zh")
PHRASES: dict[str, str] = json.loads(Path(__file__).with_name("phrases.zh.json").read_text(encoding="utf-8"))
END = r"(?=\s|<|$)"  # of a sentence
VALUE = re.compile(r"\{(\w+)\}")  # of a phrase
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """The language that is spoken here and now, one of LANGUAGES."""
    return _language.get()


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Speak a language meanwhile, in this thread or task alone; English where `name` is none of LANGUAGES."""
    token = _language.set(name if name in LANGUAGES else ENGLISH)
    try:
        yield
    finally:
        _language.reset(token)


def phrase(text: str) -> str:
    """What stands in the code in English, in the language that is spoken; as it is where nothing translates it."""
    return text if _language.get() == ENGLISH else PHRASES.get(text, text)


def sentences(text: str) -> str:
    """Sentences that the code makes in English, as errors, in the language that is spoken: each that `phrases.zh.json`
    has with its values in braces, the others as they are."""
    if _language.get() == ENGLISH:
        return text
    for pattern, chinese in _patterns().items():
        text = pattern.sub(partial(_filled, chinese), text)
    return text


def _filled(chinese: str, match: re.Match[str]) -> str:
    return chinese.format(**{name: phrase(value) for name, value in match.groupdict().items()})


@lru_cache(maxsize=1)
def _patterns() -> dict[re.Pattern[str], str]:
    """What finds each phrase that is a sentence, with its Chinese."""
    return {
        re.compile(VALUE.sub(r"(?P<\1>.+?)", re.escape(text).replace(r"\{", "{").replace(r"\}", "}")) + END): chinese
        for text, chinese in PHRASES.items()
        if text.endswith(".")
    }


def in_languages(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A component's value that the page has from the start, with what differs in Chinese under "languages".

    Args:
        make: makes it in the language that is spoken; `decoded` in assets/js/base/mount.js takes the page's own.
    """
    value = make()
    with speaking(CHINESE):
        other = make()
    differs = {name: part for name, part in other.items() if part != value.get(name)}
    return value | {"languages": {CHINESE: differs}}


def of_language(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A value of `in_languages` in one language."""
    return {**value, **value.get("languages", {}).get(name, {})}


def html_in_languages(make: Callable[[], str]) -> str:
    """HTML that the page has from the start, in each language: style shows the page's own (assets/css/site.css)."""
    english = make()
    with speaking(CHINESE):
        chinese = make()
    return f'<div class="in-english">{english}</div><div class="in-chinese" lang="zh-CN">{chinese}</div>'
