"""What Compare and Why give as a figure's spec is drawn to what they show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from demo.__main__ import main
from demo.drawing.paper_figure import Panel
from demo.figure import panel_row, read_spec
from demo.galleries.folder import UPLOADS, uploads_gallery
from demo.galleries.index import index_gallery
from demo.record.contrast import deciding, maps_of
from demo.record.layers import Layer
from demo.service import start
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.compare import compared_records, comparison
from demo.views.figure_spec import SPEC
from demo.views.state import ViewState
from demo.views.why.values import WhyState, sides_of, why_download

CAPTIONS = ("a tabby cat", "a skateboarder's shoes", "the background")


def panels_of(service: RetrievalService, content: bytes, folder: Path) -> list[list[Panel]]:
    """The panels that the command draws for a spec."""
    file = folder / "spec.json"
    file.write_bytes(content)
    spec = read_spec(file)
    return [list(panel_row(service, spec, row).panels) for row in spec.rows]


def values_of(panel: Panel) -> NDArray[Any]:
    return np.asarray(panel.layer.values(panel.record).values)


@pytest.mark.parametrize("layer", ["mask", "score", "effect"])
def test_a_comparison_is_drawn_to_the_same_pictures(service: RetrievalService, layer: str, tmp_path: Path) -> None:
    indexed, state = service.find("examples"), ViewState("examples", 2, layer=layer)
    file = comparison(service, indexed, state, CAPTIONS, SPEC)
    assert file.name.endswith("-figure.json") and json.loads(file.content)["captions"] == list(CAPTIONS)
    (panels,) = panels_of(service, file.content, tmp_path)
    records = compared_records(service, indexed, state, CAPTIONS)
    for panel, caption, record in zip(panels, CAPTIONS, records, strict=True):
        assert panel.head == caption and panel.layer == Layer.parse(layer)
        assert np.allclose(values_of(panel), Layer.parse(layer).values(record).values, atol=1e-4)
        assert panel.photo.size == indexed.gallery.items[2].photo().size


@pytest.mark.parametrize(
    "state",
    [
        WhyState("examples", 3, "a skateboarder rides over a street", against=7),
        WhyState("examples", 3, "a skateboarder rides", "a long description of a street with people", against=7),
        WhyState("examples", 3, "a skateboarder rides", against=7, layer="word:1"),
        WhyState("examples", 1, "a tabby cat", other="a red car in the snow"),
        WhyState("examples", 1, "a tabby cat", other="a red car in the snow", layer="word:4"),
    ],
    ids=["photos", "dense", "word", "captions", "word of a caption"],
)
def test_what_stands_side_by_side_is_drawn_to_the_same_maps(
    registry: ModelRegistry, service: RetrievalService, state: WhyState, tmp_path: Path
) -> None:
    indexed = service.find("examples")
    file = why_download(registry, None, state, SPEC)
    rows = panels_of(service, file.content, tmp_path)
    contrast = sides_of(service, indexed, state)
    part = contrast.word(state.layer)
    parts = deciding(contrast) if part is None else [part]
    assert parts
    for place, (panels, side) in enumerate(zip(rows, (contrast.left, contrast.right), strict=True)):
        assert panels[0].record.similarity == pytest.approx(side.similarity, abs=1e-4)
        assert part is not None or panels[0].layer.name == "photo"
        for panel, shown in zip(panels if part is not None else panels[1:], parts, strict=True):
            if (shown.left_pieces, shown.right_pieces)[place]:
                assert np.allclose(values_of(panel), maps_of(contrast, shown)[place], atol=1e-4)
                assert f'"{shown.name}"' in panel.head
            else:  # the caption has not got the word
                assert panel.layer.name == "photo"


def test_a_picture_of_ones_own_is_to_be_put_beside_the_spec(
    registry: ModelRegistry, service: RetrievalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (60, 90, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "mine.png")
    uploads = uploads_gallery([("mine.png", (tmp_path / "mine.png").read_bytes())])
    indexed = index_gallery(service.model, uploads, None)
    assert indexed.gallery.name == UPLOADS
    file = comparison(service, indexed, ViewState(UPLOADS, 0), CAPTIONS[:2], SPEC)
    (row,) = json.loads(file.content)["rows"]
    assert row["photo"] == "mine.png" and "put it beside it, under the name mine.png" in row["note"]
    (panels,) = panels_of(service, file.content, tmp_path)
    record = service.explain(indexed, 0, CAPTIONS[0])
    assert (panels[0].record.sparse.kept == record.sparse.kept).all()
    (tmp_path / "mine.png").unlink()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r'The photo "mine\.png" is not there'):
        read_spec(Path("spec.json"))


def test_the_command_draws_a_comparison_of_the_app(
    service: RetrievalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: service)
    spec, out = tmp_path / "spec.json", tmp_path / "figure.svg"
    spec.write_bytes(comparison(service, service.find("examples"), ViewState("examples", 2), CAPTIONS, SPEC).content)
    assert main(["figure", str(spec), "-o", str(out)]) == 0
    credit = service.find("examples").gallery.items[2].credit
    text = out.read_text()
    assert all(caption in text for caption in CAPTIONS) and credit in text


def test_a_model_of_ones_own_is_to_be_named(service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "name", "mine")
    spec = json.loads(comparison(service, service.find("examples"), ViewState("examples", 2), CAPTIONS, SPEC).content)
    assert "write its folder or hub repo in its place" in spec["note"]
