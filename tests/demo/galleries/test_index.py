import gc
import shutil
import weakref
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import lance
import numpy as np
import pyarrow as pa
import pytest
import torch
from PIL import Image

from demo.galleries.gallery import Gallery
from demo.galleries.indexes.index import index_gallery
from demo.galleries.indexes.table import table_place
from demo.galleries.reading import photos as reading
from demo.galleries.reading.photos import KEPT, KeptPhoto, Photo, file_digest, jpeg_url, read_photo, thumbnail
from demo.galleries.sources.folder import folder_gallery, uploads_gallery
from demo.page.values import left_out
from seps import ScoringEngine, SEPSModel
from seps.search.schema import Layout
from seps.search.store import GalleryStore
from tests.demo.galleries.conftest import write_noise
from tests.helpers.models.tiny import tiny_model

COUNT = 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_noise(tmp_path / "photos", [f"{number}.png" for number in range(COUNT)])


@pytest.fixture
def gallery(folder: Path) -> Gallery:
    return folder_gallery(folder)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def tables(cache: Path) -> list[Path]:
    return sorted((cache / "tables").glob("*.lance"))


def watch_encodings(model: SEPSModel, monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Count the photographs that are encoded, which come one by one."""
    encode = Mock(wraps=model.encode_photos)
    monkeypatch.setattr(model, "encode_photos", encode)
    return encode


def test_the_index_is_the_models_own_encoding(model: SEPSModel, gallery: Gallery, folder: Path) -> None:
    indexed = index_gallery(model, gallery, None)
    photos = [item.photo() for item in gallery.items]
    expected = model.encode_photos(photos)
    assert torch.equal(torch.stack([indexed.patches(i) for i in range(COUNT)]), expected)
    engine = ScoringEngine(model.cross_net)
    captions = engine.encode_captions(*model.encode_captions(["a dog runs", "snow"]))
    assert torch.equal(engine.score(indexed.images, captions), engine.score(engine.encode_images(expected), captions))
    assert indexed.thumbnails == tuple(thumbnail(photo) for photo in photos)
    assert [indexed.digest(i) for i in range(COUNT)] == [file_digest(folder / f"{i}.png") for i in range(COUNT)]
    assert indexed.gallery == gallery
    assert len(indexed) == COUNT


def test_the_cache_goes_by_content_not_by_name(
    model: SEPSModel, gallery: Gallery, folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = index_gallery(model, gallery, cache)
    (folder / "0.png").rename(folder / "moved.png")
    (folder / "1.png").write_bytes((folder / "2.png").read_bytes())
    Image.new("RGB", (9, 9), "green").save(folder / "3.png")
    encodings = watch_encodings(model, monkeypatch)
    second = index_gallery(model, folder_gallery(folder), cache)  # 1, 2, 3, moved
    assert encodings.call_count == 1
    assert torch.equal(second.patches(0), first.patches(2))
    assert torch.equal(second.patches(3), first.patches(0))
    assert not torch.equal(second.patches(2), first.patches(3))


def damage(uri: Path, part: str) -> None:
    """Write a table with another value in its first row, with damaged files, or of another encoder."""
    if part in ("patches", "thumbnail"):
        table = lance.dataset(str(uri)).to_table()
        values, field = table[part].to_pylist(), table.schema.field(part)
        values[0] = b"" if part == "thumbnail" else [values[0][0] + 0.25, *values[0][1:]]
        table = table.set_column(table.schema.get_field_index(part), field, pa.array(values, field.type))
        lance.write_dataset(table, str(uri), mode="overwrite")
    elif part == "another encoder":
        shutil.rmtree(uri)
        GalleryStore.write(uri, Layout("another", 100, 8)).close()
    else:
        for file in (uri / part).iterdir():
            file.write_bytes(b"no table")


@pytest.mark.parametrize(
    ("part", "again"),
    [("patches", 1), ("thumbnail", 1), ("data", COUNT), ("_versions", COUNT), ("another encoder", COUNT)],
)
def test_what_is_not_as_it_was_written_is_encoded_again(
    model: SEPSModel, gallery: Gallery, cache: Path, part: str, again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = index_gallery(model, gallery, cache)
    damage(tables(cache)[0], part)
    encodings = watch_encodings(model, monkeypatch)
    for _ in range(2):  # the second time, from the table
        second = index_gallery(model, gallery, cache)
        assert encodings.call_count == again
        assert torch.equal(first.embeddings, second.embeddings)
        assert first.thumbnails == second.thumbnails


def test_another_encoder_has_a_table_of_its_own(bert: Path, gallery: Gallery, cache: Path) -> None:
    model = tiny_model(bert)
    index_gallery(model, gallery, cache)
    with torch.no_grad():
        model.img_enc.vision_proj.bias[0] += 0.5
    changed = index_gallery(model, gallery, cache)
    assert torch.equal(changed.embeddings, model.encode_photos([item.photo() for item in gallery.items]))
    index_gallery(model, replace(gallery, items=gallery.items[1:]), cache)  # a file is gone
    assert sorted(len(GalleryStore.read(table)) for table in tables(cache)) == [COUNT - 1, COUNT]


def test_damaged_photos_are_skipped_with_the_reason(model: SEPSModel, folder: Path, cache: Path) -> None:
    whole = (folder / "1.png").read_bytes()
    (folder / "1.png").write_bytes(whole[: len(whole) // 2])
    (folder / "2.png").write_bytes(b"no photo")
    gallery = folder_gallery(folder)
    assert len(gallery.skipped) == 1
    indexed = index_gallery(model, gallery, cache)
    assert [item.key for item in indexed.gallery.items] == ["0.png", "3.png"]
    assert [sentence.split('"')[1] for sentence in indexed.gallery.skipped] == ["2.png", "1.png"]
    assert indexed.gallery.skipped[1] == 'The photo "1.png" is damaged or cut short: choose another file.'
    assert len(indexed.images) == len(indexed.thumbnails) == len(indexed.digests) == 2
    assert left_out(indexed).startswith('2 left out: The photo "2.png" is no photo')


def test_a_gallery_without_a_readable_photo_is_refused(model: SEPSModel, folder: Path, gallery: Gallery) -> None:
    for file in folder.iterdir():
        file.write_bytes(b"")
    with pytest.raises(
        ValueError, match=r'^The gallery "photos" has no photo that can be read\. The photo "0\.png" is e'
    ):
        index_gallery(model, gallery, None)
    with pytest.raises(ValueError, match=r'^The gallery "photos" has no photo that can be read\. No network\.$'):
        index_gallery(model, replace(gallery, items=(), note="No network."), None)


def sent(folder: Path) -> list[tuple[str, bytes]]:
    return [(file.name, file.read_bytes()) for file in sorted(folder.iterdir())]


def test_uploads_are_decoded_once_at_full_size_and_kept_small(
    model: SEPSModel, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(9).integers(0, 256, (40, 1_800, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "wide.png")
    decoded: list[weakref.ref[Image.Image]] = []

    def read(content: bytes, name: str) -> Photo:
        photo = read_photo(content, name)
        decoded.append(weakref.ref(photo.image))
        return photo

    monkeypatch.setattr(reading, "read_upload", read)
    files = sent(folder)
    indexed = index_gallery(model, uploads_gallery(files), None)
    photos = [read_photo(content).image for _, content in files]
    assert torch.equal(indexed.embeddings, model.encode_photos(photos))
    assert indexed.thumbnails == tuple(thumbnail(photo) for photo in photos)
    assert indexed.digests == tuple(file_digest(folder / name) for name, _ in files)
    small = [item.photo() for item in indexed.gallery.items]
    assert [photo.size for photo in small] == [(40, 30)] * COUNT + [(KEPT, 20)]
    assert [item.photo().tobytes() for item in indexed.gallery.items] == [photo.tobytes() for photo in small]
    content = [item.source.content for item in indexed.gallery.items if isinstance(item.source, KeptPhoto)]
    assert len(content) == len(decoded) == COUNT + 1
    shown = [item.picture() for item in indexed.gallery.items]  # what was kept, neither decoded nor encoded again
    assert shown == [(jpeg_url(kept), *photo.size) for kept, photo in zip(content, small, strict=True)]
    assert indexed.nbytes == 2 * indexed.embeddings.nbytes + len("".join(indexed.thumbnails)) + len(b"".join(content))
    assert indexed.nbytes > index_gallery(model, folder_gallery(folder), None).nbytes
    gc.collect()
    assert not any(image() for image in decoded)


def test_two_uploads_more_encode_two(model: SEPSModel, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = sent(folder)
    before = index_gallery(model, uploads_gallery(files[:2]), None)
    encodings = watch_encodings(model, monkeypatch)
    more = [files[2], ("again.png", files[0][1]), files[1], files[3]]
    grown = index_gallery(model, uploads_gallery(more), None, before=before)
    assert encodings.call_count == 2
    alone = index_gallery(model, uploads_gallery(more), None)
    assert [item.key for item in grown.gallery.items] == [item.key for item in alone.gallery.items]
    assert (grown.digests, grown.thumbnails) == (alone.digests, alone.thumbnails)
    torch.testing.assert_close(grown.embeddings, alone.embeddings)
    assert isinstance(grown.gallery.items[1].source, KeptPhoto)


def test_uploads_stay_out_of_the_cache(model: SEPSModel, folder: Path, gallery: Gallery, cache: Path) -> None:
    index_gallery(model, uploads_gallery(sent(folder)), cache)
    assert not cache.exists()
    index_gallery(model, gallery, cache)
    indexed = index_gallery(model, uploads_gallery(sent(folder)), cache)
    assert not any(isinstance(item.source, bytes) for item in indexed.gallery.items)


def test_a_cache_that_cannot_be_written_only_costs_time(model: SEPSModel, gallery: Gallery, cache: Path) -> None:
    lock = table_place(cache, gallery, model).with_suffix(".lance.lock")
    lock.mkdir(parents=True)  # where a file should be
    assert len(index_gallery(model, gallery, cache)) == COUNT
