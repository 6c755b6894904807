import errno
import json
import os
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from demo.galleries.reading.paths import check_photos, default_cache, photos_place
from demo.galleries.reading.photos import file_digest, pixels_digest
from demo.galleries.sources import folder
from demo.galleries.sources.folder import create_listed_gallery, folder_gallery, uploads_gallery


def draw(file: Path, colour: str = "red") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 6), colour).save(file)
    return file


def test_folders_below_are_read_when_asked_alone(tmp_path: Path) -> None:
    for name in ("two/deep/c.png", "one/b.png", "a.png", ".hidden/d.png", "one/.hidden.png"):
        draw(tmp_path / name)
    gallery = folder_gallery(tmp_path)
    (item,) = gallery.items
    assert (item.key, item.title, item.captions, item.photo().size) == ("a.png", "a.png", (), (8, 6))
    assert gallery.skipped == ('Subfolders are read only with --recursive: "one", "two".',)
    keys = [item.key for item in folder_gallery(tmp_path, recursive=True).items]
    assert keys == ["a.png", "one/b.png", "two/deep/c.png"]


def test_what_is_no_photo_is_summed_up_and_names_are_shown_with_escapes(tmp_path: Path) -> None:
    draw(tmp_path / "a\x1b[2J\nb\u202e.png")
    (tmp_path / "empty\x07.jpg").touch()
    for i in range(5):
        (tmp_path / f"notes{i}.txt").write_text("no photo")
    gallery = folder_gallery(tmp_path)
    assert [item.key for item in gallery.items] == [r"a\x1b[2J\nb\u202e.png"]
    empty, others = gallery.skipped
    assert empty.startswith(r'The photo "empty\x07.jpg" is empty')
    assert others == '5 files are no photos: "notes0.txt", "notes1.txt", "notes2.txt" and 2 more.'


def test_links_are_not_followed_out_of_the_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    draw(folder / "own.png")
    draw(outside / "secret.png")
    (folder / "away.png").symlink_to(outside / "secret.png")
    (folder / "away").symlink_to(outside, target_is_directory=True)
    (folder / "within.png").symlink_to(folder / "own.png")
    (folder / "broken.png").symlink_to(folder / "absent.png")
    (folder / "itself.png").symlink_to(folder / "itself.png")
    (folder / "circle").symlink_to(folder, target_is_directory=True)
    gallery = folder_gallery(folder, recursive=True)
    assert [item.key for item in gallery.items] == ["own.png", "within.png"]
    away, broken, itself = gallery.skipped
    assert away == '"away.png" is a link that leads out of the folder.'
    assert broken.startswith('The photo "broken.png" is not there')
    assert itself.startswith('The photo "itself.png" is not there')


def test_captions_come_from_captions_json(tmp_path: Path) -> None:
    draw(tmp_path / "a.png")
    draw(tmp_path / "below" / "b.png")
    captions = {"below/b.png": ["a red field", "nothing but red"], "gone.png": ["a ghost"], "lost.png": ["another"]}
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    gallery = folder_gallery(tmp_path, recursive=True)
    assert [item.captions for item in gallery.items] == [(), ("a red field", "nothing but red")]
    assert gallery.note == 'captions.json has captions for "gone.png" and 1 more, which the folder does not hold.'
    assert gallery.skipped == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "Expecting property name enclosed in double quotes"),
        (b'{"a.png": ["caf\xe9"]}', "byte 15 is not UTF-8"),
        (b"[" * 100_000, "it is nested more than 100 levels deep"),
        (b" " * 2_001, "captions.json is larger than 0 MB"),
        (b'["a caption"]', "it is a list"),
        (b'{"a.png": ["good", 3]}', '"a.png" has something else than a list of captions'),
        (b'{"a.png": ["half \\ud800"]}', "What captions.json says of \"a.png\" has '\\ud800' at position"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_captions_file_that_does_not_fit_is_told(
    tmp_path: Path, content: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(tmp_path / "a.png")
    (tmp_path / "captions.json").write_bytes(content)
    if "is larger" in message:
        monkeypatch.setattr(folder, "MAX_CAPTIONS_BYTES", 2_000)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        folder_gallery(tmp_path)
    str(error.value).encode()  # it can be shown


def test_a_missing_or_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "bad.png").write_text("no photo")
    for place, message in (
        (tmp_path / "absent", "absent: give the path of a folder with photos"),
        (draw(tmp_path / "one" / "a.png"), r"one/a\.png: give the path of a folder with photos"),
        (tmp_path / "empty", '"empty" holds no photo that can be read'),
        (tmp_path / "bad", '"bad" holds no photo that can be read'),
    ):
        with pytest.raises(ValueError, match=message):
            folder_gallery(place)


@pytest.mark.parametrize("name", ["photos.lance", "s3://bucket/photos.lance", "evil\x1b[2J.lance"])
def test_a_table_in_place_of_a_folder_is_named_with_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "://" not in name:
        (tmp_path / name / "_versions").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"is a table of photographs, but a folder .* python -m demo rank") as error:
        check_photos(photos_place(name))
    assert "\x1b" not in str(error.value)


def test_uploads_keep_their_order_get_keys_of_their_own_and_are_bounded() -> None:
    names = ("photo.png", "photo.png", "photo (2).png", "photo.png", "caf\udce9.png")
    files = [(name, bytes([i])) for i, name in enumerate(names)]
    gallery = uploads_gallery(files)
    assert [item.source for item in gallery.items] == [content for _, content in files]
    assert gallery.items[0].key == "photo.png"
    assert gallery.items[4].title == "caf\\xe9.png"
    assert len({item.key for item in gallery.items}) == 5
    assert (gallery.name, gallery.title, gallery.skipped) == ("uploads", "Your photos", ())
    assert len(uploads_gallery(files, limit=5)) == 5
    with pytest.raises(ValueError, match="There are 5 photos"):
        uploads_gallery(files, limit=4)


def test_names_are_compared_in_one_unicode_form(tmp_path: Path) -> None:
    composed, decomposed = (unicodedata.normalize(form, "café.png") for form in ("NFC", "NFD"))
    draw(tmp_path / decomposed)
    (tmp_path / "captions.json").write_text(json.dumps({composed: ["a coffee house"]}), encoding="utf-8")
    for gallery in (folder_gallery(tmp_path), create_listed_gallery(tmp_path)[0]):
        assert gallery.note == ""
        assert [(item.key, item.captions) for item in gallery.items] == [(composed, ("a coffee house",))]
        assert gallery.position(composed) == gallery.position(decomposed) == 0
    draw(tmp_path / composed)
    for gallery in (uploads_gallery([(decomposed, b"1"), (composed, b"2")]), folder_gallery(tmp_path)):
        assert [item.key for item in gallery.items] == [composed, f"{composed} (2)"]


def test_an_item_reads_a_file_or_calls_its_source(tmp_path: Path) -> None:
    file = draw(tmp_path / "blue.png", "blue")
    (from_file,) = folder_gallery(tmp_path).items
    assert from_file.photo().getpixel((0, 0)) == (0, 0, 255)
    assert from_file.read().digest == from_file.digest() == file_digest(file)
    drawn = Image.new("RGB", (6, 4), "red")
    called = replace(from_file, source=lambda: drawn)
    assert called.photo() is drawn
    assert called.read().digest == called.digest() == pixels_digest(drawn)
    file.unlink()
    with pytest.raises(ValueError, match=r'The photo "blue\.png" is not there'):
        from_file.photo()


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("SEPS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert default_cache() == tmp_path / "home" / ".cache" / "seps-explorer"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache() == tmp_path / "xdg" / "seps-explorer"
    monkeypatch.setenv("SEPS_CACHE", "~/own")
    assert default_cache() == tmp_path / "home" / "own"


def test_a_closed_folder_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(tmp_path / "own.png")
    draw(tmp_path / "closed" / "b.png")
    scandir = os.scandir

    def closed(path: str) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)  # root could open a folder of any mode
    gallery = folder_gallery(tmp_path, recursive=True)
    assert [item.key for item in gallery.items] == ["own.png"]
    assert gallery.skipped == ('The folder "closed" cannot be opened (Permission denied).',)
