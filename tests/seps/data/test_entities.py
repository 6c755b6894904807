import json
from pathlib import Path
from typing import Any

import pytest

from seps.data import DataError, PhraseBoxes, SentencePhrases, read_entities
from tests.helpers.data.drawn_data import write_lines, write_split

DISC = {"phrase": "A red disc", "first_word": 0, "type": "other", "boxes": [[0.1, 0.2, 0.5, 1.0005]]}
PICTURE = {"phrase": "the picture", "first_word": 4, "type": "vehicles/scene", "boxes": [[0, 0, 1, 1], [0, 0, 0.5, 1]]}
SENTENCE = {"sentence": "A red disc on the picture .", "phrases": [DISC, PICTURE]}


def write_entities(folder: Path, *sentences: Any, images: int = 2) -> Path:
    write_split(folder, images=images)
    records = [{"image": f"{10 + i}.png", "sentences": list(sentences)} for i in range(images)]
    write_lines(folder / "dev_entities.jsonl", [json.dumps(record) for record in records])
    return folder


def test_phrases_and_boxes_are_read(tmp_path: Path) -> None:
    bare = {"sentence": "Nothing here", "phrases": []}
    entities = read_entities(write_entities(tmp_path, SENTENCE, bare), "dev")
    assert entities[0] == entities[1]
    disc = PhraseBoxes("A red disc", 0, "other", ((0.1, 0.2, 0.5, 1.0),))  # 1.0005 is rounding
    picture = PhraseBoxes("the picture", 4, "vehicles/scene", ((0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.5, 1.0)))
    sentence = SentencePhrases("A red disc on the picture .", (disc, picture))
    assert entities[0] == [sentence, SentencePhrases("Nothing here", ())]
    write_lines(tmp_path / "dev_ids.txt", [10, 11])  # one an image
    assert read_entities(tmp_path, "dev") == entities


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"boxes": [[0.1, 0.2, 1.002, 0.5]]}, r"box \[0.1, 0.2, 1.002, 0.5\], which leaves the image"),
        ({"boxes": [[0.5, 0.2, 0.5, 0.6]]}, "but x0 < x1 and y0 < y1 are needed"),
        ({"boxes": [[0.1, 0.2, 0.5]]}, "but 4 numbers"),
        ({"boxes": []}, r"boxes \[\], but at least 1 is needed"),
        ({"first_word": 1}, "phrase 'A red disc' does not stand at first_word 1 of 'A red disc on the picture .'"),
        ({"phrase": 3}, "but a phrase with first_word, type and boxes is needed"),
        ({"type": ["other"]}, r"type \['other'\], but a word is needed"),
    ],
)
def test_phrases_that_do_not_fit(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = write_entities(tmp_path, {**SENTENCE, "phrases": [PICTURE, DISC | change]})
    with pytest.raises(DataError, match=message) as error:
        read_entities(folder, "dev")
    assert "Sentences and phrases that do not fit (2):\n  line 1: " in str(error.value)


def test_records_that_do_not_fit_are_listed_together(tmp_path: Path) -> None:
    folder = write_entities(tmp_path, SENTENCE)
    write_lines(folder / "dev_entities.jsonl", ["[]", '{"image": "11.png"}', '{"image": "12.png", "sentences": [3]}'])
    with pytest.raises(DataError) as error:
        read_entities(folder, "dev")
    assert str(error.value).splitlines() == [
        f"Entities of split dev of {folder}: 4 problems.",
        "Counts that do not fit (1):",
        "  dev_entities.jsonl has 3 records, but dev_ids.txt has 2 images",
        "Records of other images (2):",
        "  line 1 holds a JSON list, but an object {...} is needed",
        "  line 2: its sentences are None, but a list is needed",
        "Sentences and phrases that do not fit (1):",
        "  line 3: 3, but a sentence and its list of phrases are needed",
    ]


def test_records_stand_in_the_order_of_the_images(tmp_path: Path) -> None:
    folder = write_entities(tmp_path, SENTENCE)
    records = (folder / "dev_entities.jsonl").read_text().splitlines()
    write_lines(folder / "dev_entities.jsonl", records[::-1])
    with pytest.raises(DataError, match=r"line 1: image is '11\.png', but 10\.png comes here"):
        read_entities(folder, "dev")
    (folder / "dev_entities.jsonl").unlink()
    with pytest.raises(DataError, match=r"Missing \(1\):\n  dev_entities\.jsonl"):
        read_entities(folder, "dev")
