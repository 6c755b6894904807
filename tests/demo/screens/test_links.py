"""A link leads back: for random settings of every view, what it opens is what was shown."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from demo.record.layers import Layer
from demo.record.settings import DECISIONS, Knobs, read_knobs
from demo.views import captions
from demo.views.state import SelectedImage
from demo.views import compare
from demo.views.generate import values as generate_values
from demo.views.judge import values as judge_values
from demo.views.lesson import state as lesson
from demo.views.lesson.state import LessonState
from demo.views.losses import page as losses
from demo.views.losses.values import MININGS
from demo.views.state import NO_POOL, ViewState
from demo.views import worked_example as photos_view
from demo.views.session import RESTORE, fill, read_query
from demo.service.captions import MAX_CHARACTERS
from demo.service.masks import mask_text
from demo.service.registry import ModelRegistry

NOT_SHOWN = ("key", "talk")  # of a value: its number, and what a link alone sets


def opened(registry: ModelRegistry, link: str) -> list[Any]:
    """The values of the view that a link leads to."""
    view, values = fill(registry, read_query(dict(parse_qsl(link.lstrip("?")))))
    return values[view]


def shown(value: dict[str, Any]) -> dict[str, Any]:
    return {name: entry for name, entry in value.items() if name not in NOT_SHOWN}


@pytest.mark.parametrize("seed", range(8))
def test_a_lesson_link_brings_every_setting_and_number(registry: ModelRegistry, seed: int) -> None:
    draw = random.Random(seed)
    _, indexed = registry.find("examples")
    index = draw.randrange(len(indexed))
    item = indexed.gallery.items[index]
    knobs = Knobs(
        keep_ratio=round(draw.uniform(0.05, 1), 2),
        aggr_ratio=lesson.evaluation_knobs(registry.photos.model).aggr_ratio,
        beta=round(draw.uniform(0, 0.5), 2),
        top_k=draw.randint(1, 5),
        decision=draw.choice(DECISIONS),
        temperature=round(draw.uniform(0.1, 5), 1),
        seed=draw.randrange(1000),
        dense=draw.random() < 0.5,
        variant=draw.choice(("paper", "released")),
    )
    dense = draw.choice(("", item.dense or "", "A cat & a dog = 100%\nof it."))
    caption = draw.choice((*item.captions, "two eyes & a nose"))
    state = LessonState(SelectedImage("examples", index), caption, dense, knobs, draw.randint(1, 9))
    mask = np.random.default_rng(seed).random(196) < 0.2
    state = replace(state, mask=draw.choice(("", mask_text(mask))))
    _, value, _ = lesson.show(registry, state)
    restored = opened(registry, f"{value['link']}&step={state.step}")
    assert restored[0] == ""
    assert restored[-1] == state
    assert shown(restored[-2]) == shown(value)


@pytest.mark.parametrize("seed", range(5))
def test_a_picture_link_brings_the_same_numbers(registry: ModelRegistry, seed: int) -> None:
    draw = random.Random(seed)
    service, indexed = registry.find("examples")
    index = draw.randrange(len(indexed))
    item = indexed.gallery.items[index]
    caption, dense = draw.choice(item.captions), draw.choice((None, item.dense))
    layer = draw.choice(("mask", "score", "s_st"))
    start = ViewState(layer=layer, opacity=draw.randint(0, 20) / 20, lines=draw.random() < 0.5)
    looks = f"&layer={layer}&opacity={round(100 * start.opacity)}&grid={int(start.lines)}"  # the browser's part

    _, ranking, value, _ = photos_view.rank_and_show(service, indexed, caption, dense, start, index)
    restored = opened(registry, value["link"] + looks)
    assert (restored[1], restored[2], shown(restored[5])) == (caption, dense or "", shown(value))
    assert restored[4]["lists"] == ranking["lists"]

    selected = SelectedImage("examples", index)
    pool, typed = draw.choice((("examples", ""), (NO_POOL, "a dog\na cup & saucer"), ("examples", "a dog")))
    _, listed, value, _ = captions.rank_and_show(registry, selected, pool, typed, start)
    last = listed["rows"][-1]["caption"]
    _, listed, value, _ = captions.rank_and_show(registry, selected, pool, typed, start, last)
    restored = opened(registry, value["link"] + looks)
    assert (restored[4]["rows"], shown(restored[5])) == (listed["rows"], shown(value))
    assert (restored[7].value, restored[8]) == (pool, typed)

    several = "\n".join(draw.sample(item.captions, draw.randint(2, 4)))
    _, value, _ = compare.show_side_by_side(registry, selected, several, start)
    restored = opened(registry, value["link"] + looks)
    assert (restored[4], shown(restored[5])) == (several, shown(value))


@pytest.mark.parametrize("wrong", ["opacity=101", "opacity=x", "opacity=-1"])
def test_a_wrong_opacity_is_told(registry: ModelRegistry, wrong: str) -> None:
    assert "opacity is" in opened(registry, f"?{wrong}")[0]


LONG = "a+dog+" * MAX_CHARACTERS
WRONG = {
    "search": (
        f"dense={LONG}",
        f"caption=a+dog&dense={LONG}",
        "mask=x",
        "caption=a+dog&budget=9",
        "caption=a+dog&layer=word:99",
        "layer=score:dense",
        "grid=2",
        "objects=x",
    ),
    "captions": (f"typed={LONG}", f"caption=a+dog&typed={LONG}", "typed=" + "a%0A" * 250, "pool=x", "pool=scenes"),
    "compare": (f"caption=a+cat%0A{LONG}", "caption=a+cat", "caption=" + "a%0A" * 7, "caption=a%0Ab&layer=token:1"),
    "why": ("other=a+dog", f"caption=a+cat&other={LONG}", "against=x", f"caption=a+cat&dense={LONG}", "layer=word:99"),
    "edit": ("gallery=examples", "photo=x", f"caption={LONG}"),
    "lesson": (f"dense={LONG}", "keep_ratio=999", "top_k=99", "seed=-1", "step=99", "use_dense=x", "talk=x", "mask=x"),
    "losses": ("margin=2", "share=2", f"dense={LONG}"),
}


@pytest.mark.parametrize(("view", "wrong"), [(view, wrong) for view, links in WRONG.items() for wrong in links])
def test_whatever_is_wrong_with_a_link_is_told_and_the_page_is_filled(
    registry: ModelRegistry, view: str, wrong: str
) -> None:
    values = opened(registry, f"?view={view}&{wrong}")
    assert "problem" in values[0]
    assert len(values[0]) < 600
    assert not any(value is None for value in values)
    shown = [value for value in values if isinstance(value, dict)]
    assert shown and not any("waiting" in value for value in shown)
    states = [value for value in values if isinstance(value, ViewState | LessonState)]
    assert all(state.problem and state.problem[:20] in values[0].replace("&#x27;", "'") for state in states)


def test_texts_of_a_link_are_read_as_far_as_a_view_reads_them(registry: ModelRegistry) -> None:
    several = "\n".join(f"{number} {'a dog ' * 300}"[:1900].strip() for number in range(6))
    _, value, _ = compare.show_side_by_side(registry, SelectedImage("examples", 0), several, ViewState())
    assert opened(registry, value["link"])[4] == several
    typed = "\n".join(f"a dog and {number} cats" for number in range(60))
    _, _, value, _ = captions.rank_and_show(registry, SelectedImage("examples", 0), "examples", typed, ViewState())
    assert opened(registry, value["link"])[8] == typed
    assert opened(registry, "?dense=%00+%0A")[:3] == opened(registry, "?")[:3]


def test_a_photograph_of_a_link_stands_without_a_caption_too(registry: ModelRegistry) -> None:
    _, indexed = registry.find("examples")
    for index in (1, 4):
        item = indexed.gallery.items[index]
        for view in ("search", "captions", "compare", "lesson"):
            values = opened(registry, f"?view={view}&photo={item.key}")
            value = next(part for part in values if isinstance(part, dict) and "photo" in part)
            assert (values[0], value["photo"]["title"]) == ("", item.title)
        assert opened(registry, f"?view=lesson&photo={item.key}")[-1].caption == item.captions[0]
    assert opened(registry, "?view=edit&photo=3")[-1].index == 3


def test_an_answer_repeats_the_settings_it_was_asked_for(registry: ModelRegistry) -> None:
    usual = lesson.evaluation_knobs(registry.photos.model)
    state = LessonState(SelectedImage("examples", 0), "a cat", "", usual)
    for asked, kept in ((asdict(usual) | {"keep_ratio": 0.3}, 0.3), (asdict(usual) | {"keep_ratio": 2.0}, 0.5)):
        status, value, now = lesson.recomputed(registry, state, asked)
        assert (value["asked"], value["knobs"]["keep_ratio"], now.knobs.keep_ratio) == (asked, kept, kept)
        assert bool(status) == (kept == 0.5)
        assert {row["knob"] for row in value["idle"]} == {"keep_ratio", "temperature", "seed", "beta", "top_k"}


@pytest.mark.parametrize("seed", range(4))
def test_a_link_to_the_losses_brings_every_setting(registry: ModelRegistry, seed: int) -> None:
    draw = random.Random(seed)
    settings = (round(draw.uniform(0, 1), 2), draw.choice(MININGS), draw.random() < 0.5)
    value = losses.shown(registry.photos, *settings)
    status, restored = opened(registry, f"{value['link']}&share=0.7")
    assert status == ""
    assert shown(restored) == shown(value) | {"share": 0.7}
    assert (restored["margin"], restored["mining"], restored["mask_ids"]) == settings


def test_the_usual_losses_have_a_short_link_and_wrong_ones_are_told(registry: ModelRegistry) -> None:
    usual = opened(registry, "?view=losses")[1]
    assert (usual["link"], usual["share"]) == ("?view=losses", 0.3)
    for wrong in ("margin=2", "margin=x", "margin=nan", "mining=some", "mask_ids=yes", "share=2", "share=x"):
        status, value = opened(registry, f"?view=losses&{wrong}")
        assert wrong.partition("=")[0] in status
        assert shown(value) == shown(usual)


def test_another_photo_of_the_lesson_ends_the_problem_of_a_link(registry: ModelRegistry) -> None:
    usual = lesson.evaluation_knobs(registry.photos.model)
    state = LessonState(SelectedImage("examples", 0), "a cat", "", usual, problem="Fetching is off.")
    now = lesson.with_photo(registry, state, SelectedImage("examples", 1))
    assert (now.problem, now.selected.index, now.knobs) == ("", 1, usual)
    painted = replace(state, mask=mask_text(np.arange(196) < 9))
    assert lesson.with_photo(registry, painted, SelectedImage("examples", 1)).mask == ""
    assert now.caption in registry.find("examples")[1].gallery.items[1].captions


KNOBS = ("keep_ratio", "aggr_ratio", "beta", "top_k", "temperature", "seed")


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 400, "9" * 9000, "1e999", "nan", "", "x"], ids=str.__len__)
def test_a_number_that_cannot_be_counted_with_is_told(registry: ModelRegistry, number: str) -> None:
    cat = SelectedImage("examples", 0)

    def query(name: str) -> dict[str, str]:
        return read_query({name: number})

    reads: list[Callable[[], Any]] = [
        *[partial(lesson.from_link, registry, query(name), cat, "", "") for name in (*KNOBS, "step")],
        *[partial(losses.from_link, registry.photos, query(name)) for name in ("margin", "share", "mask_ids")],
        *[partial(generate_values.linked_state, query(name)) for name in ("steps", "seed", "guidance", "count")],
        partial(judge_values.read_distortion, query("strength")),
        partial(Layer.parse, f"word:{number}"),
    ]
    for read in reads:
        with pytest.raises(ValueError, match=r"^[\w ]+") as caught:
            read()
        assert "Exceeds the limit" not in str(caught.value)
        assert len(str(caught.value)) < 450


def test_knobs_of_any_size_are_told(registry: ModelRegistry) -> None:
    usual = lesson.evaluation_knobs(registry.photos.model)
    for name in KNOBS:
        for number in (10**400, -(10**400), float("inf"), 1e308):
            with pytest.raises(ValueError, match=f"{name} is "):
                read_knobs({name: number}, usual)


@pytest.mark.parametrize("name", sorted(set(RESTORE) - {"judge", "generate"}))  # which need models of their own
def test_a_view_that_is_opened_without_a_link_has_nothing_wrong(registry: ModelRegistry, name: str) -> None:
    _, values = fill(registry, {}, name)
    assert "problem" not in str(values[name][0])
    wrong = fill(registry, {"photo": "nowhere"}, name)[1][name]
    assert "problem" in str(wrong[0])
