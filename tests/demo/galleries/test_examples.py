import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.galleries.sources.packaged import GALLERIES, load_examples, load_regions
from demo.galleries.sources.scenes import FACTS_FILE, PICTURES, SEED, SPLIT, scenes_gallery, write
from seps.explanation.caption_words import is_content
from seps.scenes import dense_caption, make_scene, sparse_captions

EXAMPLES = load_examples()


def test_an_example_has_a_large_photograph_in_colour_with_captions_and_credit() -> None:
    for example in EXAMPLES:
        photo, name = example.photo(), example.name
        assert photo.mode == "RGB" and min(photo.size) >= 200, name
        red, green, blue = np.asarray(photo.resize((64, 64)), dtype=np.int16).transpose(2, 0, 1)
        assert max(abs(red - green).mean(), abs(green - blue).mean()) > 2, name  # levels of 255; 0 in a grey photo
        assert len(example.captions) >= 5 and 60 <= len(example.dense.split()) <= 150, name
        assert all(5 <= len(caption.split()) <= 15 for caption in example.captions), name
        assert example.licence.strip() and example.credit.strip(), name


def test_no_name_photo_or_caption_comes_twice() -> None:
    assert len(EXAMPLES) >= 14
    for values in (
        [caption for example in EXAMPLES for caption in example.captions],
        [example.name for example in EXAMPLES],
        [example.dense for example in EXAMPLES],
        [example.photo().tobytes() for example in EXAMPLES],
    ):
        assert len(set(values)) == len(values)


def test_photographs_that_ship_are_as_they_were_published_and_name_photographer_and_licence() -> None:
    shipped = [example for example in EXAMPLES if example.package is None]
    readme = (GALLERIES / "photos" / "README.md").read_text()
    assert [example.name for example in shipped] == ["pagoda", "dahlia"]
    assert {example.path() for example in shipped} == set((GALLERIES / "photos").glob("*.jpg"))
    for example in shipped:
        row = next(line for line in readme.splitlines() if example.name in line)
        assert hashlib.sha256(example.path().read_bytes()).hexdigest() in row
        assert example.licence == "CC BY 2.0"
        for expected in (example.credit.split()[0], example.licence, example.licence_link, example.link):
            assert expected is not None and expected in row


def test_every_package_that_carries_a_photograph_is_required() -> None:
    root = Path(__file__).parents[3]
    required = set(re.findall(r"^[A-Za-z0-9-]+", (root / "requirements.txt").read_text(), re.MULTILINE))
    assert {example.package for example in EXAMPLES} - {None} <= required


@pytest.mark.parametrize(
    ("number", "changes", "message"),
    [
        (0, {"package": "absent-photos", "file": "absent_photos/cat.jpg"}, '"astronaut" comes with the package'),
        (0, {"file": "skimage/data/nowhere.png"}, '"astronaut" should come with the package'),
        (6, {"file": "photos/nowhere.jpg"}, '"pagoda" is missing from'),
    ],
)
def test_a_missing_photograph_is_named_with_what_to_do(number: int, changes: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=f"The photograph {message}"):
        replace(EXAMPLES[number], **changes).photo()  # type: ignore[arg-type]


def test_regions_are_of_an_example_lie_in_it_and_are_named_by_words() -> None:
    for name, regions in load_regions().items():
        assert name in {example.name for example in EXAMPLES}
        assert 2 <= len(regions.phrases) == len(set(regions.phrases))
        for thing in regions.things:
            assert thing.boxes
            for left, top, right, bottom in thing.boxes:
                assert 0 <= left < right <= 1 and 0 <= top < bottom <= 1
            assert all(word == word.lower() and is_content(word) for word in thing.words)
            assert thing.phrase is None or thing.words & set(thing.phrase.lower().split())


def test_facts_are_the_generator_s() -> None:
    for index, item in list(enumerate(scenes_gallery().items))[::5]:
        scene = make_scene(SEED, SPLIT, index)
        captions = sparse_captions(scene)
        assert item.known is not None
        assert item.known.scene == scene
        assert item.known.mentions == tuple((caption.text, caption.mentions) for caption in captions)
        assert item.captions == tuple(caption.text for caption in captions)
        assert item.dense == dense_caption(scene).text


def test_the_program_writes_the_same_files_again(tmp_path: Path) -> None:
    write(tmp_path / "scenes.jsonl", tmp_path / "scenes", count=3)
    lines = FACTS_FILE.read_text(encoding="utf-8").splitlines()
    assert (tmp_path / "scenes.jsonl").read_text(encoding="utf-8").splitlines() == lines[:3]
    for name in ("000.png", "001.png", "002.png"):
        with Image.open(tmp_path / "scenes" / name) as again, Image.open(PICTURES / name) as kept:
            np.testing.assert_array_equal(np.asarray(again), np.asarray(kept))
