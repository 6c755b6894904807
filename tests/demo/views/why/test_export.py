"""What stands side by side, as files: pictures, JSON and CSV that add up."""

from __future__ import annotations

import csv
import io
import json

import pytest
from PIL import Image

from demo.record.contrast import contrast_record
from demo.views.why.export import why_file
from tests.demo.record.test_contrast import FIRST, SECOND, contrast_of

PHOTOS = (Image.new("RGB", (300, 200), "#80a0c0"), Image.new("RGB", (200, 260), "#c0a080"))


@pytest.mark.parametrize("layer", ["mask", "word:1"])
@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_has_both_photographs(layer: str, dark: bool) -> None:
    contrast = contrast_of(FIRST, FIRST)
    file = why_file(contrast, PHOTOS, "random", "png", layer, dark, "somebody, CC BY 2.0")
    assert file.name == "seps-random-house-boat-why.png"
    with Image.open(io.BytesIO(file.content)) as image:
        assert image.width == 2304
        assert len(image.resize((300, 200)).convert("RGB").getcolors(60000) or []) > 100
    if layer == "word:1":
        other = why_file(contrast, PHOTOS, "random", "png", "mask", dark)
        assert other.content != file.content


@pytest.mark.parametrize("second", [FIRST, SECOND])
def test_a_table_adds_up_to_its_last_row(second: tuple[str, ...]) -> None:
    contrast = contrast_of(FIRST, second)
    text = why_file(contrast, PHOTOS, "random", "csv").content.decode("utf-8-sig")
    *parts, total = csv.DictReader(io.StringIO(text))
    for name in ("left", "right", "difference"):
        assert sum(float(part[name] or 0) for part in parts) == pytest.approx(float(total[name]), abs=1e-5)
    assert (total["part"], total["left_photo"], total["right_caption"]) == ("S(I, T)", "house", " ".join(second))
    assert [part["part"] for part in parts if part["kind"] == "word"] == [part.name for part in contrast.words]


def test_json_and_vectors() -> None:
    contrast = contrast_of(FIRST, SECOND)
    assert json.loads(why_file(contrast, PHOTOS, "random", "json").content) == contrast_record(contrast, "random")
    assert why_file(contrast, PHOTOS, "random", "svg", "word:0").content.startswith(b"<?xml")
    with pytest.raises(ValueError, match="format is 'gif'"):
        why_file(contrast, PHOTOS, "random", "gif")
