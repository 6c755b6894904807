import re
from base64 import b64decode
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from PIL import ExifTags, Image

import seps
from demo.notebook.page import wrap_module
from demo.record.packing import packed
from seps import Explanation, Ranking, notebook
from seps.explanation.record import Source
from seps.media.photos import rgb_of
from tests.helpers.models.records import random_record
from tests.helpers.web.single_page import shown_in

MOST = 400_000  # bytes of a view
CAPTION = "a dogs $"  # words of `random_record`


def noise(width: int = 1200, height: int = 900) -> Image.Image:
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8))


def with_source(record: Explanation, photo: Image.Image | None = None, **words: Any) -> Explanation:
    return replace(record, source=Source(photo or noise(60, 40), CAPTION, word_starts=(1, 2, 4), **words))


@pytest.fixture(scope="module")
def record() -> Explanation:
    return with_source(random_record())


def shown_in_frame(html: str) -> Any:
    return shown_in(unescape(html.partition("srcdoc='")[2].partition("'")[0]))


def test_a_record_shows_itself(record: Explanation) -> None:
    html, png = record._repr_html_(), record._repr_png_()
    assert html is not None and png is not None
    shown = shown_in_frame(html)
    assert (shown["component"], shown["theme"]) == ("viewer", "auto")
    assert shown["value"]["record"] == packed(record)
    assert shown["value"]["caption"] == CAPTION
    with Image.open(BytesIO(png)) as image:
        assert image.width == 768  # a pixel a CSS pixel: a notebook's file keeps it


def test_an_output_without_its_scripts_is_a_picture(record: Explanation) -> None:
    parts: list[str] = []

    class Parts(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            parts.append(tag)

        def handle_data(self, data: str) -> None:
            parts.append(data)

    Parts().feed(record._repr_html_() or "")
    assert parts == ["div", "img"]  # a sanitizer has nothing to print as text


def test_views_of_large_photographs_are_small() -> None:
    large = with_source(random_record("released", True, (14, 14)), noise(), dense_caption="a dog " * 60)
    assert max(len(large._repr_html_() or ""), len(seps.compare([large] * 6)._repr_html_())) <= MOST


def test_a_comparison_has_a_panel_a_caption(record: Explanation) -> None:
    view = seps.compare([record, with_source(random_record(seed=1))], layer="score", theme="dark")
    value = shown_in_frame(view._repr_html_())["value"]
    expected = [random_record(seed=seed).similarity for seed in (0, 1)]
    assert [item["similarity"] for item in value["items"]] == pytest.approx(expected)
    assert value["layer"] == "score" and len(value["overlap"]) == 2


def turned() -> Image.Image:
    """A photograph of 60 x 40 pixels, red in its upper left corner once it is turned as its EXIF data say."""
    upright = Image.new("RGB", (40, 60))
    upright.paste("red", (0, 0, 20, 20))
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    stream = BytesIO()
    upright.transpose(Image.Transpose.ROTATE_90).save(stream, "PNG", exif=exif)
    return Image.open(stream)


def test_a_view_shows_the_photograph_as_the_model_encodes_it(tmp_path: Path) -> None:
    photo = turned()
    encoded = rgb_of(photo)
    assert encoded.getpixel((5, 5)) == (255, 0, 0)
    record = with_source(random_record(), photo)
    ranking = Ranking(torch.tensor([0]), torch.tensor([0.5]))
    views = [
        seps.show(record).value["photo"]["src"],
        seps.show(replace(record, source=None), photo=photo).value["photo"]["src"],
        seps.compare([record, record]).value["photo"]["src"],
        seps.show(ranking, photos=[photo]).html.partition('src="')[2].partition('"')[0],
    ]
    for source in views:
        with Image.open(BytesIO(b64decode(source.partition(",")[2]))) as shown:
            assert shown.size == encoded.size
            red, *others = shown.convert("RGB").getpixel((5, 5))  # type: ignore[misc]
            assert red > 200 and max(others) < 60
    for name, each in (("turned", record), ("upright", with_source(random_record(), encoded))):
        seps.show(each).save(tmp_path / f"{name}.png")
    assert (tmp_path / "turned.png").read_bytes() == (tmp_path / "upright.png").read_bytes()


def test_a_ranking_is_a_table_with_thumbnails() -> None:
    ranking = Ranking(torch.tensor([2, 0, 1]), torch.tensor([0.5, 0.25, -0.125]))
    table = seps.show(ranking, photos=[noise(30, 20)] * 3, titles=["<a>", "b", "c"], top=2)._repr_html_()
    rows = re.findall(r"<tr>(<td.*?)</tr>", table)
    cells = [re.findall(r">([^<>]+)<", row) for row in rows]
    assert cells == [["1", "c", "2", "0.5000"], ["2", "&lt;a&gt;", "0", "0.2500"]]
    assert table.count("data:image/jpeg") == 2
    assert "data:image" not in (ranking._repr_html_() or "data:image")


def test_views_are_files_too(record: Explanation, tmp_path: Path) -> None:
    view = seps.show(record, layer="score")
    for kind, start in (("html", b"<!doctype html>"), ("pdf", b"%PDF")):
        view.save(tmp_path / f"view.{kind}")
        assert (tmp_path / f"view.{kind}").read_bytes().startswith(start)
    page = (tmp_path / "view.html").read_text()
    assert not re.search(r'(?:src|href)="(?!data:)', page)  # nothing of another place
    for file, message in (("view.txt", "format is 'txt'"), ("nowhere/view.png", "The folder nowhere does not exist")):
        with pytest.raises(ValueError, match=re.escape(message)):
            view.save(Path(file))


def test_what_cannot_be_shown_is_told(record: Explanation) -> None:
    bare = replace(record, source=None)
    assert bare._repr_html_() is None and bare._repr_png_() is None
    ranking = Ranking(torch.tensor([2]), torch.tensor([0.5]))
    wrong: dict[str, Any] = {
        "The record was made from embeddings": lambda: seps.show(bare),
        "There is no layer 'nothing'": lambda: seps.show(record, layer="nothing"),
        "theme is 'blue'": lambda: seps.show(record, theme="blue"),
        "A str cannot be shown": lambda: seps.show("a dog"),
        "1 photos are given, but position 2": lambda: seps.show(ranking, photos=[noise(9, 9)]),
        "of photos or of captions": lambda: seps.show(ranking, photos=[noise(9, 9)], captions=["a"]),
        "There are 1 records": lambda: seps.compare([record]),
        "1 captions": lambda: seps.compare([record, record], captions=["a"]),
    }
    for message, call in wrong.items():
        with pytest.raises(ValueError, match=message):
            call()


def test_without_the_app_a_record_is_text(record: Explanation, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"demo": "the folder of the repository is not on Python's path", "matplotlib": "matplotlib is missing"}
    for name, message in missing.items():
        monkeypatch.setattr(notebook, "import_module", Mock(side_effect=ModuleNotFoundError(name=name)))
        assert record._repr_html_() is None and record._repr_png_() is None
        with pytest.raises(ValueError, match=message):
            seps.show(record)


@pytest.mark.parametrize("named", ["export default 1;", "import(", 'export * from "./b.js";'])
def test_what_no_script_can_hold_is_refused(named: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"a.js has {named!r}")):
        wrap_module("a.js", f"{named}\n")
