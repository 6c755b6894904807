"""Mathematics for pages: LaTeX to MathML. Files take the same LaTeX as Matplotlib's mathtext."""

import re

from latex2mathml.converter import convert

MATHML = "http://www.w3.org/1998/Math/MathML"
NORMAL = '<mi mathvariant="normal">'
LETTERS = re.compile(rf"(?:{NORMAL}\w</mi>)+")  # a word comes letter by letter
INDICES = re.compile(r"<mi>([sd])</mi><mi>(t)</mi>|<mi>(i)</mi><mi>(m)</mi>")  # and so do st, dt and im


def mathml(latex: str) -> str:
    """Mathematics inside a line of text."""
    return f'<math xmlns="{MATHML}" display="inline">{inner(latex)}</math>'


def display(rows: list[tuple[str, int | None]]) -> str:
    """Return a block of equations, one below the other, each with its number in the paper or None."""
    body = "".join(
        f"<mtr><mtd>{inner(latex)}</mtd><mtd>{f'<mtext>({number})</mtext>' if number else ''}</mtd></mtr>"
        for latex, number in rows
    )
    return f'<math xmlns="{MATHML}" display="block"><mtable displaystyle="true">{body}</mtable></math>'


def inner(latex: str) -> str:
    """Return the content of <math>: words upright in one piece, limits of maxima below them."""
    converted = convert(latex.replace(r"\max_", r"\max\limits_"), display="block")
    body = re.sub(r"^<math[^>]*>|</math>$", "", converted)
    body = INDICES.sub(lambda match: f"<mi>{''.join(filter(None, match.groups()))}</mi>", body)
    return LETTERS.sub(lambda match: f"{NORMAL}{re.sub('<[^>]*>', '', match[0])}</mi>", body)
