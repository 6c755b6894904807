"""Tables of what was published and of what was measured here, as HTML."""

from collections.abc import Sequence
from html import escape
from typing import Any

from demo.record.texts.language import phrase
from demo.record.texts.table import listed, rich, say
from seps.common.numbers import written

DENSE = {"none": "captions only", "own": "each with its own dense caption", "other": "with another image's"}
MEASURE_NAMES = {
    "energy_inside": "energy inside",
    "pointing_game": "pointing game",
    "kept_mentioned": "kept: mentioned",
    "kept_unmentioned": "kept: unmentioned",
    "kept_background": "kept: background",
    "mentioned_to_background": "mentioned to background",
    "deletion": "deletion",
    "insertion": "insertion",
}
METHODS = {
    "seps": "word maps",
    "effect": "effects",
    "blanked": "blanked patches",
    "cosine": "plain cosine",
    "gradient": "gradient",
    "centre": "centre",
    "random": "random",
}


def results(rows: Sequence[dict[str, Any]]) -> str:
    """Our own results as a table."""
    cells = [
        (
            row["model"],
            say("about.split", split=row["split"], images=row["images"]),
            phrase(DENSE[row["dense"]]),
            *[number(value, 1) for value in (*row["image_to_text"], *row["text_to_image"], row["rsum"])],
        )
        for row in rows
    ]
    heads = ("model", "data", "dense captions", "R@1", "R@5", "R@10", "R@1", "R@5", "R@10", "rSum")
    return table(heads, cells, ("", "", "", "image to text", "text to image", ""))


def number(value: float | None, digits: int) -> str:
    """Return a number, a count without decimals, or nothing."""
    if value is None:
        return ""
    return str(int(value)) if digits > 1 and value == int(value) else f"{value:.{digits}f}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], groups: Sequence[str] = ()) -> str:
    """Return an HTML table with row names in the first column; a named group spans three columns. A table wider than
    the screen can be scrolled, also with the keyboard: so it has a tab stop and a name."""

    def header(text: str, attributes: str) -> str:
        return f"<th {attributes}>{rich(text)}</th>" if text else "<td></td>"

    above = "".join(header(phrase(group), 'scope="colgroup" colspan="3"') for group in groups)
    above = f"<tr>{above}</tr>" if groups else ""
    head = "".join(header(phrase(text), 'scope="col"') for text in heads)
    named = [
        header(first, 'scope="row"') + "".join(f"<td>{rich(text)}</td>" for text in others) for first, *others in rows
    ]
    body = "".join(f"<tr>{row}</tr>" for row in named)
    name = escape(listed(dict.fromkeys(phrase(text) for text in heads if text)), quote=True)
    content = f"<table><thead>{above}<tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" role="group" tabindex="0" aria-label="{name}">{content}</div>'


def grounding_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return where pictures point, by model and kind of map; measures that no row has are left out."""
    names = [name for name in MEASURE_NAMES if any(name in row["measures"] for row in rows)]
    cells = []
    for row in rows:
        intervals = []
        for mean, low, high in (row["measures"].get(name, (None, None, None)) for name in names):
            known = low is not None and high is not None
            number_alone = "" if mean is None else written(mean, ".3f")
            intervals.append(say("about.interval", mean=mean, low=low, high=high) if known else number_alone)
        cells.append((row["model"], row["split"], phrase(METHODS.get(row["method"], row["method"])), *intervals))
    return table(("model", "data", "map", *(MEASURE_NAMES[name] for name in names)), cells)
