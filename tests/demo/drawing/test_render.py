from __future__ import annotations

import re
from io import BytesIO
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from PIL import Image

from demo.drawing.formats import Heading, file_name
from demo.drawing.overlay import compare_picture, picture
from demo.drawing.palette import DARK
from demo.drawing.render import render
from demo.record.layers import Layer
from tests.helpers.records import random_record

SVG = "{http://www.w3.org/2000/svg}"
CAPTIONS = {
    "markup": "<b>dogs</b> & $x^2$ \\frac{1}{2} $ {} %s </svg>",
    "another script": "一只狗在草地上",
    "right to left": "كلب على العشب",
    "emoji": "🐕👩‍🚀🏳️‍🌈",
    "control characters": "a\x00b\x1f\ud800 dog\ufffe",
    "empty": "",
    "very long": "dog " * 2500,
    "one long word": "犬" * 10_000,
}


def drawn(caption: str = "a dog on grass", text: str = "mask") -> Figure:
    photo = Image.radial_gradient("L").resize((256, 32)).convert("RGB")
    return picture(photo, random_record(), Layer.parse(text), Heading(caption, 0.5, "photos", caption, caption))


def svg_texts(content: bytes) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(content).iter(f"{SVG}text")]


def pages(content: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", content))


def test_png_has_two_pixels_to_a_css_pixel() -> None:
    figure = drawn()
    with Image.open(BytesIO(render(figure, "png"))) as image:
        width, height = figure.get_size_inches() * 96
        assert image.format == "PNG" and image.size == (round(2 * width), round(2 * height))
        assert image.info["dpi"] == pytest.approx((192, 192), abs=0.1)


def test_svg_carries_its_text_as_text_and_the_photo() -> None:
    content = render(drawn(), "svg")
    texts = svg_texts(content)
    assert {"a dog on grass", "Similarity 0.5000, model: photos", "Decision mask", "kept", "dropped"} <= set(texts)
    images = [image.get("{http://www.w3.org/1999/xlink}href") or "" for image in ElementTree.fromstring(content).iter()
              if image.tag == f"{SVG}image"]  # fmt: skip
    assert images and all(image.startswith("data:image/png;base64,") for image in images)


def test_pdf_is_one_page_with_its_fonts() -> None:
    content = render(drawn(), "pdf")
    assert content.startswith(b"%PDF") and pages(content) == 1
    assert b"/FontFile2" in content and b"/Type3" not in content  # TrueType, whole letters


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
@pytest.mark.parametrize("text", ["mask", "score", "tokens"])
def test_same_figure_same_bytes(kind: str, text: str) -> None:
    assert render(drawn(text=text), kind) == render(drawn(text=text), kind)


@pytest.mark.parametrize("name", CAPTIONS)
def test_odd_captions_are_drawn_as_they_are(name: str) -> None:
    figure = drawn(CAPTIONS[name])
    with Image.open(BytesIO(render(figure, "png"))) as image:
        image.load()
    assert pages(render(figure, "pdf")) == 1
    texts = svg_texts(render(figure, "svg"))
    if name in ("markup", "another script", "right to left", "emoji"):
        assert CAPTIONS[name] in texts
    elif name == "control characters":
        assert "ab dog" in texts
    elif name != "empty":
        assert sum(text.endswith("…") for text in texts) == 3  # caption, dense caption, credit


def test_odd_captions_and_words_in_a_comparison() -> None:
    records = [random_record(seed=0), random_record(seed=1)]
    captions = ["$犬$ & <b>", "🐕\x00"]
    figure = compare_picture(Image.new("L", (9, 9)), captions, records, Layer.parse("word:4"), "photos", DARK)
    texts = svg_texts(render(figure, "svg"))
    assert {"1. $犬$ & <b>", "2. 🐕", 'Word map of "$"'} <= set(texts)


def test_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="There is no picture format 'gif'"):
        render(drawn(), "gif")


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("photos", "coffee", Layer.parse("token:3:dense"), "png"), "seps-photos-coffee-token-3-dense.png"),
        (
            ("photos", "running cheetah", "compare-mask:both", "pdf"),
            "seps-photos-running-cheetah-compare-mask-both.pdf",
        ),
        (("a/b", "../../etc/passwd\x00", "mask", "svg"), "seps-a-b-etc-passwd-mask.svg"),
        (("photos", 'CON: <"é|?*">.', "s_p", "json"), "seps-photos-con-e-s-p.json"),
        (("photos", "犬", "ranking", "csv"), "seps-photos-ranking.csv"),
        (("photos", "x" * 500, "mask", "png"), f"seps-photos-{'x' * 60}-mask.png"),
    ],
)
def test_file_names_are_safe(parts: tuple[str, str, Layer | str, str], name: str) -> None:
    assert file_name(*parts) == name
