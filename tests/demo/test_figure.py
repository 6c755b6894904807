import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from demo.__main__ import main
from demo.commands.figure import joined, panel_row
from demo.drawing.figure_spec import WIDTHS, read_spec
from demo.drawing.paper_figure import Panel, PanelRow, compute_shared_scales, paper_figure
from demo.galleries.indexes.index import index_gallery
from demo.galleries.sources.folder import UPLOADS, uploads_gallery
from demo.record.contrast import deciding, maps_of
from demo.record.layers.layers import Layer
from demo.service.models import start
from demo.service.retrieval import RetrievalService
from demo.views.compare import compared_records, comparison
from demo.views.figure_spec import SPEC
from demo.views.state import ViewState
from demo.views.why.values import WhyState, sides_of, why_download
from tests.helpers.models.records import random_record

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
    width, height = (re.findall(rf'<svg[^>]* {side}="([0-9.]+)pt"', svg)[0] for side in ("width", "height"))
    return float(width) / 72, float(height) / 72


@pytest.mark.parametrize(("width", "place"), [("one column", "below"), ("two columns", "file")])
def test_a_figure_has_a_columns_width_and_its_text_as_text(
    opened: RetrievalService, folder: Path, width: str, place: str
) -> None:
    out = folder / "figure.svg"
    spec = written_spec(folder, layers=["mask"], width=width, credits=place)
    assert main(["figure", str(spec), "-o", str(out)]) == 0
    svg = out.read_text()
    assert size_of(svg)[0] == pytest.approx(WIDTHS[width], abs=0.01)
    shown = re.sub(r"<[^>]*>", " ", svg)
    for text in ("a cup of coffee", "Decision mask", "cup"):
        assert text in shown
    assert (CREDIT in shown) == (place == "below")
    beside = folder / "figure.credits.txt"
    assert (beside.read_text() == f"{CREDIT}\n") if place == "file" else not beside.exists()


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


OTHER_LAYERS = [{"photo": "cup.png", "caption": "a", "layers": ["mask"]}, {"photo": "cup.png", "caption": "a"}]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": "red"}, "spec.json: colour cannot be used: extra inputs are not permitted."),
        ({"layers": []}, "The columns are layers or captions"),
        ({"rows": [{"photo": "cup.png"}]}, "row 1 has no caption: give it one"),
        ({"rows": [{"photo": "none.png", "caption": "a", "note": "Copy it."}]}, "check the path. Copy it."),
        ({"rows": OTHER_LAYERS}, "The rows have different numbers of layers"),
        ({"width": "three columns"}, "width is 'three columns'"),
        ({"rows": [{"photo": "cup.png", "caption": "a"}] * 400}, "list should have at most 20 items"),
        ({"rows": [{"photo": "cup.png", "caption": "a"}] * 20, "layers": ["mask"] * 7}, "140 panels, but at most 120"),
        (
            {"rows": [{"photo": "cup.png", "caption": "a", "credit": "x" * 10**6}]},
            "credit cannot be used: string should have at most 5000 characters",
        ),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_is_wrong_with_a_spec_is_told_before_a_model_is_opened(
    folder: Path,
    values: dict[str, Any],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: pytest.fail("a model is opened"))
    assert main(["figure", str(written_spec(folder, **values)), "-o", str(folder / "a.pdf")]) == 2
    assert message in capsys.readouterr().err


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


def test_rows_have_layers_of_their_own_and_words_of_several_pieces(service: RetrievalService, folder: Path) -> None:
    dense = "a white cup of coffee stands on a wooden table"
    rows = [
        {"photo": "cup.png", "caption": "a tabby cat", "layers": ["piece:2-3", "mask"]},
        {"gallery": "examples", "photo": "coffee", "caption": "a cup", "dense": dense, "layers": ["photo", "score"]},
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
    record = service.explain_photo(second[0].photo, "a cup", dense)
    assert second[0].record.similarity == pytest.approx(record.similarity, abs=1e-5)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"photo": "cup.png", "layers": ["tokens"]}, "All tokens are too many for one panel"),
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


def test_pieces_that_a_caption_has_not_are_refused() -> None:
    with pytest.raises(ValueError, match="The caption has 4 word pieces, but pieces 2 to 9 were asked for"):
        joined(random_record(), 2, 9)


CAPTIONS = ("a tabby cat", "a skateboarder's shoes")


def panels_of(service: RetrievalService, content: bytes, folder: Path) -> list[list[Panel]]:
    """The panels that the command draws for a spec."""
    file = folder / "spec.json"
    file.write_bytes(content)
    spec = read_spec(file)
    return [list(panel_row(service, spec, row).panels) for row in spec.rows]


def values_of(panel: Panel) -> NDArray[Any]:
    return np.asarray(panel.layer.values(panel.record).values)


def test_a_comparison_is_drawn_to_the_same_pictures(service: RetrievalService, tmp_path: Path) -> None:
    layer = Layer.parse("effect")
    indexed, state = service.find("examples"), ViewState("examples", 2, layer=str(layer))
    file = comparison(service, indexed, state, CAPTIONS, SPEC)
    assert file.name.endswith("-figure.json") and json.loads(file.content)["captions"] == list(CAPTIONS)
    (panels,) = panels_of(service, file.content, tmp_path)
    records = compared_records(service, indexed, state, CAPTIONS)
    for panel, caption, record in zip(panels, CAPTIONS, records, strict=True):
        assert panel.head == caption and panel.layer == layer
        assert np.allclose(values_of(panel), layer.values(record).values, atol=1e-4)
        assert panel.photo.size == indexed.gallery.items[2].photo().size


@pytest.mark.parametrize(
    "state",
    [
        WhyState("examples", 3, "a skateboarder rides", "a long description of a street with people", against=7),
        WhyState("examples", 1, "a tabby cat", other="a red car in the snow", layer="word:4"),
    ],
    ids=["dense", "word of a caption"],
)
def test_what_stands_side_by_side_is_drawn_to_the_same_maps(
    service: RetrievalService, state: WhyState, tmp_path: Path
) -> None:
    indexed = service.find("examples")
    file = why_download(service, indexed, state, SPEC)
    rows = panels_of(service, file.content, tmp_path)
    contrast = sides_of(service, indexed, state)
    part = contrast.word(state.layer)
    parts = deciding(contrast) if part is None else [part]
    assert parts
    for place, (panels, side) in enumerate(zip(rows, (contrast.left, contrast.right), strict=True)):
        assert panels[0].record.similarity == pytest.approx(side.similarity, abs=1e-4)
        assert part is not None or panels[0].layer.name == "photo"
        for panel, shown in zip(panels if part is not None else panels[1:], parts, strict=True):
            if shown.pieces[place]:
                assert np.allclose(values_of(panel), maps_of(contrast, shown)[place], atol=1e-4)
                assert f'"{shown.name}"' in panel.head
            else:  # the caption has not got the word
                assert panel.layer.name == "photo"


def test_a_picture_of_ones_own_is_to_be_put_beside_the_spec(service: RetrievalService, tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (60, 90, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "mine.png")
    uploads = uploads_gallery([("mine.png", (tmp_path / "mine.png").read_bytes())])
    indexed = index_gallery(service.model, uploads, None)
    assert indexed.gallery.name == UPLOADS
    file = comparison(service, indexed, ViewState(UPLOADS, 0), CAPTIONS, SPEC)
    (row,) = json.loads(file.content)["rows"]
    assert row["photo"] == "mine.png" and "put it next to the file, under the name mine.png" in row["note"]
    (panels,) = panels_of(service, file.content, tmp_path)
    record = service.explain(indexed, 0, CAPTIONS[0])
    assert (panels[0].record.sparse.kept == record.sparse.kept).all()
