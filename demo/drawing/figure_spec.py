"""The JSON format of figures, see assets/guide/figures.md."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from demo.galleries.reading.paths import check_photo_path
from demo.record.texts.invalid import describe_errors
from seps.common.checks import read_json_file

WIDTHS = {"one column": 3.25, "two columns": 6.875}  # inches, of common templates
MAX_PANELS = 120  # a row takes a second, a panel a fifth


def _to_inches(width: Any) -> Any:
    if not isinstance(width, str):
        return width
    if width not in WIDTHS:
        raise ValueError(f"width is {width!r}, but a number of inches or one of {', '.join(WIDTHS)} is needed.")
    return WIDTHS[width]


Text = Annotated[str, Field(max_length=5_000)]
Columns = Annotated[list[Annotated[str, Field(pattern=r"\S")]], Field(max_length=12)]


class FigureRow(BaseModel):
    """A photograph's row: a file, or with `gallery` a name in it; `note` is not drawn."""

    model_config = ConfigDict(extra="forbid", strict=True)

    photo: Text
    gallery: Text = ""
    caption: Text = ""
    dense: Text = ""
    layers: Columns = []
    credit: Text = ""
    note: Text = ""


class FigureSpec(BaseModel):
    """The content of a figure. Its columns are `layers`, which rows may replace, or `captions` drawn with `layer`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    rows: list[FigureRow] = Field(min_length=1, max_length=20)
    layers: Columns = []
    captions: Columns = []
    layer: str = "mask"
    model: str = "photos"
    width: Annotated[float, BeforeValidator(_to_inches), Field(ge=1, le=20)] = WIDTHS["one column"]
    font: Literal["serif", "sans"] = "serif"
    size: float = Field(8, ge=5, le=24)
    credits: Literal["below", "file", "none"] = "below"
    note: str = ""

    @model_validator(mode="after")
    def check_columns(self) -> FigureSpec:
        """Raise ValueError for too many panels, rows of different lengths, or both layers and captions."""
        for number, row in enumerate(self.rows, start=1):
            row.layers = row.layers or self.layers
            if not self.captions and not row.caption:
                raise ValueError(f"row {number} has no caption: give it one.")
        counts = {len(row.layers) for row in self.rows}
        if bool(self.captions) == (counts != {0}):
            raise ValueError("The columns are layers or captions: give a list of one of the two, layers or captions.")
        if len(counts) > 1:
            raise ValueError("The rows have different numbers of layers: give each row as many.")
        panels = len(self.rows) * max(*counts, len(self.captions))
        if panels > MAX_PANELS:
            raise ValueError(f"The figure has {panels} panels, but at most {MAX_PANELS} are drawn: make several.")
        return self


def read_spec(file: Path) -> FigureSpec:
    """Read a spec, photographs from its own folder; ValueError names the key or value that is wrong."""
    try:
        spec = FigureSpec.model_validate(read_json_file(file))
    except ValidationError as error:
        raise ValueError(f"{file.name}: {describe_errors(error)}") from error
    for row in spec.rows:
        if not row.gallery:
            row.photo = str(file.parent / row.photo)
            try:
                check_photo_path(Path(row.photo))
            except ValueError as error:
                raise ValueError(f"{error} {row.note}".rstrip()) from error
    return spec
