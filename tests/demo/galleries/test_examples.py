from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from demo.galleries.packaged import GALLERIES, Example, load_examples

EXAMPLES = load_examples()
every_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)


@every_example
def test_photo_opens_large_and_in_colour(example: Example) -> None:
    photo = example.photo()
    assert photo.mode == "RGB"
    assert min(photo.size) >= 200
    red, green, blue = np.asarray(photo, dtype=np.int16).transpose(2, 0, 1)
    assert max(abs(red - green).mean(), abs(green - blue).mean()) > 2  # levels of 255; 0 in a grey photo


@every_example
def test_captions_are_distinct_and_of_caption_length(example: Example) -> None:
    assert len(set(example.captions)) == len(example.captions) >= 5
    for caption in example.captions:
        assert 5 <= len(caption.split()) <= 15, caption
    assert 60 <= len(example.dense.split()) <= 150


@every_example
def test_licence_and_credit_are_stated(example: Example) -> None:
    assert example.licence.strip()
    assert example.credit.strip()


def test_no_name_photo_or_caption_comes_twice() -> None:
    assert len(EXAMPLES) >= 14
    captions = [caption for example in EXAMPLES for caption in example.captions]
    assert len(set(captions)) == len(captions)
    for values in (
        [example.name for example in EXAMPLES],
        [example.dense for example in EXAMPLES],
        [example.photo().tobytes() for example in EXAMPLES],
    ):
        assert len(set(values)) == len(EXAMPLES)


def test_photographs_that_ship_are_as_they_were_published_and_name_photographer_and_licence() -> None:
    shipped = [example for example in EXAMPLES if example.package is None]
    readme = (GALLERIES / "photos" / "README.md").read_text()
    assert [example.name for example in shipped] == ["pagoda", "dahlia"]
    assert {example.path() for example in shipped} == set((GALLERIES / "photos").glob("*.jpg"))
    for example in shipped:
        row = next(line for line in readme.splitlines() if example.name in line)
        assert hashlib.sha256(example.path().read_bytes()).hexdigest() in row
        assert example.licence == "CC BY 2.0"
        assert example.licence_link is not None
        assert example.link is not None
        for expected in (example.credit.split()[0], example.licence, example.licence_link, example.link):
            assert expected in row


def test_every_package_that_carries_a_photograph_is_required() -> None:
    root = Path(__file__).parents[3]
    required = set(re.findall(r"^[A-Za-z0-9-]+", (root / "requirements.txt").read_text(), re.MULTILINE))
    assert {example.package for example in EXAMPLES} - {None} <= required
    for file in (root / "demo").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) sklearn", file.read_text(), re.MULTILINE), file


def test_missing_package_is_named_with_how_to_install_it() -> None:
    elsewhere = replace(EXAMPLES[0], package="absent-photos", file="absent_photos/cat.jpg")
    with pytest.raises(ValueError, match='The photograph "astronaut" comes with the package'):
        elsewhere.photo()


def test_missing_file_is_named_with_how_to_update_its_package() -> None:
    renamed = replace(EXAMPLES[0], file="skimage/data/nowhere.png")
    with pytest.raises(ValueError, match='The photograph "astronaut" should come with the package'):
        renamed.photo()


def test_missing_shipped_file_is_named() -> None:
    with pytest.raises(ValueError, match='The photograph "pagoda" is missing from'):
        replace(EXAMPLES[6], file="photos/nowhere.jpg").photo()
