"""The script for ten minutes tells the figures that stand on the slides."""

from __future__ import annotations

import re
from pathlib import Path

from demo.galleries.openings import load_openings
from demo.record.settings import evaluation_knobs
from demo.service.registry import ModelRegistry
from demo.views.lesson.walk import WalkRequest, walk_value

SCRIPT = " ".join((Path(__file__).parents[4] / "assets" / "guide" / "teach.md").read_text().split())


def test_its_minutes_are_ten() -> None:
    minutes = {"One minute": 1, "Two minutes": 2}
    assert sum(minutes[word] for word in re.findall(r"\*((?:One|Two) minutes?)\.\*", SCRIPT)) == 10


def test_the_script_tells_what_the_slides_do(registry: ModelRegistry) -> None:
    service, indexed = registry.find("examples")
    opening = load_openings()["examples"]["search"]
    index = indexed.gallery.position(opening["photo"])
    dense, knobs = indexed.gallery.items[index].dense, evaluation_knobs(service.model)
    value = walk_value(WalkRequest(service, indexed, index, opening["captions"][0], dense, knobs), 1)
    shapes = {tensor["name"]: tensor["shape"] for step in value["steps"] for tensor in step["tensors"]}
    patches, words, dense = (shapes[name][0] for name in ("V", "T_s", "T_d"))
    sentence = f"a photograph is {patches} patches, this caption {words} word tokens, its dense caption {dense}, "
    assert sentence + f"{dense / words:.1f} times as many" in SCRIPT
    steps = {step["id"]: step["sentence"] for step in value["steps"]}
    kept = re.findall(r"The (\d+) of (\d+) patches", steps["decision"])
    assert [f"{first} of the {second} patches stay" in SCRIPT for first, second in kept] == [True]
    merged, tokens = shapes["aggregated_s"][0], shapes["tokens_s"][0]
    assert f"become {merged} aggregated tokens" in SCRIPT
    assert f"a single extra token: {tokens} tokens stand for" in SCRIPT
    parts = [name for name in shapes if re.fullmatch(r"s_[a-z]+", name)]
    assert (len(parts), shapes["terms"]) == (4, [4])
    assert "four parts, one weighted sum" in SCRIPT
    assert "two means of maxima and two values of a small network" in SCRIPT
