"""The columns of a table of photographs, and the checks of one that somebody else may have written."""

import json
from dataclasses import asdict, dataclass
from typing import Annotated

import lance
import pyarrow as pa
import torch
from torch import Tensor

from seps.common.checks import LARGEST, MAX_PATCHES, read_json
from seps.common.fields import Channels, Fields, between, choice_of
from seps.search.table_errors import StoreError, damaged, lance_errors

FORMAT = 1  # of the columns; a table of another one is refused
PRECISIONS = {"float32": (torch.float32, pa.float32()), "float16": (torch.float16, pa.float16())}
NAMED = 40  # characters of an encoder's key in a message


@dataclass(frozen=True)
class Layout(Fields, section="layout"):
    """The values shared by all rows of a table: encoder key, N[+1], C, precision, and network of stored features."""

    encoder: str
    patches: Annotated[int, between(1, MAX_PATCHES + 1)]
    channels: Channels
    precision: Annotated[str, choice_of(*PRECISIONS)] = "float32"
    features: str = ""

    def check_shape(self, uri: str, patches: int, channels: int) -> None:
        """Raise DamagedTableError unless the photographs of the table at `uri` have this shape."""
        if (self.patches, self.channels) != (patches, channels):
            kept, needed = f"{self.patches} x {self.channels}", f"{patches} x {channels}"
            raise damaged(uri, f"it has {kept} numbers a photograph, but the model needs {needed}")

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


def read_layout(uri: str, dataset: lance.LanceDataset, encoder: str | None) -> Layout:
    """Read what the rows of a table share."""
    with lance_errors(uri):
        schema = dataset.schema
    try:
        values = read_json((schema.metadata or {})[b"seps"], uri)
        known = isinstance(values, dict) and values.pop("format", None) == FORMAT
    except (KeyError, ValueError):
        known = False
    if not known:
        raise StoreError(f"{uri} is no table of photographs that this version reads: index into another place.")
    try:
        layout = Layout.from_dict(values)
        check_columns(schema, layout.schema())
    except ValueError as error:
        raise damaged(uri, str(error).rstrip(".")) from error
    if encoder not in (None, layout.encoder):
        raise StoreError(
            f"The table {uri} was indexed by another image encoder ({layout.encoder:.{NAMED}}) than the model's "
            f"({encoder}): delete it, or index into another place."
        )
    return layout


def check_columns(actual: pa.Schema, expected: pa.Schema) -> None:
    """Raise ValueError for a column that is missing or has another type; other columns may be there too."""
    for field in expected:
        places = actual.get_all_field_indices(field.name)
        if len(places) != 1:
            raise ValueError(f"it has {len(places)} columns {field.name}, but one is needed")
        kind = actual.field(places[0]).type
        if kind != field.type:
            raise ValueError(f"the column {field.name} holds {kind}, but {field.type} is needed")


def check_paths(uri: str, dataset: lance.LanceDataset) -> None:
    """Raise DamagedTableError where a row has no path."""
    with lance_errors(uri):
        count = dataset.count_rows("path IS NULL OR path = ''")
    if count:
        raise damaged(uri, f"rows without a path: {count}")


def is_usable(values: Tensor) -> bool:
    """Return whether all values are finite, and small enough for sums of their squares."""
    if not values.numel():
        return True
    low, high = (float(bound) for bound in values.aminmax())  # NaN if any value is NaN
    return low >= -LARGEST and high <= LARGEST
