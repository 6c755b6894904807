from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from demo.galleries.cache import default_cache, write_whole
from demo.galleries.examples import examples_gallery
from demo.galleries.gallery import Gallery, GalleryItem, caption_pool
from demo.galleries.packaged import load_examples
from demo.galleries.photos import compute_digest, file_digest, pixels_digest


def item(key: str, source: Path | bytes, captions: tuple[str, ...] = ()) -> GalleryItem:
    return GalleryItem(key, key, captions, None, "", None, "", None, source)


def test_an_item_reads_a_file_or_calls_its_source(tmp_path: Path) -> None:
    file = tmp_path / "blue.png"
    Image.new("RGB", (6, 4), "blue").save(file)
    from_file = item("blue", file)
    assert from_file.photo().getpixel((0, 0)) == (0, 0, 255)
    assert from_file.read().digest == from_file.digest() == file_digest(file)
    drawn = Image.new("RGB", (6, 4), "red")
    called = replace(from_file, source=lambda: drawn)
    assert called.photo() is drawn
    assert called.read().digest == called.digest() == pixels_digest(drawn)
    file.unlink()
    with pytest.raises(ValueError, match='The photo "blue" is not there'):
        from_file.photo()


def test_an_item_reads_what_somebody_sent() -> None:
    stream = BytesIO()
    Image.new("RGB", (6, 4), "blue").save(stream, "PNG")
    sent = item("blue", stream.getvalue())
    assert sent.photo().getpixel((0, 0)) == (0, 0, 255)
    assert sent.read().digest == sent.digest() == compute_digest(stream.getvalue())
    with pytest.raises(ValueError, match='The photo "words" is no photo that can be read'):
        item("words", b"words").read()


def test_caption_pool_tells_whose_each_caption_is(tmp_path: Path) -> None:
    items = (item("a", tmp_path, ("one", "two")), item("b", tmp_path), item("c", tmp_path, ("three",)))
    assert caption_pool(Gallery("g", "G", "", items)) == (["one", "two", "three"], [0, 0, 2])
    assert caption_pool(Gallery("g", "G", "", items[1:2])) == ([], [])


def test_items_are_found_by_key(tmp_path: Path) -> None:
    gallery = Gallery("g", "G", "", (item("a", tmp_path), item("b", tmp_path)))
    assert [gallery.position(key) for key in "ab"] == [0, 1]
    with pytest.raises(ValueError, match="The gallery 'g' has no photo 'z'"):
        gallery.position("z")


def test_examples_are_a_gallery() -> None:
    gallery = examples_gallery()
    examples = load_examples()
    assert [item.key for item in gallery.items] == [example.name for example in examples]
    captions, indices = caption_pool(gallery)
    assert captions == [caption for example in examples for caption in example.captions]
    assert all(captions[i] in gallery.items[index].captions for i, index in enumerate(indices))
    assert gallery.items[1].photo().size == examples[1].photo().size
    assert gallery.items[1].dense == examples[1].dense
    assert (gallery.name, gallery.note, gallery.skipped) == ("examples", "", ())


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("SEPS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert default_cache() == tmp_path / "home" / ".cache" / "seps-explorer"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache() == tmp_path / "xdg" / "seps-explorer"
    monkeypatch.setenv("SEPS_CACHE", "~/own")
    assert default_cache() == tmp_path / "home" / "own"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "below" / "file"
    write_whole(file, b"first")
    write_whole(file, b"second")
    assert file.read_bytes() == b"second"
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "folder", b"in the way")
    with pytest.raises(OSError, match=r"exists|directory"):
        write_whole(file / "file", b"below a file")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["below", "file", "folder"]
