"""Photographs under CC BY and CC BY-SA, downloaded on first use; the repo has their URLs, hashes, licences and
captions."""

import hashlib
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from threading import Event
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.reading.paths import write_whole
from demo.galleries.reading.photos import MAX_BYTES
from seps.common.progress import Progress, with_progress

FACTS_FILE = Path(__file__).resolve().parents[3] / "assets" / "galleries" / "open_photos.json"
TIMEOUT = 10  # seconds
REACHED = 1.0  # seconds in which the host of the photographs is reached, or there is no network
CONNECTIONS = 8
LISTED = 3  # photographs that the note names
OFFLINE = "no network"


def open_photos_gallery(
    cache: Path, fetch: bool = True, progress: Progress = False, facts_file: Path = FACTS_FILE
) -> Gallery:
    """Create a gallery of the open photographs in the folder open_photos of the cache or, with `fetch`, on the web; its
    note counts missing ones. Files with a wrong sha256 are downloaded again."""
    facts: list[dict[str, Any]] = json.loads(facts_file.read_text(encoding="utf-8"))
    folder = cache / "open_photos"
    missing = [fact for fact in facts if not _fits(folder / fact["file"], fact["sha256"])]
    failures = dict.fromkeys(_files(missing), "")  # errors by file
    if fetch and missing:
        offline = Event()  # after the first failure to connect
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            fetched = [pool.submit(_fetch, fact, folder / fact["file"], offline) for fact in missing]
            outcomes = [future.result() for future in with_progress(fetched, "Fetching open photos", progress)]
        failures = {file: problem for file, problem in zip(failures, outcomes, strict=True) if problem}
    items = tuple(_item(fact, folder / fact["file"]) for fact in facts if fact["file"] not in failures)
    return Gallery("open-photos", "Open photos", _note(len(items), len(facts), failures, fetch), items)


def why_closed(cache: Path, fetch: bool = True, facts_file: Path = FACTS_FILE) -> str:
    """Return why no photograph can be fetched: "off" if disabled, "offline" without a network; else ""."""
    facts: list[dict[str, Any]] = json.loads(facts_file.read_text(encoding="utf-8"))
    if any((cache / "open_photos" / file).is_file() for file in _files(facts)):
        return ""
    if not fetch:
        return "off"
    host = urlsplit(facts[0]["source_url"]).hostname
    try:
        socket.create_connection((host, 443), timeout=REACHED).close()
    except OSError:
        return "offline"
    return ""


def _files(facts: list[dict[str, Any]]) -> list[str]:
    return [fact["file"] for fact in facts]


def _fits(file: Path, sha256: str) -> bool:
    """Return whether the file exists with this content."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest() == sha256
    except OSError:
        return False


def _item(fact: dict[str, Any], file: Path) -> GalleryItem:
    return GalleryItem(
        key=str(fact["id"]),
        title=fact["title"],
        captions=tuple(fact["captions"]),
        dense=None,
        licence=fact["licence"],
        licence_link=fact["licence_url"],
        credit=f"Flickr photo {fact['photo_page'].rpartition('=')[2]}",
        link=fact["photo_page"],
        source=file,
        phrases=tuple(fact["captions"]),  # each was written about something else
    )


def _fetch(fact: dict[str, Any], file: Path, offline: Event) -> str:
    """Download one photograph; return the error, or ""."""
    if offline.is_set():
        return OFFLINE
    try:
        with urlopen(fact["source_url"], timeout=TIMEOUT) as response:
            content = response.read(MAX_BYTES + 1)
    except HTTPError as error:
        error.close()
        return f"HTTP {error.code}"
    except OSError:
        offline.set()
        return OFFLINE
    except HTTPException:
        return "no valid answer"
    if hashlib.sha256(content).hexdigest() != fact["sha256"]:
        return "refused, wrong sha256"
    try:
        write_whole(file, content)
    except OSError as error:
        return f"cannot be stored: {error.strerror}"
    return ""


def _note(cached: int, total: int, failures: dict[str, str], fetch: bool) -> str:
    """Return one line on missing photographs, or ""."""
    if not failures:
        return ""
    if not fetch:
        return (
            f"{cached} of {total} open photos are in the cache, and fetching is off (--no-fetch): start the app "
            "without it to fetch the others, or choose another gallery."
        )
    offline = OFFLINE in failures.values()
    note = f"{'No network: ' if offline else ''}{cached} of {total} open photos are in the cache."
    lines = [f"{file} ({problem})" for file, problem in failures.items() if problem not in ("", OFFLINE)]
    if lines:
        more = f" and {len(lines) - LISTED} more" if len(lines) > LISTED else ""
        note += f" Not fetched: {', '.join(lines[:LISTED])}{more}."
    return note
