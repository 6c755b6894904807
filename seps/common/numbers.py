"""Number formatting: no negative zero, and nouns in the singular or plural."""


def written(value: float, form: str) -> str:
    """Format a number with a format such as "+.4f"; zero is "0.0000" or "+0.0000", never "-0.0000"."""
    text = format(value, form)
    if "-" not in text or any(digit in text for digit in "123456789") or not any(c.isdigit() for c in text):
        return text
    return text.replace("-", "+" if "+" in form else "").rjust(len(text) if text.startswith(" ") else 0)


def amount(count: int, noun: str) -> str:
    """Format a count with its noun: "1 epoch", "2,000 epochs"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def rounded(value: float, digits: int) -> float:
    """Round a number; zero has no minus sign."""
    return round(value, digits) + 0.0
