from __future__ import annotations

import hashlib
import json
import shutil
import socket
import struct
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PIL import Image

from demo.galleries import open_photos
from demo.galleries.gallery import Gallery
from demo.galleries.open_photos import CONNECTIONS, FACTS_FILE, open_photos_gallery

SHARED = Path(__file__).parents[4] / "shared" / "data" / "open_photos" / "images"
COUNT = 40


def drawn(number: int) -> bytes:
    stream = BytesIO()
    Image.new("RGB", (12, 8), (6 * number, 0, 99)).save(stream, "JPEG")
    return stream.getvalue()


class Source:
    """Where the photographs are published: a server of this machine, and the facts that lead to it."""

    def __init__(self, folder: Path) -> None:
        self.content = {f"/{i}.jpg": drawn(i) for i in range(COUNT)}
        self.asked: list[str] = []
        self.hang_up = False
        source = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                source.asked.append(self.path)
                if source.hang_up:  # a reset instead of an answer
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    return
                content = source.content.get(self.path)
                self.send_response(200 if content is not None else 404)
                self.end_headers()
                self.wfile.write(content or b"not here")

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = COUNT

        self.server = Server(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.facts_file = folder / "facts.json"
        self.facts_file.write_text(json.dumps([self.fact(i) for i in range(COUNT)]))

    def fact(self, number: int) -> dict[str, Any]:
        return {
            "id": number,
            "file": f"{number}.jpg",
            "title": f"field {number}",
            "licence": "CC BY 2.0",
            "licence_url": "http://creativecommons.org/licenses/by/2.0/",
            "photo_page": f"https://www.flickr.com/photo.gne?id=7{number}",
            "source_url": f"http://127.0.0.1:{self.server.server_port}/{number}.jpg",
            "sha256": hashlib.sha256(drawn(number)).hexdigest(),
            "captions": [f"a plain field, number {number}", "nothing but one colour"],
        }

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Source]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    source = Source(tmp_path)
    yield source
    source.close()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def open_gallery(source: Source, cache: Path, fetch: bool = True) -> Gallery:
    return open_photos_gallery(cache, fetch, facts_file=source.facts_file)


def files(cache: Path) -> set[str]:
    return {file.name for file in (cache / "open_photos").iterdir()}


def test_photos_are_fetched_once_and_come_with_their_facts(source: Source, cache: Path) -> None:
    gallery = open_gallery(source, cache)
    assert (gallery.name, gallery.note, len(gallery)) == ("open-photos", "", COUNT)
    assert files(cache) == {f"{i}.jpg" for i in range(COUNT)}
    assert sorted(source.asked) == sorted(source.content)
    item = gallery.items[3]
    assert (item.key, item.title, item.captions[0]) == ("3", "field 3", "a plain field, number 3")
    assert (item.credit, item.link) == ("Flickr photo 73", "https://www.flickr.com/photo.gne?id=73")
    assert (item.licence, item.licence_link) == ("CC BY 2.0", "http://creativecommons.org/licenses/by/2.0/")
    assert item.photo().size == (12, 8)
    assert item.digest() == source.fact(3)["sha256"]
    again = open_gallery(source, cache)
    assert len(again) == len(source.asked) == COUNT


def test_progress_counts_the_photos_that_are_missing(source: Source, cache: Path) -> None:
    seen = []

    def progress(values: list[Any], desc: str) -> list[Any]:
        seen.append((len(values), desc))
        return values

    for _ in range(2):
        open_photos_gallery(cache, progress=progress, facts_file=source.facts_file)
    assert seen == [(COUNT, "Fetching open photos")]


def test_a_damaged_file_in_the_cache_is_fetched_again(source: Source, cache: Path) -> None:
    open_gallery(source, cache)
    source.asked.clear()
    damaged = cache / "open_photos" / "5.jpg"
    damaged.write_bytes(drawn(5)[:-9])
    assert len(open_gallery(source, cache)) == COUNT
    assert source.asked == ["/5.jpg"]
    assert damaged.read_bytes() == drawn(5)


def test_content_of_another_hash_is_refused(source: Source, cache: Path) -> None:
    source.content["/5.jpg"] = drawn(6)
    del source.content["/8.jpg"]
    gallery = open_gallery(source, cache)
    assert [item.key for item in gallery.items] == [str(i) for i in range(COUNT) if i not in (5, 8)]
    assert gallery.note == (
        "38 of 40 open photos are in the cache. Not fetched: 5.jpg (refused, wrong sha256), 8.jpg (HTTP 404)."
    )
    assert files(cache) == {f"{i}.jpg" for i in range(COUNT) if i not in (5, 8)}


def test_the_note_names_a_few_of_many(source: Source, cache: Path) -> None:
    source.content.clear()
    gallery = open_gallery(source, cache)
    listed = ", ".join(f"{i}.jpg (HTTP 404)" for i in range(3))
    assert gallery.note == f"0 of 40 open photos are in the cache. Not fetched: {listed} and 37 more."
    assert gallery.items == ()


def test_content_larger_than_the_limit_is_refused(source: Source, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_photos, "MAX_BYTES", len(drawn(0)) - 2)
    assert "0.jpg (refused, wrong sha256)" in open_gallery(source, cache).note
    assert not (cache / "open_photos").exists()


def test_without_a_network_few_attempts_are_made(source: Source, cache: Path) -> None:
    facts = json.loads(source.facts_file.read_text())
    (cache / "open_photos").mkdir(parents=True)
    for i in range(12):
        (cache / "open_photos" / f"{i}.jpg").write_bytes(drawn(i))
    source.hang_up = True
    gallery = open_gallery(source, cache)
    assert gallery.note == "No network: 12 of 40 open photos are in the cache."
    assert [item.key for item in gallery.items] == [str(fact["id"]) for fact in facts[:12]]
    assert 1 <= len(source.asked) <= CONNECTIONS


def test_a_host_that_refuses_to_connect_is_no_network(source: Source, cache: Path) -> None:
    source.close()
    assert open_gallery(source, cache).note == "No network: 0 of 40 open photos are in the cache."


def test_nothing_is_fetched_unless_asked(source: Source, cache: Path) -> None:
    gallery = open_gallery(source, cache, fetch=False)
    assert (len(gallery), gallery.note) == (
        0,
        "0 of 40 open photos are in the cache, and fetching is off (--no-fetch): start the app without it to fetch the "
        "others, or choose another gallery.",
    )
    assert source.asked == []
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_is_told(source: Source, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    gallery = open_gallery(source, cache)
    assert len(gallery) == 0
    assert "0.jpg (cannot be stored: " in gallery.note


def test_the_real_photos_fit_their_facts(cache: Path) -> None:
    if not SHARED.is_dir():
        pytest.skip("shared/data is not beside the repo: photographs stay out of it")
    shutil.copytree(SHARED, cache / "open_photos")
    gallery = open_photos_gallery(cache, fetch=False)
    assert (len(gallery), gallery.note) == (79, "")
    facts = json.loads(FACTS_FILE.read_text())
    for item, fact in zip(gallery.items, facts, strict=True):
        photo = item.read()
        assert photo.image.size == (fact["width"], fact["height"])
        assert photo.digest == fact["sha256"]


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
