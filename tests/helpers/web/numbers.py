"""Numbers as the page shows them, see assets/js/base/numbers.js."""

import re
from math import floor, log10

HYPHEN = re.compile(r"(?<![\w.])-(?=\d)")


def on_page(text: str) -> str:
    """Return a text with the page's minus, U+2212, in front of its numbers."""
    return HYPHEN.sub("\N{MINUS SIGN}", text)


def number(text: str | None) -> float:
    """Return the number that a text of the page is; NaN where there is none."""
    return float((text or "nan").replace("\N{MINUS SIGN}", "-"))


def short(value: float, sign: str = "") -> str:
    """Return two decimals, or two significant digits where those would read 0.00; "+" as `sign` shows it always."""
    text = f"{value:{sign}.2f}"
    if not float(text) and abs(value) >= 5e-7:
        text = f"{value:{sign}.{1 - floor(log10(abs(value)))}f}"
    return on_page(text)
