"""Decisions by hand in Photos: what the page is told, links, files and the game."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from demo.page.values import compared
from demo.record.packing import packed
from demo.service.counterfactual import Forcing
from demo.service.masks import mask_text, read_mask
from demo.service.measured import measures_of
from demo.service.measures import MEASURES
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views import downloads
from demo.views.compare import comparison
from demo.views.state import ViewState
from demo.views.viewer import search_value, shown_record, whatif_value

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


@pytest.mark.parametrize("layer", ["effect", "blanked", "effect:2", "smallest_set", "smallest_change"])
def test_measured_layers_are_drawn_into_files(service: RetrievalService, layer: str) -> None:
    indexed = service.find("examples")
    state = ViewState("examples", 2, CAPTION, layer=layer)
    value = search_value(service, indexed, state)
    assert value["layer"] == layer and layer.split(":")[0] in value["record"]["measures"]
    file = downloads.explanation(service, indexed, state, "svg")
    assert len(file.content) > 10_000 and layer.split(":")[0].replace("_", "-") in file.name


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


def test_compare_measures_each_picture(service: RetrievalService) -> None:
    indexed, texts = service.find("examples"), [CAPTION, "a dog"]
    for name in [measure.name for measure in MEASURES if not measure.slow]:
        value = compared(service, indexed, 2, "\n".join(texts), name)
        assert value["layer"] == name
        for item, text in zip(value["items"], texts, strict=True):
            measured = packed(service.measure(indexed, 2, text, None, name))["measures"][name]
            assert item["record"]["measures"][name] == measured
    assert compared(service, indexed, 2, "\n".join(texts), "blurred")["layer"] == "mask"
    file = comparison(service, indexed, ViewState("examples", 2, layer="blanked"), texts, "svg")
    assert b"Effect of each patch" in file.content
