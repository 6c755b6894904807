"""Figures for papers: their size, their letters, their scale, their credits, and errors of a spec."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from demo.__main__ import main
from demo.drawing.paper_figure import Panel, PanelRow, compute_shared_scales, paper_figure
from demo.figure import WIDTHS, panel_row, read_spec
from demo.record.layers import Layer
from demo.service import start
from demo.service.retrieval import RetrievalService
from tests.helpers.records import random_record

CREDIT = "Cup: a photographer, CC BY 2.0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pixels = np.random.default_rng(0).integers(0, 256, (30, 45, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "cup.png")
    return tmp_path


def written_spec(folder: Path, **values: Any) -> Path:
    row = {"photo": "cup.png", "caption": "a cup of coffee", "credit": CREDIT}
    file = folder / "spec.json"
    file.write_text(json.dumps({"rows": [row], "layers": ["mask", "score", "word:2"]} | values))
    return file


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of an SVG, in inches."""
    width, height = (re.findall(rf'<svg[^>]* {side}="([0-9.]+)pt"', svg)[0] for side in ("width", "height"))
    return float(width) / 72, float(height) / 72


@pytest.mark.parametrize(("width", "place"), [("one column", "below"), ("two columns", "file")])
def test_a_figure_has_a_columns_width_and_its_text_as_text(
    service: RetrievalService, folder: Path, width: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: service)
    out = folder / "figure.svg"
    assert main(["figure", str(written_spec(folder, width=width, credits=place)), "-o", str(out)]) == 0
    svg = out.read_text()
    assert size_of(svg)[0] == pytest.approx(WIDTHS[width], abs=0.01)
    shown = re.sub(r"<[^>]*>", " ", svg)
    for text in ("a cup of coffee", "Decision mask", "cup"):
        assert text in shown
    assert (CREDIT in shown) == (place == "below")
    beside = folder / "figure.credits.txt"
    assert (beside.read_text() == f"{CREDIT}\n") if place == "file" else not beside.exists()


def test_a_column_a_caption(service: RetrievalService, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: service)
    spec = written_spec(folder, rows=[{"photo": "cup.png"}] * 2, layers=[], captions=["a cup", "a dog"], layer="score")
    out = folder / "figure.svg"
    assert main(["figure", str(spec), "-o", str(out)]) == 0
    svg = out.read_text()
    assert svg.count("<image") == 5  # four panels and one scale
    shown = re.sub(r"<[^>]*>", " ", svg)
    assert shown.count("a cup") == shown.count("a dog") == 1  # only above the first row


def test_panels_of_one_kind_share_a_scale() -> None:
    records = [random_record(seed=seed) for seed in range(3)]
    layer = Layer.parse("score")
    shown = [layer.values(record) for record in records]
    expected = (min(values.low for values in shown), max(values.high for values in shown), False)
    assert compute_shared_scales(shown) == {shown[0].label: expected}
    photo = Image.new("RGB", (70, 40), "grey")
    rows = [PanelRow([Panel(photo, record, layer, "score")]) for record in records]
    figure = paper_figure(rows, 2.0, 7, "sans")
    texts = [text.get_text() for text in figure.texts]
    assert texts.count("score") == 2  # the head of the first row, and the scale's label
    assert {f"{expected[0]:.3g}", f"{expected[1]:.3g}"} <= set(texts)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": "red"}, "spec.json has the unknown key 'colour'"),
        ({"layers": []}, "The columns are layers or captions"),
        ({"captions": ["a"]}, "The columns are layers or captions"),
        ({"layers": "mask"}, "layers is no list of texts"),
        ({"rows": []}, "rows is empty: give at least one photograph"),
        ({"rows": [{"photo": "cup.png"}]}, "row 1 lacks the key 'caption'"),
        ({"rows": [{"photo": "nothing.png", "caption": "a cup"}]}, "check the path"),
        ({"rows": [{"photo": "cup.png", "caption": 5}]}, "row 1: caption is 5, a int"),
        (
            {"rows": [{"photo": "cup.png", "caption": "a", "layers": ["mask"]}, {"photo": "cup.png", "caption": "a"}]},
            "The rows have different numbers of layers",
        ),
        ({"rows": [{"photo": "cup.png", "caption": "a", "layers": "mask"}]}, "layers is no list of texts"),
        (
            {"rows": [{"photo": "nothing.png", "caption": "a", "note": "Put the picture beside it."}]},
            "check the path. Put the picture beside it",
        ),
        ({"note": 5}, "note is 5, a int, but a str is needed"),
        ({"width": "three columns"}, "width is 'three columns'"),
        ({"width": 0.2}, "width is 0.2, but a number from 1 to 20 is needed"),
        ({"size": True}, "size is True, but a number from 5 to 24 is needed"),
        ({"font": "comic"}, "font is 'comic'"),
        ({"credits": "above"}, "credits is 'above'"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_spec_is_told(
    folder: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    monkeypatch.chdir(folder)
    written_spec(folder, **values)
    with pytest.raises(ValueError, match=re.escape(message)):
        read_spec(Path("spec.json"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rows": [{"photo": "cup.png", "caption": "a"}] * 400}, "400 rows, but at most 20 are drawn"),
        ({"rows": [{"photo": "cup.png", "caption": "a"}] * 20, "layers": ["mask"] * 7}, "140 panels, but at most 120"),
        ({"layers": ["mask"] * 400}, r"400 columns \(layers\), but at most 12"),
        (
            {"rows": [{"photo": "cup.png"}], "layers": [], "captions": ["a cup"] * 13},
            r"13 columns \(captions\), but at most 12",
        ),
        (
            {"rows": [{"photo": "cup.png", "caption": "a", "credit": "x" * 10**6}]},
            "row 1: credit has 1000000 characters, but at most 5000",
        ),
    ],
)
def test_a_spec_that_asks_for_too_much_is_refused_before_a_model_is_opened(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    values: dict[str, Any],
    message: str,
) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: pytest.fail("a model is opened"))
    assert main(["figure", str(written_spec(folder, **values)), "-o", str(folder / "a.pdf")]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_figures_with_narrow_columns_or_too_much_height_are_refused() -> None:
    photo, layer = Image.new("RGB", (70, 40), "grey"), Layer.parse("score")
    record = random_record(seed=0)
    columns = PanelRow([Panel(photo, record, layer, "score")] * 12)
    assert paper_figure([columns], 3.25, 7, "sans").get_figwidth() == pytest.approx(3.25)
    with pytest.raises(ValueError, match="12 columns are too many for 2 inches: give fewer, or a larger width"):
        paper_figure([columns], 2.0, 7, "sans")
    tower = PanelRow([Panel(Image.new("RGB", (4, 4000)), record, layer, "score")])
    with pytest.raises(ValueError, match=r"3\d\d\d inches high, but at most 24 are drawn: give fewer rows"):
        paper_figure([tower], 3.25, 7, "sans")


def test_a_missing_spec_and_a_wrong_ending_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["figure", str(folder / "none.json"), "-o", str(folder / "a.pdf")]) == 2
    assert "does not exist: name a spec" in capsys.readouterr().err
    assert main(["figure", str(written_spec(folder)), "-o", str(folder / "a.gif")]) == 2
    assert "must be one of png, svg, pdf" in capsys.readouterr().err


def test_rows_have_layers_of_their_own_and_words_of_several_pieces(service: RetrievalService, folder: Path) -> None:
    rows = [
        {"photo": "cup.png", "caption": "a tabby cat", "layers": ["piece:2-3", "mask"]},
        {"gallery": "examples", "photo": "coffee", "caption": "a cup", "layers": ["photo", "score"]},
    ]
    spec = read_spec(written_spec(folder, rows=rows, layers=[]))
    first, second = (panel_row(service, spec, row).panels for row in spec.rows)
    alignment = service.explain_photo(first[0].photo, "a tabby cat").sparse_alignment
    assert alignment.words[2:4] == ("tab", "##by")
    word_map = np.asarray(first[0].layer.values(first[0].record).values)
    assert np.allclose(word_map, alignment.word_maps[2:4].mean(axis=0), atol=1e-5)
    assert first[0].head == 'Word map of "tabby"'
    items = service.find("examples").gallery
    assert second[0].photo.size == items.items[items.position("coffee")].photo().size
    assert [str(panel.layer) for panel in second] == ["photo", "score"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"photo": "cup.png", "layers": ["piece:2-9"]}, "The caption has 4 word pieces"),
        ({"photo": "cup.png", "layers": ["tokens"]}, "All tokens are too many for one panel"),
        ({"photo": "cup.png", "layers": ["mask:dense"]}, 'The layer "mask:dense" needs a dense caption'),
        ({"photo": "coffee", "gallery": "nowhere"}, "There is no gallery 'nowhere' that comes with the app"),
        ({"photo": "nobody", "gallery": "examples"}, "The gallery 'examples' has no photo 'nobody'"),
    ],
    ids=str,
)
def test_what_a_row_cannot_have_is_told(
    service: RetrievalService, folder: Path, row: dict[str, Any], message: str
) -> None:
    spec = read_spec(written_spec(folder, rows=[{"caption": "a tabby cat"} | row]))
    with pytest.raises(ValueError, match=re.escape(message)):
        panel_row(service, spec, spec.rows[0])


def test_a_dense_caption_takes_part(service: RetrievalService, folder: Path) -> None:
    row = {"photo": "cup.png", "caption": "a cup", "dense": "a white cup of coffee stands on a wooden table"}
    spec = read_spec(written_spec(folder, rows=[row], layers=["mask:dense"]))
    (panel,) = panel_row(service, spec, spec.rows[0]).panels
    record = service.explain_photo(panel.photo, row["caption"], row["dense"])
    assert panel.record.similarity == pytest.approx(record.similarity, abs=1e-5)
