import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest
import torch

from seps.method.network import CrossSparseAggrNet
from seps.search.engine import ScoringEngine
from seps.search.features import feature_dtype, feature_key, read_images
from seps.search.schema import Layout
from seps.search.stages import rank_stored
from seps.search.store import FileFacts, GalleryStore, StoredPhoto
from seps.search.table_errors import DamagedTableError, StoreError
from tests.seps.search.test_stages import CHANNELS, EMBEDDINGS, PATCHES, fill


@pytest.fixture(scope="module")
def engine() -> ScoringEngine:
    torch.manual_seed(0)
    return ScoringEngine(CrossSparseAggrNet(CHANNELS, PATCHES).eval())


@pytest.fixture(scope="module")
def table(engine: ScoringEngine, tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    uri = tmp_path_factory.mktemp("schema") / "gallery.lance"
    fill(engine, uri, EMBEDDINGS[:4], key=feature_key(engine))
    return lance.dataset(str(uri)).to_table()


@pytest.fixture
def uri(tmp_path: Path) -> Path:
    return tmp_path / "hostile.lance"


def write(uri: Path, table: pa.Table, **metadata: Any) -> Path:
    """Write a table as somebody else might, with other metadata."""
    values = json.loads(table.schema.metadata[b"seps"]) | metadata
    lance.write_dataset(table.replace_schema_metadata({"seps": json.dumps(values)}), str(uri))
    return uri


def with_column(table: pa.Table, name: str, values: list[Any], kind: pa.DataType | None = None) -> pa.Table:
    kind = kind or table.schema.field(name).type
    place = table.schema.get_field_index(name)
    return table.set_column(place, pa.field(name, kind), pa.array(values, kind))


def rank(engine: ScoringEngine, uri: Path, dense: bool = False) -> list[float]:
    words = torch.randn(1, 6, CHANNELS, generator=torch.Generator().manual_seed(2))
    texts = (words, [6], words, [6]) if dense else (words, [6])
    return rank_stored(engine, GalleryStore.read(uri), engine.encode_captions(*texts)).scores.tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("precision", ["float32"]),
        *(("patches", value) for value in (True, 10**30, float("nan"))),
        ("channels", -32),
        ("encoder", None),
        ("features", 5),
        ("another key", 1),
    ],
)
def test_metadata_of_a_wrong_type_or_range_is_refused(uri: Path, table: pa.Table, name: str, value: Any) -> None:
    with pytest.raises(DamagedTableError, match=rf"hostile.lance is damaged \(layout.*{name}.*index the photographs"):
        GalleryStore.read(write(uri, table, **{name: value}))


@pytest.mark.parametrize("metadata", ['{"format": 2}', '{"format": [1]}', "[" * 100_000], ids=lambda text: text[:20])
def test_metadata_of_another_format_is_refused(uri: Path, table: pa.Table, metadata: str) -> None:
    lance.write_dataset(table.replace_schema_metadata({"seps": metadata}), str(uri))
    with pytest.raises(StoreError, match="no table of photographs that this version reads"):
        GalleryStore.read(uri)


def test_the_key_of_another_encoder_is_cut_short(uri: Path, table: pa.Table) -> None:
    with pytest.raises(StoreError, match="another image encoder") as error:
        GalleryStore.read(write(uri, table, encoder="x" * 10**6), "an encoder")
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("name", "values", "kind", "message"),
    [
        ("path", [None, "1", "2", "3"], None, "rows without a path: 1"),
        ("path", [b"\x1b", b"1", b"2", b"3"], pa.binary(), "column path holds binary, but string"),
        ("size", ["0", "1", "2", "3"], pa.string(), "column size holds string, but int64"),
        ("patches", [[0.0]] * 4, pa.list_(pa.float32(), 1), "column patches holds"),
        ("pooled", [[0.0]] * 4, pa.list_(pa.float16()), "column pooled holds"),
        ("features", ["0"] * 4, pa.string(), "column features holds string, but binary"),
    ],
)
def test_columns_of_another_type_and_rows_without_a_path_are_refused(
    uri: Path, table: pa.Table, name: str, values: list[Any], kind: pa.DataType | None, message: str
) -> None:
    with pytest.raises(DamagedTableError, match=message):
        GalleryStore.read(write(uri, with_column(table, name, values, kind)))


def test_a_missing_column_is_named_and_another_one_is_allowed(uri: Path, table: pa.Table) -> None:
    with pytest.raises(DamagedTableError, match="0 columns pooled, but one is needed"):
        GalleryStore.read(write(uri, table.drop_columns(["pooled"])))
    more = table.append_column("rating", pa.array([1, 2, 3, 4]))
    assert len(GalleryStore.read(write(uri.with_name("more.lance"), more))) == 4


@pytest.mark.parametrize(("value", "dense"), [(float("nan"), True), (1e30, False), (None, False)])
def test_infinite_embeddings(
    engine: ScoringEngine, uri: Path, table: pa.Table, value: float | None, dense: bool
) -> None:
    values = table["patches"].to_pylist()
    values[2][5] = value
    write(uri, with_column(table, "patches", values))
    with pytest.raises(DamagedTableError, match="embeddings are not finite or too large"):
        rank(engine, uri, dense)
    store = GalleryStore.read(uri)
    assert {photo.file.path for photo in store.photos(store.rows()).values()} == {"0.jpg", "1.jpg", "3.jpg"}


@pytest.mark.parametrize(("field", "value"), [("s_im", float("nan")), ("norms", float("-inf")), ("logits", 1e30)])
def test_infinite_features(engine: ScoringEngine, uri: Path, table: pa.Table, field: str, value: float) -> None:
    rows = table["features"].to_pylist()
    changed = np.frombuffer(bytearray(rows[1]), feature_dtype(engine.model))
    changed[field].reshape(-1)[3] = value
    write(uri, with_column(table, "features", [rows[0], changed.tobytes(), *rows[2:]]))
    with pytest.raises(DamagedTableError, match="features are not finite or too large"):
        rank(engine, uri)


def test_features_of_another_size_are_not_ranked(engine: ScoringEngine, uri: Path, table: pa.Table) -> None:
    rows = table["features"].to_pylist()
    moved = [rows[0] + rows[1][:8], rows[1][8:], *rows[2:]]  # as many bytes in all
    with pytest.raises(DamagedTableError, match="features have another size"):
        rank(engine, write(uri, with_column(table, "features", moved)))


def test_pooled_vectors_that_are_not_finite_are_not_read(uri: Path, table: pa.Table) -> None:
    values = table["pooled"].to_pylist()
    values[0][0] = float("inf")
    store = GalleryStore.read(write(uri, with_column(table, "pooled", values)))
    with pytest.raises(DamagedTableError, match="pooled vectors are not finite"):
        store.pooled(store.rows())


@pytest.mark.parametrize("name", ["digest", "checksum", "patches"])
def test_rows_without_a_value_are_not_read(uri: Path, table: pa.Table, name: str) -> None:
    store = GalleryStore.read(write(uri, with_column(table, name, [None, *table[name].to_pylist()[1:]])))
    with pytest.raises(DamagedTableError, match=f"rows without a {name}: 1"):
        store.photos(store.rows())


@pytest.mark.parametrize(("patches", "channels"), [(8, 64), (15, 32)])
def test_a_table_of_another_shape_is_not_ranked(engine: ScoringEngine, uri: Path, patches: int, channels: int) -> None:
    layout = Layout("an encoder", patches, channels)
    with GalleryStore.write(uri, layout) as store:
        store.put([StoredPhoto(FileFacts("0.jpg", 1, 1, "0"), torch.ones(patches, channels))])
    uses: list[Callable[[], object]] = [
        lambda: rank(engine, uri),
        lambda: read_images(engine, GalleryStore.read(uri), [0]),
        lambda: GalleryStore.write(uri, Layout("an encoder", PATCHES, CHANNELS)),
    ]
    for use in uses:
        with pytest.raises(DamagedTableError, match=f"{patches} x {channels} numbers a photograph.* 16 x 32"):
            use()
