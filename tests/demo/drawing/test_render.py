import re
from io import BytesIO
from itertools import product
from xml.etree import ElementTree

import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from demo.drawing.formats import Heading, file_name
from demo.drawing.overlay import explanation_file, picture
from demo.drawing.palette import DARK, LIGHT, Palette
from demo.drawing.render import render
from demo.record.layers.layers import Layer
from tests.helpers.models.records import random_record

SVG = "{http://www.w3.org/2000/svg}"
IMAGE = f"{SVG}image"
MARKUP = "<b>dogs</b> & $x^2$ \\frac{1}{2} $ {} %s </svg>"
ARABIC, EMOJI = "كلب على العشب", "🐕👩‍🚀🏳️‍🌈"


def drawn(caption: str = "a dog on grass", dense: str = "", credit: str = "") -> Figure:
    photo = Image.radial_gradient("L").resize((256, 32)).convert("RGB")
    return picture(photo, random_record(), Layer("mask"), Heading(caption, 0.5, "photos", dense, credit))


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
    assert render(drawn(), "svg") == content
    texts = svg_texts(content)
    assert {"a dog on grass", "Similarity 0.5000, model: photos", "Decision mask", "kept", "dropped"} <= set(texts)
    images = [image.get("{http://www.w3.org/1999/xlink}href") for image in ElementTree.fromstring(content).iter(IMAGE)]
    assert images and all(str(image).startswith("data:image/png;base64,") for image in images)


def test_pdf_is_one_page_with_its_fonts() -> None:
    content = render(drawn(), "pdf")
    assert render(drawn(), "pdf") == content
    assert content.startswith(b"%PDF") and pages(content) == 1
    assert b"/FontFile2" in content and b"/Type3" not in content  # TrueType, whole letters


@pytest.mark.parametrize(
    ("texts", "endings"),
    [
        ((MARKUP, ARABIC, EMOJI), (MARKUP, ARABIC, EMOJI)),
        (("", "a\x00b\x1f\ud800 dog\ufffe", "犬" * 2000), ("ab dog", "犬…")),
    ],
    ids=["other letters", "no letters and many"],
)
def test_odd_captions_are_drawn_as_they_are(texts: tuple[str, str, str], endings: tuple[str, ...]) -> None:
    figure = drawn(*texts)
    assert pages(render(figure, "pdf")) == 1
    written = svg_texts(render(figure, "svg"))
    for ending in endings:
        assert any(text.endswith(ending) for text in written), ending


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("photos", "coffee", Layer.parse("token:3:dense"), "png"), "seps-photos-coffee-token-3-dense.png"),
        (("a/b", "../../etc/passwd\x00", "mask", "svg"), "seps-a-b-etc-passwd-mask.svg"),
        (("photos", 'CON: <"é|?*">.', "s_p", "json"), "seps-photos-con-e-s-p.json"),
        (("photos", "犬", "ranking", "csv"), "seps-photos-ranking.csv"),
        (("photos", "x" * 500, "mask", "png"), f"seps-photos-{'x' * 60}-mask.png"),
    ],
)
def test_file_names_are_safe(parts: tuple[str, str, Layer | str, str], name: str) -> None:
    assert file_name(*parts) == name


def luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_letters_meet_wcag_aa(palette: Palette) -> None:
    for names in product(("ink", "quiet", "accent"), ("paper", "ground", "accent_soft")):
        low, high = sorted(luminance(getattr(palette, name)) for name in names)
        assert (high + 0.05) / (low + 0.05) >= 4.5, names


def test_what_cannot_be_drawn_is_refused() -> None:
    heading, photo = Heading("a cat", 0.5, "photos"), Image.new("RGB", (30, 20))
    for kind, opacity, message in (("gif", 0.5, "format is 'gif'"), ("png", 1.5, "opacity is 1.5, but it must be")):
        with pytest.raises(ValueError, match=re.escape(message)):
            explanation_file(photo, random_record(), heading, "cat", kind, "mask", opacity)
    with pytest.raises(ValueError, match="There is no picture format 'gif'"):
        render(drawn(), "gif")
