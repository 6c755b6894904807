"""Galleries on disk: what an encoder gives for photographs, in a table of Lance, which needs no server.

A table belongs to one gallery and one encoder. It lies in a folder, or wherever Lance's object store reaches ("s3://...").
Every change is one commit: a process that is killed leaves the table as its last commit did. One process writes, any
number read, each what was committed when it opened the table.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.checks import read_json
from seps.search.pooling import pooled_images
from seps.search.table_errors import StoreError, WriterLock, is_local, lance_errors

FORMAT = 1  # of the columns; a table of another one is refused
FLAT = 5_000  # rows up to which every pooled vector is compared: an index gains nothing there
SMALL = 256  # rows below which fragments, one a commit, are put together
KEPT = timedelta(days=1)  # for so long old versions stay: somebody may read them
PRECISIONS = {"float32": (torch.float32, pa.float32()), "float16": (torch.float16, pa.float16())}
Features = Callable[[Tensor], Sequence[bytes]]
FACTS = ("path", "size", "modified", "digest")


@dataclass(frozen=True)
class Layout:
    """What the rows of a table share.

    Attributes:
        encoder: what embeddings depend on besides the photograph, as `seps.models.encoder_key.encoder_key` gives it.
        patches: N or N + 1 with [CLS]; channels: C.
        precision: in which embeddings are kept, "float32" or "float16", half as large.
        features: of which network what it computes of the images alone is kept too (`seps.search.features`); "": none.
    """

    encoder: str
    patches: int
    channels: int
    precision: str = "float32"
    features: str = ""

    def schema(self) -> pa.Schema:
        """Return the table's columns."""
        _, number = PRECISIONS[self.precision]
        columns: dict[str, pa.DataType] = {
            "path": pa.string(),
            "size": pa.int64(),
            "modified": pa.int64(),
            "digest": pa.string(),
            "licence": pa.string(),
            "credit": pa.string(),
            "thumbnail": pa.binary(),
            "checksum": pa.uint32(),
            "pooled": pa.list_(pa.float16(), self.channels),
            "patches": pa.list_(number, self.patches * self.channels),
        }
        if self.features:
            columns["features"] = pa.binary()
        return pa.schema(list(columns.items()), {"seps": json.dumps({"format": FORMAT} | asdict(self))})


@dataclass(frozen=True)
class FileFacts:
    """A file as it was when it was indexed.

    Attributes:
        path: its name in the gallery; size: in bytes; modified: in nanoseconds since 1970.
        digest: sha256 of its content, in hexadecimal.
    """

    path: str
    size: int
    modified: int
    digest: str


@dataclass(frozen=True)
class StoredPhoto:
    """A row of the table.

    Attributes:
        file: which photograph; embeddings: (N[+1], C), what the image encoder gives.
        thumbnail: a small JPEG, or nothing; licence, credit: where they are known.
    """

    file: FileFacts
    embeddings: Tensor
    thumbnail: bytes = b""
    licence: str = ""
    credit: str = ""


class GalleryStore:
    """A table as it was when it was opened, and after each change that is made through it.

    Attributes:
        uri: where it lies; layout: what its rows share.

    Raises:
        StoreError: from every method, where the table is gone, cannot be read or, by those that change it, not be
            written; where another process changed it meanwhile.
    """

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
        """Open a table to read it.

        Args:
            uri: a folder, or what Lance's object store takes.
            encoder: the key of the encoder that it has to be of; None takes any.

        Raises:
            StoreError: there is no table, or it is of another encoder.
        """
        uri = str(uri)
        with lance_errors(uri):
            dataset = lance.dataset(uri)
        return cls(uri, dataset, read_layout(uri, dataset, encoder), None)

    @classmethod
    def write(
        cls, uri: str | Path, layout: Layout, anew: bool = False, features: Features | None = None
    ) -> GalleryStore:
        """Open a table to change it, a new one where there is none; close it afterwards, as a `with` block does.

        Args:
            uri: as in `read`; layout: of a new table; one that is there must be of this encoder.
            anew: delete what is there first, where it is a folder of this machine.
            features: computes what a table of `layout.features` keeps of embeddings (K, N[+1], C) as they are kept. A
                table of other features gets none for what is written.

        Raises:
            StoreError: another process writes it; it is of another encoder; it cannot be written.
        """
        uri = str(uri)
        lock = WriterLock(uri)
        try:
            with lance_errors(uri):
                if anew and is_local(uri) and Path(uri).exists():
                    shutil.rmtree(uri)
                exists = table_exists(uri)
                dataset = lance.dataset(uri) if exists else lance.write_dataset(layout.schema().empty_table(), uri)
            kept = read_layout(uri, dataset, layout.encoder)
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

    def reopened(self) -> GalleryStore:
        """Return the table as it is now, to read."""
        return GalleryStore.read(self.uri, self.layout.encoder)

    def files(self) -> dict[str, tuple[int, FileFacts]]:
        """Return every photograph's row id and facts, by path."""
        with lance_errors(self.uri):
            table = self._dataset.to_table(columns=list(FACTS), with_row_id=True)
        columns = [table[name].to_pylist() for name in ("_rowid", *FACTS)]
        return {path: (row, FileFacts(path, *facts)) for row, path, *facts in zip(*columns, strict=True)}

    def row_ids(self) -> dict[str, int]:
        """Return every photograph's row id by path."""
        with lance_errors(self.uri):
            table = self._dataset.to_table(columns=["path"], with_row_id=True)
        return dict(zip(table["path"].to_pylist(), table["_rowid"].to_pylist(), strict=True))

    def photos(self, rows: Sequence[int]) -> dict[int, StoredPhoto]:
        """Read whole rows by id; those are left out whose content is not as it was written."""
        table = self._take(rows, [name for name in self.layout.schema().names if name not in ("pooled", "features")])
        embeddings, entries = self._embeddings(table), table.drop_columns(["patches"]).to_pylist()
        photos = {}
        for row, entry, values in zip(rows, entries, embeddings, strict=True):
            file = FileFacts(*(entry[name] for name in FACTS))
            photo = StoredPhoto(file, values, entry["thumbnail"], entry["licence"], entry["credit"])
            if entry["checksum"] == checksum(self.layout, photo):
                photos[row] = photo
        return photos

    def embeddings(self, rows: Sequence[int]) -> Tensor:
        """Read the embeddings of rows by id, (K, N[+1], C) float32."""
        return self._embeddings(self._take(rows, ["patches"]))

    def embeddings_and_features(self, rows: Sequence[int]) -> tuple[Tensor, list[bytes]]:
        """Read the embeddings of rows by id, (K, N[+1], C) in the precision in which they are kept, and their features,
        empty where there are none."""
        table = self._take(rows, ["patches", "features"])
        return self._kept_embeddings(table), [features or b"" for features in table["features"].to_pylist()]

    def pooled(self, rows: Sequence[int]) -> Tensor:
        """Read the pooled vectors of rows by id, (K, C) float32."""
        chunks = self._take(rows, ["pooled"])["pooled"].chunks
        values = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in chunks]
        kept = np.concatenate(values) if values else np.empty(0)
        return torch.from_numpy(kept.astype(np.float32).reshape(len(rows), self.layout.channels))

    def paths(self, rows: Sequence[int]) -> list[str]:
        """Read the paths of rows by id."""
        return self._take(rows, ["path"])["path"].to_pylist()

    def thumbnails(self, rows: Sequence[int]) -> list[bytes]:
        """Read the thumbnails of rows by id."""
        return self._take(rows, ["thumbnail"])["thumbnail"].to_pylist()

    def nearest(self, query: Tensor, count: int, name: str = "", effort: int = 4) -> list[int]:
        """Return the rows whose pooled vectors have the largest product with a query, the best first.

        Args:
            query: (C,); count: how many at most.
            name: what paths must hold, letters large or small; "" takes all.
            effort: how many times `count` an approximate index looks at.
        """
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
        """Write photographs in one commit: new rows, or in place of those of the same path."""
        table = self._table(photos)
        builder = self._writable().merge_insert("path").when_matched_update_all().when_not_matched_insert_all()
        self._committed(lambda: builder.execute(table))

    def append(self, photos: Sequence[StoredPhoto]) -> None:
        """Write photographs of paths that the table lacks, in one commit."""
        table, dataset = self._table(photos), self._writable()
        self._committed(lambda: dataset.insert(table))

    def remove(self, paths: Sequence[str]) -> None:
        """Delete the photographs of these paths in one commit."""
        dataset = self._writable()
        names = ", ".join(map(quoted, paths))
        self._committed(lambda: dataset.delete(f"path IN ({names})"))

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

    def _committed(self, change: Callable[[], object]) -> None:
        with lance_errors(self.uri):
            change()

    def _take(self, rows: Sequence[int], columns: list[str]) -> pa.Table:
        """Some columns of rows by id, in their order; reads no others."""
        only = f"_rowid IN ({', '.join(map(str, rows))})" if rows else "false"
        with lance_errors(self.uri):
            table = self._dataset.to_table(columns=columns, filter=only, with_row_id=True)
        places = {row: place for place, row in enumerate(table["_rowid"].to_pylist())}
        if not places.keys() >= set(rows):
            raise StoreError(f"The table {self.uri} has no such rows: open it anew.")
        order = [places[row] for row in rows]
        table = table.drop_columns(["_rowid"])
        return table if order == list(range(len(table))) else table.take(order)

    def _embeddings(self, table: pa.Table) -> Tensor:
        return self._kept_embeddings(table).float()

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
        columns["pooled"] = fixed_lists(pooled_images(kept.float()).half().numpy(), pa.float16())
        columns["patches"] = fixed_lists(kept.flatten(1).numpy(), number)
        columns["features"] = [None] * len(photos) if self._features is None else self._features(kept.float())
        return pa.table(
            [
                pa.array(columns[field.name], field.type)
                if isinstance(columns[field.name], list)
                else columns[field.name]
                for field in schema
            ],
            schema=schema,
        )


def checksum(layout: Layout, photo: StoredPhoto) -> int:
    """Return a sum over a row's content in the precision that is kept, and whose it is."""
    values = photo.embeddings.detach().cpu().to(PRECISIONS[layout.precision][0]).contiguous()
    start = zlib.crc32(f"{layout.encoder} {photo.file.digest}".encode())
    return zlib.crc32(values.flatten().view(torch.uint8).numpy().data, zlib.crc32(photo.thumbnail, start))


def fixed_lists(values: NDArray[Any], number: pa.DataType) -> pa.FixedSizeListArray:
    """Return the rows of an array (K, D) as lists of D numbers."""
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1), number), values.shape[1])


def read_layout(uri: str, dataset: lance.LanceDataset, encoder: str | None) -> Layout:
    """Read what the rows of a table share; StoreError where it is no table of this kind, or of another encoder."""
    try:
        values = read_json((dataset.schema.metadata or {})[b"seps"], uri)
        other = values.pop("format") != FORMAT
        layout = Layout(**values)
    except (KeyError, ValueError, TypeError):
        other, layout = True, None
    if other or layout is None or layout.precision not in PRECISIONS:
        raise StoreError(f"{uri} is no table of photographs that this version reads: index into another place.")
    if encoder not in (None, layout.encoder):
        raise StoreError(
            f"The table {uri} was indexed by another image encoder ({layout.encoder}) than the model's ({encoder}): "
            "delete it, or index into another place."
        )
    return layout


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
    """SQL that takes the paths which hold a name; None where all are taken."""
    return f"contains(lower(path), {quoted(name.lower())})" if name else None
