"""Numbers as text and in files: what rounds to zero has no minus, and one thing has no plural."""

from __future__ import annotations


def written(value: float, form: str) -> str:
    """Write a number by a format of Python's, as "+.4f"; a zero as "0.0000", or "+0.0000", never "-0.0000"."""
    text = format(value, form)
    if "-" not in text or any(digit in text for digit in "123456789") or not any(c.isdigit() for c in text):
        return text
    return text.replace("-", "+" if "+" in form else "").rjust(len(text) if text.startswith(" ") else 0)


def amount(count: int, noun: str) -> str:
    """Write how many there are of something: "1 epoch", "2,000 epochs"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def rounded(value: float, digits: int) -> float:
    """Round a number, zero without a minus."""
    return round(value, digits) + 0.0
