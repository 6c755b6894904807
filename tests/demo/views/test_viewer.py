import re
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from demo.page.actions import CAMERA_NAME
from demo.record.packing import packed
from demo.service.experiments.counterfactual import Forcing
from demo.service.masks import mask_text, read_mask
from demo.service.measuring.measured import measures_of
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.compare import comparison
from demo.views.downloads import explanation
from demo.views.state import ViewState
from demo.views.viewer import OTHERS, look_value, search_value, shown_record, whatif_value
from demo.views.why.values import WhyState, why_download
from seps.media.photos import to_rgb
from tests.helpers.web.single_page import shown_in

CAPTION = "a cup on a table"


def painted(**options: Any) -> ViewState:
    """A state with a random decision by hand."""
    mask = np.random.default_rng(0).random(196) < 0.1
    return ViewState("examples", 2, CAPTION, mask=mask_text(mask), **options)


def test_the_page_is_told_every_difference(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), painted()
    value = search_value(service, indexed, state)
    mask, content = read_mask(state.mask, 196), value["whatif"]
    forcing = Forcing(service, indexed, 2, CAPTION)
    now, by_model = forcing.attempt(mask), forcing.decided
    assert value["similarity"] == now.record.similarity
    assert content["own"] == mask_text(by_model.record.sparse.kept)
    assert content["now"]["similarity"] == f"{now.record.similarity - by_model.record.similarity:+.2g}"
    for name, term in now.record.terms.items():
        assert content["now"]["terms"][name] == f"{term - by_model.record.terms[name]:+.2g}"
    assert f"rank {now.rank} of 14" in content["now"]["says"]
    plain = whatif_value(service, indexed, replace(state, mask=""))
    assert plain["now"] is None and plain["game"] is None and plain["objects"] == []


def test_the_game_stands_beside_the_models_choice(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), painted(budget=40)
    game_value = whatif_value(service, indexed, state)["game"]
    game = Forcing(service, indexed, 2, CAPTION).game(40, read_mask(state.mask, 196))
    assert game.by_hand is not None
    similarities = [f"{decided.record.similarity:.2f}" for decided in (game.by_hand, game.by_model)]
    assert [row[2] for row in game_value["rows"]] == similarities
    assert f"{game.overlap:.2f}" in game_value["says"]
    assert read_mask(game_value["mask"], 196).sum() == 40  # type: ignore[union-attr]
    empty = whatif_value(service, indexed, replace(state, mask=""))["game"]
    assert empty["rows"][0][2:] == ["-", "-"] and "Which 40 patches" in empty["says"]


def test_a_measured_layer_is_drawn_into_a_file(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), ViewState("examples", 2, CAPTION, layer="effect:2")
    assert "effect" in search_value(service, indexed, state)["record"]["measures"]
    file = explanation(service, indexed, state, "svg")
    assert len(file.content) > 10_000 and "effect" in file.name


def test_what_takes_long_is_measured_when_the_page_asks(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    state = ViewState("scenes", 3, "a red car", layer="blurred:1")
    assert "blurred" not in search_value(service, indexed, state)["record"].get("measures", {})
    assert measures_of(shown_record(service, indexed, state))["blurred"] is not None
    assert "blurred" in search_value(service, indexed, state)["record"]["measures"]
    file = explanation(service, indexed, state, "svg")
    assert "blurred" in file.name and b"Gaussian" in file.content


def test_chips_bring_the_masks_that_their_captions_have(service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("motorcycle")
    phrases = indexed.gallery.items[index].phrases
    rows = search_value(service, indexed, ViewState("examples", index, phrases[0]))["others"]
    assert [row["caption"] for row in rows] == list(phrases[1:][:OTHERS])
    for row in rows:
        kept = service.explain(indexed, index, row["caption"]).sparse.kept
        np.testing.assert_array_equal(read_mask(row["mask"], kept.size), kept)


MOST = 600_000  # bytes of a page
CAT = "a tabby cat"


def test_a_view_is_a_page_that_needs_no_server(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), ViewState("examples", 2, CAT, layer="score")
    contrast = WhyState("examples", 2, CAT, other="the background", layer="word:1")
    files = {
        "viewer": explanation(service, indexed, state, "html"),
        "compare": comparison(service, indexed, state, [CAT, "the background"], "html"),
        "why": why_download(service, indexed, contrast, "html"),
    }
    values = {}
    for component, file in files.items():
        page = file.content.decode()
        assert file.name.endswith(".html") and file.media_type == "text/html" and len(page) <= MOST
        assert not re.search(r'(?:src|href)="(?!data:)', page)  # nothing of another place
        shown = shown_in(page)
        assert shown["component"] == component
        values[component] = shown["value"]
    record = service.explain(indexed, 2, CAT)
    assert values["viewer"]["record"] == values["compare"]["items"][0]["record"] == packed(record)
    assert values["why"]["sides"][0]["kept"] == record.sparse.kept.astype(int).tolist()
    assert all(value["photo"]["credit"] for value in (values["viewer"], values["why"]["sides"][0]))
    assert [value["layer"] for value in values.values()] == ["score", "score", "word:1"]


def test_a_frame_is_told_what_the_model_of_the_gallery_makes_of_it(registry: ModelRegistry, small_photo: bytes) -> None:
    service = registry.of("scenes")
    value = look_value(service, CAMERA_NAME, small_photo, "a cup on a table")
    with Image.open(BytesIO(small_photo)) as image:
        record = service.explain_photo(to_rgb(image), "a cup on a table")
    np.testing.assert_array_equal(read_mask(value["mask"], record.sparse.kept.size), record.sparse.kept)
    assert value["similarity"] == pytest.approx(record.similarity, abs=1e-5)
    assert value["words"] == list(record.sparse_alignment.words)
    assert value["maps"]["shape"] == [len(value["words"]), record.sparse.kept.size]
    assert value["model"] == service.name
