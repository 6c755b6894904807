import re
import shutil
from collections.abc import Callable
from pathlib import Path

import lance
import pyarrow as pa
import pytest
import torch

from seps.search.pooling import pooled_images
from seps.search.schema import Layout
from seps.search.store import FLAT, FileFacts, GalleryStore, StoredPhoto
from seps.search.table_errors import StoreError, lance_errors

LAYOUT = Layout("an encoder", 5, 4)


def photo(path: str, seed: int, digest: str = "", layout: Layout = LAYOUT) -> StoredPhoto:
    values = torch.randn(layout.patches, layout.channels, generator=torch.Generator().manual_seed(seed))
    return StoredPhoto(
        FileFacts(path, 10 + seed, 20 + seed, digest or f"digest {seed}"), values, b"a JPEG", "CC0", "Ann"
    )


@pytest.fixture
def uri(tmp_path: Path) -> Path:
    return tmp_path / "gallery.lance"


def filled(uri: Path, count: int = 3, layout: Layout = LAYOUT) -> list[StoredPhoto]:
    photos = [photo(f"below/{i}.jpg", i, layout=layout) for i in range(count)]
    with GalleryStore.write(uri, layout) as store:
        store.put(photos)
    return photos


def content(uri: Path) -> dict[str, StoredPhoto]:
    store = GalleryStore.read(uri)
    return {kept.file.path: kept for kept in store.photos(store.rows()).values()}


def assert_same(actual: StoredPhoto, expected: StoredPhoto) -> None:
    assert torch.equal(actual.embeddings, expected.embeddings)
    assert (actual.file, actual.thumbnail) == (expected.file, expected.thumbnail)
    assert (actual.licence, actual.credit) == (expected.licence, expected.credit)


def test_photographs_are_read_as_they_were_written(uri: Path) -> None:
    photos = filled(uri)
    stored = content(uri)
    assert list(stored) == [each.file.path for each in photos]
    for each in photos:
        assert_same(stored[each.file.path], each)
    store = GalleryStore.read(uri, LAYOUT.encoder)
    assert store.layout == LAYOUT
    assert len(store) == 3
    rows = [store.files()[each.file.path][0] for each in reversed(photos)]
    assert torch.equal(store.embeddings(rows), torch.stack([each.embeddings for each in reversed(photos)]))
    assert [facts for _, facts in store.files().values()] == [each.file for each in photos]


def test_half_precision_keeps_what_float16_holds(uri: Path) -> None:
    (each,) = filled(uri, 1, Layout("an encoder", 5, 4, "float16"))
    assert torch.equal(content(uri)[each.file.path].embeddings, each.embeddings.half().float())
    huge = StoredPhoto(each.file, each.embeddings * 1e6)
    with (
        GalleryStore.write(uri, LAYOUT) as store,
        pytest.raises(ValueError, match="Embeddings are not finite in float16"),
    ):
        store.put([huge])


def test_photographs_take_the_place_of_those_of_the_same_path(uri: Path) -> None:
    photos = filled(uri)
    anew = photo("below/1.jpg", 9)
    with GalleryStore.write(uri, LAYOUT) as store:
        store.put([anew, photo("it's.jpg", 7)])
        store.remove(["below/2.jpg"])
    stored = content(uri)
    assert set(stored) == {"below/0.jpg", "below/1.jpg", "it's.jpg"}
    assert_same(stored["below/1.jpg"], anew)
    assert_same(stored["below/0.jpg"], photos[0])
    with GalleryStore.write(uri, LAYOUT) as store:
        store.remove(["it's.jpg"])
        store.tidy()
    assert set(content(uri)) == {"below/0.jpg", "below/1.jpg"}


def test_names_are_searched_as_they_are_written(uri: Path) -> None:
    with GalleryStore.write(uri, LAYOUT) as store:
        store.put([photo(path, seed) for seed, path in enumerate(("Dog.jpg", "it's 100%.jpg", "cat_dog.png"))])
    store = GalleryStore.read(uri)
    assert [store.count(name) for name in ("dog", "DOG", "'", "%", "_", "", "x")] == [2, 2, 1, 1, 1, 3, 0]
    query = torch.randn(4, generator=torch.Generator().manual_seed(3))
    assert set(store.nearest(query, 5, "dog")) == set(store.rows("dog"))


def test_rows_are_read_in_the_order_in_which_they_are_asked_for(uri: Path) -> None:
    photos = filled(uri, 9)
    store = GalleryStore.read(uri)
    ids = store.row_ids()
    asked = [photos[number] for number in (7, 2, 2, 5)]
    rows = [ids[each.file.path] for each in asked]
    assert store.paths(rows) == [each.file.path for each in asked]
    assert torch.equal(store.embeddings(rows), torch.stack([each.embeddings for each in asked]))
    torch.testing.assert_close(store.pooled(rows), pooled_images(store.embeddings(rows)), atol=1e-3, rtol=0)
    assert (store.paths([]), len(store.embeddings([])), len(store.pooled([]))) == ([], 0, 0)
    with pytest.raises(StoreError, match=r"gallery\.lance has no such rows: open it again"):
        store.paths([rows[0], 10**12])


@pytest.mark.slow
def test_an_index_of_many_rows_finds_what_every_product_would(uri: Path) -> None:
    layout = Layout("an encoder", 1, 64)
    rng = torch.Generator().manual_seed(0)
    centres = torch.randn(300, 64, generator=rng)  # photographs form clusters, as in an album
    values = centres[torch.randint(300, (FLAT + 1000,), generator=rng)] + 0.7 * torch.randn(
        FLAT + 1000, 64, generator=rng
    )
    rows = [StoredPhoto(FileFacts(f"{i}.jpg", 1, 1, str(i)), value[None]) for i, value in enumerate(values)]
    with GalleryStore.write(uri, layout) as store:
        for start in range(0, len(rows), 1000):
            store.append(rows[start : start + 1000])
        store.tidy()
    store = GalleryStore.read(uri)
    assert lance.dataset(str(uri)).describe_indices()
    ids, pooled = store.row_ids(), torch.nn.functional.normalize(values, dim=-1)
    order = [ids[row.file.path] for row in rows]
    hits = 0
    for query in centres[:50]:
        best = {order[place] for place in (pooled @ query).topk(10).indices.tolist()}
        hits += len(best & set(store.nearest(query / query.norm(), 200)))
    assert hits >= 0.99 * 500


def test_a_change_of_a_number_is_noticed(uri: Path) -> None:
    photos = filled(uri)
    dataset = lance.dataset(str(uri))
    table = dataset.to_table()
    values = table["patches"].to_pylist()
    values[1][3] += 1e-3
    field = table.schema.field("patches")
    table = table.set_column(table.schema.get_field_index("patches"), field, pa.array(values, field.type))
    lance.write_dataset(table, str(uri), mode="overwrite")
    assert set(content(uri)) == {"below/0.jpg", "below/2.jpg"}
    assert_same(content(uri)["below/2.jpg"], photos[2])


def test_tables_that_do_not_fit_are_refused(uri: Path, tmp_path: Path) -> None:
    def refuses(message: str, call: Callable[[], object] = lambda: GalleryStore.read(uri)) -> None:
        with pytest.raises(ValueError, match=message):
            call()

    refuses(r"gallery\.lance, or a part of it was deleted")
    filled(uri)
    refuses(r"gallery\.lance was indexed by another image encoder", lambda: GalleryStore.read(uri, "another encoder"))
    other_layout = Layout("another encoder", 5, 4)
    refuses(r"gallery\.lance was indexed by another image encoder", lambda: GalleryStore.write(uri, other_layout))
    refuses(r"gallery\.lance was opened to be read", lambda: GalleryStore.read(uri).put([photo("x.jpg", 1)]))
    other = tmp_path / "other.lance"
    lance.write_dataset(lance.dataset(str(uri)).to_table().replace_schema_metadata({}), str(other))
    refuses(r"other\.lance is no table of photographs that this version", lambda: GalleryStore.read(other))
    for file in (uri / "_versions").iterdir():
        file.write_bytes(b"no manifest")
    refuses(r"gallery\.lance cannot be used")


@pytest.mark.parametrize("name", ["C:\\d.lance", "s3:d.lance", "a b#%41?.lance"])
def test_a_folders_name_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    for place in (Path(name), tmp_path / "below" / name):
        filled(place)
        assert len(GalleryStore.read(place)) == 3
        assert (place / "_versions").is_dir()


def test_an_address_that_cannot_be_one_is_named() -> None:
    for uri in ("foo://bucket/table", "s3://"):
        with pytest.raises(StoreError, match=f"{uri} is no address of a table.*give a folder, or one such as s3://"):
            GalleryStore.read(uri)
    with pytest.raises(StoreError, match="has no name: give a folder"):
        GalleryStore.read("")


def test_one_writes_and_many_read(uri: Path) -> None:
    photos = filled(uri)
    with GalleryStore.write(uri, LAYOUT) as store:
        with pytest.raises(ValueError, match=r"gallery\.lance: wait until it has ended"):
            GalleryStore.write(uri, LAYOUT)
        before = GalleryStore.read(uri)
        store.remove(["below/0.jpg"])
        store.put([photo("below/1.jpg", 9)])
        assert len(before) == 3
        row = before.files()["below/1.jpg"][0]
        assert_same(before.photos([row])[row], photos[1])
        assert len(before.reopen_table()) == len(store) == 2
    GalleryStore.write(uri, LAYOUT).close()


def test_a_table_that_is_deleted_meanwhile_is_told(uri: Path) -> None:
    filled(uri)
    store = GalleryStore.read(uri)
    rows = store.rows()
    shutil.rmtree(uri)
    with pytest.raises(ValueError, match=r"gallery\.lance, or a part of it was deleted"):
        store.embeddings(rows)


class PanicException(BaseException):
    pass


TABLE = "The table s3://bucket/table"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError("LanceError(IO): No space left on device (os error 28)"), f"{TABLE} cannot be written, its disk is"),
        (OSError("LanceError(IO): Read-only file system (os error 30)"), f"{TABLE} is read-only"),
        (OSError("Generic S3 error: Client error with status 403 Forbidden"), f"{TABLE} is read-only"),
        (OSError("Commit conflict for version 4"), "Another process changed the table s3://bucket/table"),
        (ValueError("Dataset at path x was not found"), "There is no table s3://bucket/table"),
        (PanicException("range end index 4 out of range"), f"{TABLE} cannot be used"),
    ],
    ids=str,
)
def test_what_lance_raises_is_told_in_a_sentence(error: BaseException, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)), lance_errors("s3://bucket/table"):
        raise error


def test_whoever_stops_a_program_stops_it() -> None:
    with pytest.raises(KeyboardInterrupt), lance_errors("table"):
        raise KeyboardInterrupt


def test_a_change_behind_a_writers_back_is_told(uri: Path) -> None:
    filled(uri)
    with GalleryStore.write(uri, LAYOUT) as store:
        lance.dataset(str(uri)).delete("path = 'below/0.jpg'")  # as a process on another machine might
        with pytest.raises(ValueError, match=r"gallery\.lance meanwhile: run this once more"):
            store.remove(["below/1.jpg"])
