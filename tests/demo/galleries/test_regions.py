"""The regions of the example photographs: boxes in the picture, phrases that name things in other places."""

from __future__ import annotations

import json

import pytest

from demo.galleries.examples import examples_gallery
from demo.galleries.packaged import load_examples
from demo.galleries.regions import REGIONS_FILE, Regions, load_regions
from seps.explanation.caption_words import is_content


@pytest.mark.parametrize(("name", "regions"), load_regions().items())
def test_regions_are_of_an_example_and_lie_in_it(name: str, regions: Regions) -> None:
    assert name in {example.name for example in load_examples()}
    assert 2 <= len(regions.phrases) == len(set(regions.phrases))
    for thing in regions.things:
        assert thing.boxes
        for left, top, right, bottom in thing.boxes:
            assert 0 <= left < right <= 1 and 0 <= top < bottom <= 1


@pytest.mark.parametrize("regions", load_regions().values(), ids=load_regions())
def test_words_name_things(regions: Regions) -> None:
    for thing in regions.things:
        assert all(word == word.lower() and is_content(word) for word in thing.words)
        if thing.phrase is not None:
            assert thing.words & set(thing.phrase.lower().split())


def test_the_file_says_how_it_came_about() -> None:
    assert "by hand for this project" in json.loads(REGIONS_FILE.read_text(encoding="utf-8"))["note"]


def test_the_gallery_has_their_phrases() -> None:
    phrases = {item.key: item.phrases for item in examples_gallery().items}
    assert {name: phrases for name, phrases in phrases.items() if phrases} == {
        name: regions.phrases for name, regions in load_regions().items()
    }
