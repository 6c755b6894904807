"""Caption files as they are downloaded: a line is a picture's file name, often the caption's number, and the caption.

Flickr8k and Flickr30K have `NAME.jpg#0<TAB>caption` in their token files; tables of them have `NAME.jpg,caption` or
`NAME.jpg| 0| caption`, mostly below a line of headings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

NAME = r'"?(?P<name>[^\t,;|#"]+\.(?:jpe?g|png|webp|gif|bmp|tiff?)(?:\.\d+)?)"?'
FORMS = {  # by how they are called; the first that fits is taken
    "NAME#0 caption": re.compile(rf"{NAME}#\d+(?:\s+|$)(?P<caption>.*)", re.IGNORECASE),
    "NAME| 0| caption": re.compile(rf"{NAME}\s*\|\s*\d+\s*\|?\s*(?P<caption>.*)", re.IGNORECASE),
    "NAME,0,caption": re.compile(rf"{NAME}\s*(?P<mark>[,;\t])\s*\d+\s*(?P=mark)\s*(?P<caption>.*)", re.IGNORECASE),
    "NAME,caption": re.compile(rf"{NAME}\s*[,;\t|]\s*(?P<caption>.*)", re.IGNORECASE),
}
HEADINGS = re.compile(r"\W*(?:image|img|file|photo|picture|name|id)[\w ]*\W", re.IGNORECASE)
MOST = 0.5  # of the lines must have a form, so that a file is taken for one of it


@dataclass(frozen=True)
class NamedCaptions:
    """The content of a caption file with file names.

    Attributes:
        form: how its lines look, a key of `FORMS`.
        first: line number of the first caption: 2 below headings, else 1.
        names, captions: (T,), of each line; both "" where a line has not the form.
    """

    form: str
    first: int
    names: tuple[str, ...]
    captions: tuple[str, ...]


def named_captions(lines: Sequence[str]) -> NamedCaptions | None:
    """Take a caption file's lines apart; None where they do not begin with file names."""
    for form, pattern in FORMS.items():
        matches = [pattern.fullmatch(line) for line in lines]
        if sum(map(bool, matches)) <= MOST * len(lines):
            continue
        first = 2 if not matches[0] and HEADINGS.match(lines[0]) else 1
        rows = matches[first - 1 :]
        return NamedCaptions(
            form,
            first,
            tuple(match["name"].strip() if match else "" for match in rows),
            tuple(strip_quotes(match["caption"]) if match else "" for match in rows),
        )
    return None


def strip_quotes(text: str) -> str:
    """Return a table's cell without the quotation marks that a comma within made necessary."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"').strip()
    return text
