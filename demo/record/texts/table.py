"""The tables of the texts of the page and its files, usable by a page without a server too.

`table.json` is for Python and for the page's scripts, which get it with the page; `lesson.json` is for the
lesson in Python. `say` knows the templates of both. Both are English; `table.zh.json` and `lesson.zh.json` have
the same keys and numbers in Chinese.

A template has named numbers, as "{kept} of {total} patches kept". After a colon stands how a number is written: by a
format of Python's, or by a noun, as "{count:dropped patch}", which is counted. assets/js/base/words.js reads them
alike.

A symbol, as "s_st", has a plain name, used in sentences, and its mathematics in LaTeX. `rich` and `mathtext`
put the mathematics in the place of the names, for pages and for files."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from html import escape
from numbers import Integral, Real
from pathlib import Path
from string import Formatter
from typing import Any

from demo.record.texts.language import CHINESE, LANGUAGES, language
from demo.record.texts.maths import mathml
from seps.common.numbers import written

DECIMALS = re.compile(r"(:\+?)\.[34]f")
Table = dict[str, dict[str, str]]  # templates by section and name
WORDS_FOLDER = Path(__file__).resolve().parents[3] / "assets" / "js" / "words"  # of the page on gradio.Server


def read_table(name: str, folder: Path = Path(__file__).parent) -> Table:
    """Read a table, one of this module's folder where no other is given."""
    table: Table = json.loads((folder / name).read_text(encoding="utf-8"))
    return table


TABLE = read_table("table.json")
LESSON = read_table("lesson.json")
CHINESE_TABLE, CHINESE_LESSON = read_table("table.zh.json"), read_table("lesson.zh.json")
WORDS, CHINESE_WORDS = (read_table(f"{name}.json", WORDS_FOLDER) for name in LANGUAGES)


def merged(table: Table, others: Table) -> Table:
    """Return a table with the sections of another; where both have a template, the other's."""
    return table | {name: table[name] | rows if name in table else rows for name, rows in others.items()}


def page_table(table: Table, words: Table) -> Table:
    """Return a table as the page on gradio.Server has it: with its own words, and numbers of two decimals at most."""
    return {
        section: {name: DECIMALS.sub(r"\1.2f", text) for name, text in rows.items()}
        for section, rows in merged(table, words).items()
    }


TEMPLATES = merged(WORDS, TABLE | LESSON)
TRANSLATED = {CHINESE: merged(CHINESE_WORDS, CHINESE_TABLE | CHINESE_LESSON)}
PAGE_TEMPLATES = page_table(TABLE | LESSON, WORDS)
PAGE_TRANSLATED = {CHINESE: page_table(CHINESE_TABLE | CHINESE_LESSON, CHINESE_WORDS)}
_is_page: ContextVar[bool] = ContextVar("is_page", default=False)


@contextmanager
def for_page(is_page: bool = True) -> Iterator[None]:
    """Use the templates of the page on gradio.Server, or not, meanwhile, in this thread or task only."""
    token = _is_page.set(is_page)
    try:
        yield
    finally:
        _is_page.reset(token)


SYMBOLS = TABLE["symbols"]
NAMES = re.compile(rf"(?<!\w)({'|'.join(re.escape(name) for name in sorted(SYMBOLS, key=len, reverse=True))})(?!\w)")


MINUS = "\N{MINUS SIGN}"  # on the page; files and commands have a hyphen
CHANGE_DIGITS = 4  # decimals of a change at most: what is smaller is rounding


class _Filled(Formatter):
    """Templates with formats that may be nouns."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value by its format; "th" makes it a place, a noun counts it. On the page a minus is U+2212."""
        if format_spec == "th":
            return ordinal(value)
        if format_spec[:1].isalpha():
            return counted(value, format_spec)
        if not format_spec or not isinstance(value, Real):
            return str(super().format_field(value, format_spec))
        if isinstance(value, Integral):
            text = format(value, format_spec)
        else:  # NumPy's of any precision too
            is_change = format_spec.startswith("+") and format_spec.endswith("g")
            text = written(round(float(value), CHANGE_DIGITS) if is_change else float(value), format_spec)
        return f"{MINUS}{text[1:]}" if _is_page.get() and text.startswith("-") else text


_FILLED = _Filled()


def say(key: str, **values: Any) -> str:
    """Fill in a template, as "mask.count", in the current language, else in English; KeyError where there is none."""
    section, _, name = key.partition(".")
    templates, translated = (PAGE_TEMPLATES, PAGE_TRANSLATED) if _is_page.get() else (TEMPLATES, TRANSLATED)
    template = translated.get(language(), {}).get(section, {}).get(name) or templates[section][name]
    return _FILLED.vformat(template, (), values)


def listed(parts: Iterable[str], between: str = "comma") -> str:
    """Parts of a list as the language joins them: words, or with "clause" what is longer."""
    return say(f"reading.{between}").join(parts)


def rich(text: str) -> str:
    """Text as HTML, with the mathematics of its symbols in MathML."""
    parts = NAMES.split(text)  # every second one is a symbol
    return "".join(symbols()[part] if index % 2 else escape(part) for index, part in enumerate(parts))


def mathtext(text: str) -> str:
    """Text with the mathematics of its symbols between dollar signs, as Matplotlib reads it; its own are text."""
    return NAMES.sub(lambda match: f"${SYMBOLS[match[1]]}$", text.replace("$", r"\$"))


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: "1 token", "2 tokens", "2 patches"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('ch') else 's'}"


def ordinal(number: int) -> str:
    """Return a place: "1st", "22nd", "113th"."""
    last = 0 if 10 < number % 100 < 14 else number % 10
    return f"{number}{('th', 'st', 'nd', 'rd', *['th'] * 6)[last]}"


@lru_cache(maxsize=1)
def symbols() -> dict[str, str]:
    """Return the MathML of each symbol by its name."""
    return {name: mathml(latex) for name, latex in SYMBOLS.items()}
