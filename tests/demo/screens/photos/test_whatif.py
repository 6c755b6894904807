"""Decisions by hand in Photos: what the page is told, links, files and the game."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from demo.record.packing import packed
from demo.views import downloads
from demo.views import captions
from demo.views.state import SelectedImage
from demo.views import compare
from demo.views.compare import comparison
from demo.views.state import NO_POOL, ViewState
from demo.views import worked_example as photos_view
from demo.views.session import fill
from demo.views.viewer import is_of, search_value, shown_record, whatif_value
from demo.service.counterfactual import Forcing
from demo.service.masks import mask_text, read_mask
from demo.service.measured import measures_of
from demo.service.measures import MEASURES
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService

CAPTION = "a cup on a table"


def painted(service: RetrievalService, seed: int = 0, **options: Any) -> ViewState:
    """A state with a random decision by hand."""
    mask = np.random.default_rng(seed).random(196) < 0.1
    return ViewState("examples", 2, CAPTION, mask=mask_text(mask), **options)


def without_keys(value: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in value.items() if name != "key"}


def test_the_page_is_told_every_difference(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), painted(service)
    value = search_value(service, indexed, state)
    mask, content = read_mask(state.mask, 196), value["whatif"]
    forcing = Forcing(service, indexed, 2, CAPTION)
    now, by_model = forcing.attempt(mask), forcing.decided
    assert value["record"]["branches"][0]["forced"] is True
    assert value["similarity"] == now.record.similarity
    assert content["own"] == mask_text(by_model.record.sparse.kept)
    assert content["now"]["similarity"] == f"{now.record.similarity - by_model.record.similarity:+.4f}"
    for name, term in now.record.terms.items():
        assert content["now"]["terms"][name] == f"{term - by_model.record.terms[name]:+.4f}"
    assert f"rank {now.rank} of 14" in content["now"]["says"]
    assert len(content["now"]["words"]) == len(now.record.sparse_alignment.words)
    plain = whatif_value(service, indexed, replace(state, mask=""))
    assert plain["now"] is None and plain["game"] is None and plain["objects"] == []


def test_a_scenes_objects_are_masks(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    objects = whatif_value(service, indexed, ViewState("scenes", 0, "a red car"))["objects"]
    assert objects
    assert all(read_mask(mask, 100).any() for _, mask in objects)  # type: ignore[union-attr]


@pytest.mark.parametrize("budget", [0, 30])
def test_a_link_brings_the_decision_back(registry: ModelRegistry, service: RetrievalService, budget: int) -> None:
    state = painted(service, budget=budget)
    indexed = service.find("examples")
    _, _, value, now = photos_view.rank_and_show(service, indexed, CAPTION, None, state, 2)
    assert now.mask == state.mask
    query = dict(parse_qsl(value["link"].lstrip("?"))) | {"mask": state.mask, "budget": str(budget)}
    view, values = fill(registry, query)
    restored = values[view]
    assert "problem" not in restored[0] and without_keys(restored[5]) == without_keys(value)
    assert restored[6].mask == state.mask and restored[6].budget == budget


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"mask": "AAAA"}, "is not that of 196 patches"),
        ({"mask": "A" * 34}, "keeps no patch"),
        ({"budget": "x"}, "budget is"),
        ({"budget": "197"}, "budget is"),
        ({"budget": "1"}, "but its budget is 1"),
    ],
)
def test_a_wrong_link_is_told(
    registry: ModelRegistry, service: RetrievalService, wrong: dict[str, str], problem: str
) -> None:
    state = painted(service)
    query = {"gallery": "examples", "photo": "coffee", "caption": CAPTION, "mask": state.mask} | wrong
    view, values = fill(registry, query)
    assert problem in values[view][0]


def test_another_pair_decides_for_itself(service: RetrievalService) -> None:
    state = painted(service, budget=20)
    assert state.of("examples", 2, CAPTION, None) == state
    for other in (("examples", 3, CAPTION, None), ("examples", 2, "a dog", None), ("examples", 2, CAPTION, "long")):
        assert state.of(*other).mask == "" and state.of(*other).budget == 20


def test_files_tell_of_the_decision(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), painted(service)
    forced = Forcing(service, indexed, 2, CAPTION).attempt(read_mask(state.mask, 196))
    file = json.loads(downloads.explanation(service, indexed, state, "json").content)
    assert file["explanation"]["branches"][0]["forced"] and file["by_hand"]["rank"] == forced.rank
    assert file["explanation"]["branches"][0]["kept"] == forced.record.sparse.kept.astype(int).tolist()
    assert file["by_hand"]["model"]["similarity"] == service.explain(indexed, 2, CAPTION).similarity
    assert b"Decision by hand" in downloads.explanation(service, indexed, state, "svg").content
    by_model = downloads.explanation(service, indexed, replace(state, mask=""), "svg").content
    assert b"Decision by hand" not in by_model


def test_the_ranking_as_csv_tells_whose_decision_it_is(service: RetrievalService) -> None:
    from demo.drawing.rankings import images_csv

    indexed = service.find("examples")
    ranking = service.rank_images(indexed, CAPTION)
    index = ranking.order[0]
    content = images_csv(service, indexed, CAPTION, None, (index, -5.0)).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert rows[-1]["photo"] == indexed.gallery.items[index].key and rows[-1]["decision"] == "by hand"
    assert [row["photo"] for row in rows[:-1]] == [indexed.gallery.items[i].key for i in ranking.order[1:]]
    assert {row["decision"] for row in rows[:-1]} == {"the model's"}
    assert "decision" not in images_csv(service, indexed, CAPTION, None).content.decode("utf-8-sig")


def test_the_game_stands_beside_the_models_choice(service: RetrievalService) -> None:
    indexed, state = service.find("examples"), painted(service, budget=40)
    game_value = whatif_value(service, indexed, state)["game"]
    game = Forcing(service, indexed, 2, CAPTION).game(40, read_mask(state.mask, 196))
    assert game.by_hand is not None
    assert [row[2] for row in game_value["rows"]] == [
        f"{decided.record.similarity:.4f}" for decided in (game.by_hand, game.by_model)
    ]
    assert f"{game.overlap:.2f}" in game_value["says"]
    assert read_mask(game_value["mask"], 196).sum() == 40  # type: ignore[union-attr]
    empty = whatif_value(service, indexed, replace(state, mask=""))["game"]
    assert empty["rows"][0][2:] == ["-", "-"] and "Which 40 patches" in empty["says"]


def test_what_takes_long_is_measured_when_the_page_asks(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    state = ViewState("scenes", 3, "a red car", layer="blurred:1")
    value = search_value(service, indexed, state)
    assert (value["layer"], value["pending"]) == ("mask", "blurred:1")
    record = shown_record(service, indexed, state)
    assert measures_of(record)["blurred"] is not None
    value = search_value(service, indexed, state)
    assert (value["layer"], value["pending"]) == ("blurred:1", None)
    file = downloads.explanation(service, indexed, state, "svg")
    assert "blurred" in file.name and b"Gaussian" in file.content
    assert state.of("scenes", 4, "a red car", None).layer == "mask"  # no other pair is measured unasked
    assert replace(state, layer="blurred").of("scenes", 4, "a red car", None).layer == "mask"
    assert state.of("scenes", 3, "a red car", None).layer == "blurred:1"


def test_a_late_measure_is_placed_where_the_pair_is_still_shown() -> None:
    state = ViewState("scenes", 3, "a red car", layer="score")
    drawn = replace(state, layer="blurred", opacity=0.5)
    assert is_of(drawn, state) and not is_of(None, state)
    for other in ({"index": 4}, {"caption": "a dog"}, {"dense": "long"}, {"mask": "AAAA"}, {"gallery": "examples"}):
        assert not is_of(drawn, replace(state, **other))


def test_captions_and_compare_measure_each_picture(registry: ModelRegistry, service: RetrievalService) -> None:
    indexed, selected = service.find("examples"), SelectedImage("examples", 2)
    state = ViewState(layer="effect")
    _, _, value, now = captions.rank_and_show(registry, selected, NO_POOL, CAPTION, state)
    record = service.measure(indexed, 2, CAPTION, None, "effect")
    assert (value["layer"], value["measures"], value["pending"]) == ("effect", True, None)
    assert value["record"] == packed(record) and "whatif" not in value
    assert captions.picture_value(service, indexed, replace(now, layer="blurred"), "", "")["pending"] == "blurred"
    texts = [CAPTION, "a dog"]
    for name in [measure.name for measure in MEASURES if not measure.slow]:
        _, value, now = compare.show_side_by_side(registry, selected, "\n".join(texts), replace(state, layer=name))
        assert value["layer"] == now.layer == name
        for item, text in zip(value["items"], texts, strict=True):
            measured = packed(service.measure(indexed, 2, text, None, name))["measures"][name]
            assert item["record"]["measures"][name] == measured
    _, value, now = compare.show_side_by_side(registry, selected, "\n".join(texts), replace(state, layer="blurred"))
    assert value["layer"] == now.layer == "mask"
    file = comparison(service, indexed, ViewState("examples", 2, layer="blanked"), texts, "svg")
    assert b"Effect of each patch" in file.content


@pytest.mark.parametrize("layer", ["effect", "blanked", "effect:2", "smallest_set", "smallest_change"])
def test_measured_layers_are_drawn_into_files(service: RetrievalService, layer: str) -> None:
    indexed = service.find("examples")
    state = ViewState("examples", 2, CAPTION, layer=layer)
    value = search_value(service, indexed, state)
    assert value["layer"] == layer and layer.split(":")[0] in value["record"]["measures"]
    file = downloads.explanation(service, indexed, state, "svg")
    assert len(file.content) > 10_000 and layer.split(":")[0].replace("_", "-") in file.name
