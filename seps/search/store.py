"""Galleries on disk: what an encoder gives for photographs, in a table of Lance, which needs no server.

Every change is one commit: a process that is killed leaves the table as its last commit did. One process writes, any
number read, each what was committed when it opened the table.
"""

from __future__ import annotations

import shutil
import unicodedata
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.search.pooling import pooled_images
from seps.search.schema import PRECISIONS, Layout, check_paths, is_usable, read_layout
from seps.search.table_errors import StoreError, WriterLock, damaged, is_local, lance_errors, location

FLAT = 5_000  # rows up to which every pooled vector is compared: an index gains nothing there
SMALL = 256  # rows below which fragments, one a commit, are put together
KEPT = timedelta(days=1)  # for so long old versions stay: somebody may read them
Features = Callable[[Tensor], Sequence[bytes]]
FACTS = ("path", "size", "modified", "digest")


@dataclass(frozen=True)
class FileFacts:
    """A file as it was when it was indexed: name, bytes, nanoseconds since 1970, sha256."""

    path: str
    size: int
    modified: int
    digest: str


@dataclass(frozen=True)
class StoredPhoto:
    """A row of the table: file, embeddings (N[+1], C), a small JPEG or empty, licence and credit if known."""

    file: FileFacts
    embeddings: Tensor
    thumbnail: bytes = b""
    licence: str = ""
    credit: str = ""


class GalleryStore:
    """A table as it was when it was opened, and after each change that is made through it."""

    def __init__(
        self,
        uri: str,
        dataset: lance.LanceDataset,
        layout: Layout,
        lock: WriterLock | None,
        features: Features | None = None,
    ) -> None:
        self.uri, self.layout = uri, layout
        self._dataset, self._lock, self._features = dataset, lock, features

    @classmethod
    def read(cls, uri: str | Path, encoder: str | None = None) -> GalleryStore:
        """Open a table to read it."""
        uri = str(uri)
        with lance_errors(uri):
            dataset = lance.dataset(location(uri))
        layout = read_layout(uri, dataset, encoder)
        check_paths(uri, dataset)
        return cls(uri, dataset, layout, None)

    @classmethod
    def write(
        cls, uri: str | Path, layout: Layout, anew: bool = False, features: Features | None = None
    ) -> GalleryStore:
        """Open a table to change it, a new one if it does not exist; close it afterwards, as a `with` block does."""
        uri = str(uri)
        lock = WriterLock(uri)
        try:
            with lance_errors(uri):
                if anew and is_local(uri) and Path(uri).exists():
                    shutil.rmtree(uri)
                exists = table_exists(uri)
                place = location(uri)
                dataset = lance.dataset(place) if exists else lance.write_dataset(layout.schema().empty_table(), place)
            kept = read_layout(uri, dataset, layout.encoder)
            check_paths(uri, dataset)
            kept.check_shape(uri, layout.patches, layout.channels)
            return cls(uri, dataset, kept, lock, features if kept.features == layout.features else None)
        except BaseException:
            lock.close()
            raise

    def __enter__(self) -> GalleryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write; what is read stays."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __len__(self) -> int:
        return self.count()

    @property
    def version(self) -> int:
        """Counts the commits."""
        return int(self._dataset.version)

    def reopen_table(self) -> GalleryStore:
        """Return the current table for reading."""
        return GalleryStore.read(self.uri, self.layout.encoder)

    def files(self) -> dict[str, tuple[int, FileFacts]]:
        """Return every photograph's row id and facts, by path."""
        table = self._read(list(FACTS))
        columns = [table[name].to_pylist() for name in ("_rowid", *FACTS)]
        return {path: (row, FileFacts(path, *facts)) for row, path, *facts in zip(*columns, strict=True)}

    def row_ids(self) -> dict[str, int]:
        """Return every photograph's row id by path."""
        table = self._read(["path"])
        return dict(zip(table["path"].to_pylist(), table["_rowid"].to_pylist(), strict=True))

    def photos(self, rows: Sequence[int]) -> dict[int, StoredPhoto]:
        """Read whole rows by id; rows with altered content are left out."""
        table = self._take(rows, [name for name in self.layout.schema().names if name not in ("pooled", "features")])
        embeddings, entries = self._kept_embeddings(table).float(), table.drop_columns(["patches"]).to_pylist()
        photos = {}
        for row, entry, values in zip(rows, entries, embeddings, strict=True):
            file = FileFacts(*(entry[name] for name in FACTS))
            photo = StoredPhoto(file, values, entry["thumbnail"], entry["licence"], entry["credit"])
            if entry["checksum"] == checksum(self.layout, photo) and is_usable(values):
                photos[row] = photo
        return photos

    def embeddings(self, rows: Sequence[int]) -> Tensor:
        """Read the embeddings of rows by id, (K, N[+1], C) float32."""
        return self._usable("embeddings", self._kept_embeddings(self._take(rows, ["patches"])).float())

    def embeddings_and_features(self, rows: Sequence[int]) -> tuple[Tensor, list[bytes]]:
        """Read embeddings of rows by id, (K, N[+1], C) as kept, and their features, empty if there are none."""
        table = self._take(rows, ["patches", "features"])
        embeddings = self._usable("embeddings", self._kept_embeddings(table))
        return embeddings, [features or b"" for features in table["features"].to_pylist()]

    def pooled(self, rows: Sequence[int]) -> Tensor:
        """Read the pooled vectors of rows by id, (K, C) float32."""
        chunks = self._take(rows, ["pooled"])["pooled"].chunks
        values = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in chunks]
        kept = np.concatenate(values) if values else np.empty(0)
        vectors = torch.from_numpy(kept.astype(np.float32).reshape(len(rows), self.layout.channels))
        return self._usable("pooled vectors", vectors)

    def paths(self, rows: Sequence[int]) -> list[str]:
        """Read the paths of rows by id."""
        return self._take(rows, ["path"])["path"].to_pylist()

    def nearest(self, query: Tensor, count: int, name: str = "", effort: int = 4) -> list[int]:
        """Return the rows with the largest product of pooled vector and query, best first."""
        search = {"column": "pooled", "q": query.half().cpu().numpy(), "k": count, "metric": "dot"}
        with lance_errors(self.uri):
            table = self._dataset.to_table(
                columns=["_distance"],
                nearest=search | {"ef": effort * count, "nprobes": 64, "use_index": True},
                filter=name_filter(name),
                prefilter=True,
                with_row_id=True,
            )
        return table["_rowid"].to_pylist()

    def count(self, name: str = "") -> int:
        """Return how many photographs have paths that hold `name`, letters large or small."""
        with lance_errors(self.uri):
            return int(self._dataset.count_rows(name_filter(name)))

    def rows(self, name: str = "") -> list[int]:
        """Return the row ids, in the table's order, of the paths that hold `name`, letters large or small."""
        with lance_errors(self.uri):
            table = self._dataset.to_table(columns=[], filter=name_filter(name), with_row_id=True)
        return sorted(table["_rowid"].to_pylist())

    def put(self, photos: Sequence[StoredPhoto]) -> None:
        """Write photographs in one commit: new rows, or replacements of rows with the same path."""
        table = self._table(photos)
        builder = self._writable().merge_insert("path").when_matched_update_all().when_not_matched_insert_all()
        with lance_errors(self.uri):
            builder.execute(table)

    def append(self, photos: Sequence[StoredPhoto]) -> None:
        """Write photographs of paths that the table lacks, in one commit."""
        table, dataset = self._table(photos), self._writable()
        with lance_errors(self.uri):
            dataset.insert(table)

    def remove(self, paths: Sequence[str]) -> None:
        """Delete the photographs of these paths in one commit."""
        dataset = self._writable()
        with lance_errors(self.uri):
            dataset.delete(f"path IN ({', '.join(map(quoted, paths))})")

    def tidy(self) -> None:
        """Put small fragments together, bring the index of pooled vectors up to date, drop versions of days ago."""
        dataset = self._writable()
        with lance_errors(self.uri):
            dataset.optimize.compact_files(target_rows_per_fragment=SMALL)
            if dataset.count_rows() > FLAT:
                if dataset.describe_indices():
                    dataset.optimize.optimize_indices()
                else:
                    dataset.create_index("pooled", "IVF_HNSW_SQ", metric="dot", num_partitions=1, ef_construction=200)
            dataset.cleanup_old_versions(older_than=KEPT)

    def _writable(self) -> lance.LanceDataset:
        if self._lock is None:
            raise StoreError(f"The table {self.uri} was opened to be read: open it with GalleryStore.write.")
        with lance_errors(self.uri):
            if self._dataset.latest_version != self._dataset.version:
                raise StoreError(f"Another process changed the table {self.uri} meanwhile: run this once more.")
        return self._dataset

    def _take(self, rows: Sequence[int], columns: list[str]) -> pa.Table:
        """Some columns of rows by id, in their order; reads no others."""
        only = f"_rowid IN ({', '.join(map(str, rows))})" if rows else "false"
        table = self._read(columns, only)
        places = {row: place for place, row in enumerate(table["_rowid"].to_pylist())}
        if not places.keys() >= set(rows):
            raise StoreError(f"The table {self.uri} has no such rows: open it again.")
        order = [places[row] for row in rows]
        table = table.drop_columns(["_rowid"])
        return table if order == list(range(len(table))) else table.take(order)

    def _read(self, columns: list[str], only: str | None = None) -> pa.Table:
        """Some columns of the rows that a filter takes, with their ids; only features may be missing."""
        with lance_errors(self.uri):
            table = self._dataset.to_table(columns=columns, filter=only, with_row_id=True)
        empty = [name for name in columns if name != "features" and table[name].null_count]
        if empty:
            raise damaged(self.uri, f"rows without a {empty[0]}: {table[empty[0]].null_count}")
        return table

    def _usable(self, name: str, values: Tensor) -> Tensor:
        if not is_usable(values):
            raise damaged(self.uri, f"{name} are not finite or too large")
        return values

    def _kept_embeddings(self, table: pa.Table) -> Tensor:
        shape = len(table), self.layout.patches, self.layout.channels
        if not len(table):
            return torch.empty(shape)
        values = np.concatenate([chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table["patches"].chunks])
        return torch.from_numpy(values.reshape(shape))

    def _table(self, photos: Sequence[StoredPhoto]) -> pa.Table:
        schema, (dtype, number) = self.layout.schema(), PRECISIONS[self.layout.precision]
        embeddings = torch.stack([photo.embeddings.cpu() for photo in photos])  # (K, N[+1], C)
        kept = embeddings.to(dtype)
        if not bool(torch.isfinite(kept).all()):
            raise StoreError(f"Embeddings are not finite in {self.layout.precision}: index with float32.")
        columns: dict[str, Any] = {name: [getattr(photo.file, name) for photo in photos] for name in FACTS} | {
            name: [getattr(photo, name) for photo in photos] for name in ("licence", "credit", "thumbnail")
        }
        columns["checksum"] = [checksum(self.layout, photo) for photo in photos]
        columns["pooled"] = to_fixed_lists(pooled_images(kept.float()).half().numpy(), pa.float16())
        columns["patches"] = to_fixed_lists(kept.flatten(1).numpy(), number)
        columns["features"] = [None] * len(photos) if self._features is None else self._features(kept.float())
        return pa.Table.from_pydict(columns, schema)


def checksum(layout: Layout, photo: StoredPhoto) -> int:
    """Return a checksum of a row's content, in the stored precision, and its path."""
    values = photo.embeddings.detach().cpu().to(PRECISIONS[layout.precision][0]).contiguous()
    start = zlib.crc32(f"{layout.encoder} {photo.file.digest}".encode())
    return zlib.crc32(values.flatten().view(torch.uint8).numpy().data, zlib.crc32(photo.thumbnail, start))


def to_fixed_lists(values: NDArray[Any], number: pa.DataType) -> pa.FixedSizeListArray:
    """Return the rows of an array (K, D) as lists of D numbers."""
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1), number), values.shape[1])


def table_exists(uri: str) -> bool:
    """Return whether there is a table; errors of a place that cannot be reached are raised."""
    if is_local(uri):
        return (Path(uri) / "_versions").is_dir()
    try:
        lance.dataset(uri)
    except ValueError as error:
        if "was not found" in str(error):
            return False
        raise
    return True


def quoted(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def name_filter(name: str) -> str | None:
    """SQL that takes the paths which hold a name, in either Unicode form; None where all are taken."""
    forms = dict.fromkeys(unicodedata.normalize(form, name).lower() for form in ("NFC", "NFD"))
    return " OR ".join(f"contains(lower(path), {quoted(form)})" for form in forms) if name else None
