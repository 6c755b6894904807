"""The stored first view matches the app's result."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from demo.opening import first
from demo.opening.write import compute_first_view
from demo.page.html import app_page
from demo.service.registry import ModelRegistry

ROOT = Path(__file__).parents[3]
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_it_is_what_the_app_shows_on_load(registry: ModelRegistry) -> None:
    computed, written = compute_first_view(registry), first.first_view()
    assert written is not None, "The model's weights changed: run `python -m demo.opening`."
    assert_alike(json.loads(json.dumps(computed)), written, "view")


def assert_alike(first: Any, other: Any, where: str) -> None:
    """Equal but for the last digits of numbers, those in sentences too."""
    if isinstance(first, dict) and "float32" in first:
        assert first["shape"] == other["shape"], where
        left, right = (np.frombuffer(base64.b64decode(part["float32"]), "<f4") for part in (first, other))
        np.testing.assert_allclose(left, right, atol=1e-4, err_msg=where)
    elif isinstance(first, dict):
        assert first.keys() == other.keys(), where
        for name in first:
            assert_alike(first[name], other[name], f"{where}.{name}")
    elif isinstance(first, list):
        assert len(first) == len(other), where
        for place, (left, right) in enumerate(zip(first, other, strict=True)):
            assert_alike(left, right, f"{where}[{place}]")
    elif isinstance(first, float):
        assert first == pytest.approx(other, abs=1e-4), where
    elif isinstance(first, str) and first != other:
        assert NUMBER.sub("#", first) == NUMBER.sub("#", other), where
        for left, right in zip(NUMBER.findall(first), NUMBER.findall(other), strict=True):
            step = 10.0 ** -len(left.partition(".")[2])  # a value may be rounded up here and down there
            assert float(left) == pytest.approx(float(right), abs=1.01 * step if "." in left else 0), where
    else:
        assert first == other, where


def test_it_is_not_shown_with_other_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"others")
    monkeypatch.setattr(first, "WEIGHTS", tmp_path / "model.safetensors")
    assert first.first_view() is None
    page = app_page(None)
    assert json.loads(re.search(r'id="site">(.*?)</script>', page)[1])["example"] is None  # type: ignore[index]


def test_what_the_view_holds_ends_no_tag_of_the_page() -> None:
    view, mark = first.first_view(), "</script><b>"
    assert view is not None
    page = app_page(view | {"examples": [mark]})
    assert mark not in page
    value = json.loads(re.search(r'id="site">(.*?)</script>', page)[1])  # type: ignore[index]
    assert value["example"]["chips"] == [mark]


def test_nothing_that_takes_long_is_imported() -> None:
    heavy = ("torch", "gradio", "numpy", "matplotlib", "transformers", "timm", "tqdm")
    code = f"import sys, app; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_matplotlib_waits_for_the_first_picture() -> None:
    code = "import sys, demo.page.server, demo.service.start; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
