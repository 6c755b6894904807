import hashlib
import json
from collections.abc import Callable
from email.message import Message
from http.client import BadStatusLine
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from PIL import Image

from demo.galleries.gallery import Gallery
from demo.galleries.sources import open_photos
from demo.galleries.sources.open_photos import CONNECTIONS, FACTS_FILE, open_photos_gallery
from tests.helpers.pictures.odd_photos import saved

COUNT = 40


def drawn(number: int) -> bytes:
    return saved(Image.new("RGB", (12, 8), (6 * number, 0, 99)), "JPEG")


def fact(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "file": f"{number}.jpg",
        "title": f"field {number}",
        "licence": "CC BY 2.0",
        "licence_url": "http://creativecommons.org/licenses/by/2.0/",
        "photo_page": f"https://www.flickr.com/photo.gne?id=7{number}",
        "source_url": f"https://photos.example.org/{number}.jpg",
        "sha256": hashlib.sha256(drawn(number)).hexdigest(),
        "captions": [f"a plain field, number {number}", "nothing but one colour"],
    }


class Source:
    """Where the photographs are published: their content or errors by number, and the numbers that were asked for."""

    def __init__(self, folder: Path) -> None:
        self.content: dict[int, bytes | Exception] = {number: drawn(number) for number in range(COUNT)}
        self.asked: list[int] = []
        self.cache, self.facts_file = folder / "cache", folder / "facts.json"
        self.facts_file.write_text(json.dumps([fact(number) for number in range(COUNT)]))

    def urlopen(self, address: str, timeout: float) -> BytesIO:
        number = int(Path(address).stem)
        self.asked.append(number)
        content = self.content.get(number, HTTPError(address, 404, "not here", Message(), None))
        if isinstance(content, Exception):
            raise content
        return BytesIO(content)

    def open(self, fetch: bool = True) -> Gallery:
        return open_photos_gallery(self.cache, fetch, facts_file=self.facts_file)

    def files(self) -> set[int]:
        return {int(file.stem) for file in (self.cache / "open_photos").glob("*")}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    source = Source(tmp_path)
    monkeypatch.setattr(open_photos, "urlopen", source.urlopen)
    return source


def test_photos_are_fetched_once_and_come_with_their_facts(source: Source) -> None:
    gallery = source.open()
    assert (gallery.name, gallery.note, len(gallery)) == ("open-photos", "", COUNT)
    assert source.files() == set(source.asked) == set(range(COUNT))
    item = gallery.items[3]
    assert (item.key, item.title, item.captions[0]) == ("3", "field 3", "a plain field, number 3")
    assert (item.credit, item.link) == ("Flickr photo 73", "https://www.flickr.com/photo.gne?id=73")
    assert (item.licence, item.licence_link) == ("CC BY 2.0", "http://creativecommons.org/licenses/by/2.0/")
    assert (item.photo().size, item.digest()) == ((12, 8), fact(3)["sha256"])
    assert len(source.open()) == len(source.asked) == COUNT
    (source.cache / "open_photos" / "5.jpg").write_bytes(drawn(5)[:-9])  # damaged
    assert len(source.open()) == COUNT and source.asked[COUNT:] == [5]


def hang_up(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    source.open()
    for number in range(12, COUNT):
        (source.cache / "open_photos" / f"{number}.jpg").unlink()
        source.content[number] = ConnectionResetError()
    source.asked.clear()


def occupy_the_cache(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    source.cache.write_text("a file where the folder should be")


def lower_the_limit(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_photos, "MAX_BYTES", len(drawn(0)) - 2)


def answer_otherwise(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    source.content[5], source.content[6] = drawn(6), BadStatusLine("?")
    del source.content[8]


@pytest.mark.parametrize(
    ("happens", "kept", "note"),
    [
        (
            answer_otherwise,
            set(range(COUNT)) - {5, 6, 8},
            "37 of 40 open photos are in the cache. Not fetched: 5.jpg (refused, wrong sha256), "
            "6.jpg (no valid answer), 8.jpg (HTTP 404).",
        ),
        (hang_up, set(range(12)), "No network: 12 of 40 open photos are in the cache."),
        (lower_the_limit, set(), "2.jpg (refused, wrong sha256) and 37 more."),
        (occupy_the_cache, set(), "0.jpg (cannot be stored: "),
    ],
)
def test_what_cannot_be_fetched_is_named_and_left_out(
    source: Source,
    happens: Callable[[Source, pytest.MonkeyPatch], None],
    kept: set[int],
    note: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    happens(source, monkeypatch)
    gallery = source.open()
    assert note in gallery.note
    assert {int(item.key) for item in gallery.items} == source.files() == kept
    if happens is hang_up:
        assert 1 <= len(source.asked) <= CONNECTIONS


def test_nothing_is_fetched_unless_asked(source: Source) -> None:
    gallery = source.open(fetch=False)
    assert len(gallery) == 0
    assert gallery.note.startswith("0 of 40 open photos are in the cache, and fetching is off (--no-fetch): start the")
    assert source.asked == [] and not source.cache.exists()


def test_the_facts_are_complete() -> None:
    facts = json.loads(FACTS_FILE.read_text())
    assert len({fact["id"] for fact in facts}) == len({fact["sha256"] for fact in facts}) == len(facts) == 79
    captions = [caption for fact in facts for caption in fact["captions"]]
    assert len(set(captions)) == len(captions)
    for fact in facts:
        assert len(fact["captions"]) >= 2
        assert fact["licence"] in ("CC BY 2.0", "CC BY-SA 2.0")
        assert fact["licence_url"].startswith("http://creativecommons.org/licenses/")
        assert fact["photo_page"].rpartition("=")[2].isdigit()
        assert Path(fact["file"]).name == fact["file"]
