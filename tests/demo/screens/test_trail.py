"""What a view showed comes back as it was: from its states, else from the address."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.galleries.folder import UPLOADS
from demo.views import captions
from demo.views.state import SelectedImage
from demo.views import compare
from demo.views.link import LinkedView
from demo.views.state import NO_POOL, ViewState
from demo.views import worked_example as photos_view
from demo.views.trail import MAX_KEPT, Shown, Trail, brought_back
from demo.server.uploads import Upload
from demo.service.personal import index_uploads
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def uploaded(service: RetrievalService) -> SessionData:
    """A session with two photographs of a person's own."""
    folder = ROOT / "assets" / "galleries" / "photos"
    uploads = [Upload(name, (folder / name).read_bytes()) for name in ("china.jpg", "flower.jpg")]
    return SessionData(index_uploads(service, uploads))


def without_keys(values: list[Any]) -> list[Any]:
    return [{name: entry for name, entry in value.items() if name != "key"} if isinstance(value, dict) else value
            for value in values]  # fmt: skip


def test_photos_come_back_with_their_layer(registry: ModelRegistry) -> None:
    service, indexed = registry.find("examples")
    state = ViewState(layer="score", opacity=0.5)
    *_, viewer, state = photos_view.rank_and_show(service, indexed, "a cat", None, state, 3)
    _, caption, dense, gallery, _, viewer_again, now, _, _ = photos_view.again(registry, SessionData(), {}, state)
    assert (caption, dense, gallery.value, now) == ("a cat", "", "examples", state)
    assert without_keys([viewer_again]) == without_keys([viewer])


def test_ones_own_photographs_come_back_by_name_whatever_was_uploaded_since(
    registry: ModelRegistry, service: RetrievalService, uploaded: SessionData
) -> None:
    assert uploaded.uploads is not None
    *_, state = photos_view.rank_and_show(service, uploaded.uploads, "a flower", None, ViewState(), 0)
    assert state.gallery == UPLOADS
    items = uploaded.uploads.gallery.items[::-1]
    since = replace(uploaded, uploads=replace(uploaded.uploads, gallery=replace(uploaded.uploads.gallery, items=items)))
    values = photos_view.again(registry, since, {"photo": "china.jpg"}, state)
    assert (values[6].index, values[5]["photo"]["title"]) == (1, "china.jpg")
    with pytest.raises(ValueError, match=r"The gallery 'uploads' has no photo 'gone\.jpg'"):
        photos_view.again(registry, uploaded, {"photo": "gone.jpg"}, state)

    selected = SelectedImage(UPLOADS, 1, uploaded)
    *_, state = captions.rank_and_show(registry, selected, NO_POOL, "a cat\na flower", ViewState())
    _, _, _, now, ranking, viewer, *_, typed = captions.again(registry, SessionData(), {}, selected, state)
    assert (now, viewer["photo"]["title"], typed) == (selected, "flower.jpg", "a cat\na flower")
    assert len(ranking["rows"]) >= 2
    *_, state = compare.show_side_by_side(registry, selected, "a cat\na flower", ViewState())
    assert compare.again(registry, SessionData(), {}, selected, state)[5]["photo"]["title"] == "flower.jpg"


def test_the_oldest_goes_first_and_what_is_ones_own_counts_once(uploaded: SessionData) -> None:
    trail = Trail()
    for number in range(MAX_KEPT + 5):
        selected = SelectedImage(UPLOADS, number, uploaded)
        trail = trail.keep(str(number), Shown("captions", (selected, ViewState())))
    assert list(trail.shown) == [str(number) for number in range(5, MAX_KEPT + 5)]
    assert trail.nbytes == uploaded.nbytes > 0
    again = trail.keep("7", Shown("search", (ViewState(),)))
    assert (list(again.shown)[-1], len(again.shown)) == ("7", MAX_KEPT)


def test_what_was_kept_of_another_pair_is_not_brought_back(registry: ModelRegistry) -> None:
    """Kept a moment late, a state may be that of what came next: then the address fills the view."""
    service, indexed = registry.find("examples")
    *_, cats = photos_view.rank_and_show(service, indexed, "a cat", None, ViewState(), 3)
    selected = SelectedImage("examples", 3)
    *_, compared = compare.show_side_by_side(registry, selected, "a cat\na flower", ViewState())
    tab, box = object(), gr.HTML()
    photos: Any = LinkedView(tab, [None] * 5 + [box], box, photos_view.restore, again=photos_view.again)  # type: ignore[arg-type]
    pictures: Any = LinkedView(tab, [None] * 5 + [box], box, compare.restore, again=compare.again)  # type: ignore[arg-type]
    title = indexed.gallery.items[3].key
    for view, shown, text in (
        (photos, Shown("search", (cats,)), "a cat"),
        (pictures, Shown("compare", (selected, compared)), "a cat\na flower"),
    ):
        query = {"gallery": "examples", "photo": title, "caption": text}
        assert brought_back(registry, view, SessionData(), query, shown) is not None
        assert brought_back(registry, view, SessionData(), {**query, "caption": "a dog"}, shown) is None
        assert brought_back(registry, view, SessionData(), {**query, "gallery": "scenes"}, shown) is None
