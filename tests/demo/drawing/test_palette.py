"""Colours that can be read: contrast as WCAG 2 defines it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from matplotlib.colors import CSS4_COLORS, to_rgb

from demo.drawing.palette import DARK, LIGHT, RING, Palette

ROOT = Path(__file__).parents[3]


def luminance(colour: str) -> float:
    """Relative luminance, in [0, 1]."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, other: str) -> float:
    """From 1 to 21."""
    low, high = sorted((luminance(first), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "ground", "accent_soft"])
@pytest.mark.parametrize("letters", ["ink", "quiet", "accent"])
def test_letters_meet_wcag_aa(palette: Palette, ground: str, letters: str) -> None:
    assert contrast(getattr(palette, letters), getattr(palette, ground)) >= 4.5


def test_contrast_of_black_and_white() -> None:
    assert contrast("black", "white") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


def test_every_colour_of_files_but_black_and_white_is_the_palette_s() -> None:
    written = {
        (file.relative_to(ROOT).as_posix(), node.value)
        for file in (ROOT / "demo").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and (re.fullmatch(r"#([0-9a-fA-F]{3}){1,2}", node.value) or node.value in CSS4_COLORS)
        if node.value not in ("black", "white")
    }
    assert {file for file, _ in written} == {"demo/drawing/palette.py"}
    assert f"border: 3px solid {RING};" in (ROOT / "assets/css/lesson.css").read_text()
