"""Font fallback: letters missing in a figure's font are drawn with another installed font, or reported."""

import logging
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, findSystemFonts, fontManager, get_font
from matplotlib.ft2font import FT2Font
from matplotlib.text import Text

LOG = logging.getLogger(__name__)
NO_LETTERS = ("Last Resort", "STIXNonUnicode", "STIXSize", "cm")  # boxes, or glyphs under other letters' numbers
PACKAGES = (  # Debian's packages, by the start of a letter's Unicode name
    (("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH", "IDEOGRAPHIC", "BOPOMOFO"), "fonts-noto-cjk"),
    (("",), "fonts-noto-core"),
)
SYMBOLS = "fonts-symbola"
NAMED = 12  # letters that a message names


class MissingLettersError(ValueError):
    """Letters that no installed font has."""


def fit_letters(figure: Figure, kind: str, strict: bool = False) -> None:
    """Assign fonts with all letters to each text of a figure; log letters that no installed font has, or with `strict`
    raise MissingLettersError. SVG is unchanged, since its letters remain text for the viewer's fonts."""
    if kind == "svg":
        return
    missing: list[str] = []
    for text in _find_texts(figure):
        written, letters = text.get_text(), text.get_fontproperties()
        lacking = find_lacking_letters(written, letters)
        if not lacking:
            continue
        missing += find_missing_letters(written, letters)
        shown = "".join(c for c in written if c not in lacking or not _is_invisible(c))
        if shown != written:
            text.set_text(shown)
        if not (text.get_parse_math() and is_math_text(shown)):
            others = (fallback_of(c) for c in lacking)
            text.set_fontfamily(list(dict.fromkeys([*letters.get_family(), *(font[0] for font in others if font)])))
    report_missing(missing, strict)


def _find_texts(artist: Artist) -> Iterator[Text]:
    """Find the texts of an artist, without asking hidden axes for labels, which Matplotlib would make first."""
    if isinstance(artist, Text):
        yield artist
    for child in artist.get_children():
        if not isinstance(child, Axis) or child.axes.axison:
            yield from _find_texts(child)


def find_missing_letters(text: str, letters: FontProperties) -> list[str]:
    """Return the letters of a text that no installed font has."""
    return [c for c in find_lacking_letters(text, letters) if fallback_of(c) is None and not _is_invisible(c)]


def report_missing(missing: Iterable[str], strict: bool = False) -> None:
    """Log letters that are drawn as boxes, with a package to install; raise MissingLettersError if `strict`."""
    letters = list(dict.fromkeys(missing))
    if not letters:
        return
    shown = " ".join(letters[:NAMED]) + (" ..." if len(letters) > NAMED else "")
    packages = " ".join(dict.fromkeys(map(_package, letters)))
    sentence = (
        f"No installed font has the letters {shown} (on Debian and Ubuntu, apt-get install {packages} adds one): "
        "install a font that has them, choose svg, or leave them out."
    )
    if strict:
        raise MissingLettersError(sentence)
    LOG.warning("%s They are drawn as boxes.", sentence)


def split_font_runs(text: str, letters: FontProperties) -> list[tuple[str, str]]:
    """Split text into pieces, each with the file of a font that has its letters, else of the given font."""
    first, runs = str(findfont(letters)), list[tuple[str, str]]()
    lacking = find_lacking_letters(text, letters)
    for c in text:
        other = fallback_of(c) if c in lacking else None
        if c in lacking and other is None and _is_invisible(c):
            continue
        file = first if other is None else other[1]
        before, last = runs.pop() if runs and runs[-1][1] == file else ("", file)
        runs.append((before + c, last))
    return runs


def find_lacking_letters(text: str, letters: FontProperties) -> list[str]:
    """Return the distinct letters of a text that its font lacks."""
    if text.isascii():
        return []
    font = get_font(findfont(letters))
    return [c for c in dict.fromkeys(text) if not c.isspace() and not font.get_char_index(ord(c))]


@lru_cache(maxsize=4096)
def fallback_of(letter: str) -> tuple[str, str] | None:
    """Return the name and the file of an installed font that has a letter; None if there is none."""
    return next((named for named in _installed() if _has(named[1], letter)), None)


@cache
def _installed() -> list[tuple[str, str]]:
    """Return name and file of the most regular font of each name, including newly installed ones."""
    known = {entry.fname for entry in fontManager.ttflist}
    for file in findSystemFonts():
        if file not in known:
            with suppress(Exception):  # bitmaps, as of coloured emoji, and damaged files: FreeType raises several kinds
                fontManager.addfont(file)

    def irregularity(font: Any) -> tuple[bool, int, str]:
        return font.style != "normal", abs(font.weight - 400) if isinstance(font.weight, int) else 0, font.fname

    regular = sorted(fontManager.ttflist, key=irregularity)
    named = {font.name: font.fname for font in reversed(regular) if not font.name.startswith(NO_LETTERS)}
    return sorted(named.items(), key=lambda item: (not item[0].startswith("DejaVu"), item[0]))


def _has(file: str, letter: str) -> bool:
    try:
        return bool(FT2Font(file).get_char_index(ord(letter)))
    except Exception:  # a font that was removed meanwhile
        return False


def _is_invisible(character: str) -> bool:
    """Find joiners, direction marks and variation selectors."""
    return unicodedata.category(character) == "Cf" or "VARIATION SELECTOR" in unicodedata.name(character, "")


def _package(letter: str) -> str:
    if ord(letter) >= 0x1F000 and unicodedata.category(letter) in ("So", "Sk", "Cn"):
        return SYMBOLS
    name = unicodedata.name(letter, "")
    return next(package for starts, package in PACKAGES if name.startswith(starts))
