"""Views of records and rankings for notebooks and files."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from PIL import Image

from demo.drawing.formats import PICTURES, Heading, check_format
from demo.drawing.overlay import compare_picture, picture
from demo.drawing.page import CSS_PIXELS
from demo.drawing.palette import DARK, LIGHT, OPACITY
from demo.drawing.render import render
from demo.galleries.reading.photos import KEPT, data_url, thumbnail
from demo.notebook.page import frame, page
from demo.record.contrast import Contrast, contrast_sentences, contrast_value
from demo.record.layers.layers import Layer, layer_of_starts
from demo.record.packing import describe_overlap, overlap, packed
from demo.record.texts.table import say
from seps import Explanation, Ranking
from seps.common.cli import check_output
from seps.common.numbers import written
from seps.media.photos import rgb_of

SIDES, PHOTO_BYTES = (KEPT, 720, 600, 480, 360), 110_000  # of the long side, in pixels; of its data URL, at most
THUMBNAIL = 64  # CSS pixels of a thumbnail's height
STILL, STILL_QUALITY = 480, 60  # width in pixels and JPEG quality of the picture that replaces a page

WORD_ARRAYS = ("token_weights", "cosines", "matrix", "word_maps", "patch_cosines")


@dataclass(frozen=True, eq=False)
class View:
    """A view of one or several records, which a notebook displays; `figure` draws the same for files."""

    title: str
    component: str
    value: dict[str, Any]
    theme: str
    figure: Callable[[], Figure]

    def _repr_html_(self) -> str:
        with Image.open(BytesIO(self._png)) as image:
            small = image.convert("RGB")
        small.thumbnail((STILL, STILL * 4))
        stream = BytesIO()
        small.save(stream, "JPEG", quality=STILL_QUALITY)
        picture = "data:image/jpeg;base64," + b64encode(stream.getvalue()).decode("ascii")
        return frame(self._page(), self.title, picture)

    def _repr_png_(self) -> bytes:
        return self._png

    @cached_property
    def _png(self) -> bytes:
        return render(self.figure(), "png", CSS_PIXELS)

    def __repr__(self) -> str:
        return f"{self.title} (a notebook shows it; save(FILE) writes it as html, {', '.join(PICTURES)})"

    def save(self, file: str | Path) -> None:
        """Write the view to a file: html, which opens without a server, png, svg or pdf; ValueError for another suffix,
        or a file that cannot be written."""
        file = Path(file)
        kind = file.suffix.lstrip(".").lower()
        check_format(kind, ("html", *PICTURES))
        check_output(file)
        file.write_bytes(self._page().encode() if kind == "html" else render(self.figure(), kind))

    def _page(self) -> str:
        return page(self.component, self.value, self.title, self.theme)


@dataclass(frozen=True, eq=False)
class Table:
    """A ranking as a table; a notebook displays it. `html` is the table."""

    title: str
    html: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"{self.title} (a notebook shows it; save(FILE) writes it as html)"

    def save(self, file: str | Path) -> None:
        """Write the table to an HTML file; ValueError for another suffix, or a file that cannot be written."""
        file = Path(file)
        check_format(file.suffix.lstrip(".").lower(), ("html",))
        check_output(file)
        file.write_text(f"<!doctype html><meta charset=utf-8><title>{self.title}</title>{self.html}", encoding="utf-8")


def show(subject: Any, *, layer: str = "mask", theme: str = "auto", **options: Any) -> View | Table:
    """Show a record or a ranking, see `seps.show`."""
    if isinstance(subject, Ranking):
        return ranking_view(subject, **options)
    if not isinstance(subject, Explanation):
        raise ValueError(f"A {type(subject).__name__} cannot be shown: give an Explanation or a Ranking.")
    return record_view(subject, layer, theme, **options)


def record_view(
    record: Explanation,
    layer: str,
    theme: str,
    photo: Image.Image | None = None,
    caption: str | None = None,
    credit: str = "",
) -> View:
    """Return a record in the viewer; arguments as for `seps.show`."""
    photo, caption, shown = source_photo(record, photo), source_caption(record, caption), parsed(layer, record)
    model, dense = ("", None) if record.source is None else (record.source.model, record.source.dense_caption)
    heading = Heading(caption, record.similarity, model, dense, credit)
    value = {
        "photo": photo_facts(photo, credit),
        "model": model,
        "caption": caption,
        "dense_caption": dense,
        "similarity": record.similarity,
        "record": packed(record),
        "layer": str(shown),
        "opacity": OPACITY,
        "lines": True,
    }
    palette = DARK if theme == "dark" else LIGHT
    title = say("notebook.record", caption=caption, score=record.similarity)
    return View(title, "viewer", value, theme, lambda: picture(photo, record, shown, heading, palette))


def compare(
    records: Sequence[Explanation],
    *,
    layer: str = "mask",
    theme: str = "auto",
    photo: Image.Image | None = None,
    captions: Sequence[str] | None = None,
    credit: str = "",
) -> View:
    """Show several records of one photograph side by side, see `seps.compare`."""
    if not 2 <= len(records) <= 6:
        raise ValueError(f"There are {len(records)} records, but 2 to 6 can be compared.")
    if captions is not None and len(captions) != len(records):
        raise ValueError(f"There are {len(captions)} captions for {len(records)} records: give as many.")
    photo = source_photo(records[0], photo)
    texts = [source_caption(record, None if captions is None else captions[i]) for i, record in enumerate(records)]
    shown = parsed(layer, records[0])
    for record in records:
        shown.check(record)
    model = "" if records[0].source is None else records[0].source.model
    items = []
    for text, record in zip(texts, records, strict=True):
        value = packed(record)  # without the arrays of words and tokens
        for branch in value["branches"]:
            branch["aggregation_weights"] = None
        for alignment in value["alignments"]:
            alignment |= {name: {"shape": [0, 0], "float32": ""} for name in WORD_ARRAYS}
        items.append({"caption": text, "similarity": record.similarity, "record": value})
    value = {
        "photo": photo_facts(photo, credit),
        "model": model,
        "layer": str(shown),
        "items": items,
        "overlap": overlap(records),
        "shared": describe_overlap([record.sparse.kept for record in records]),
        "why": False,
    }
    palette = DARK if theme == "dark" else LIGHT
    title = say("notebook.compared", captions=", ".join(f"“{text}”" for text in texts))
    return View(
        title, "compare", value, theme, lambda: compare_picture(photo, texts, records, shown, model, palette, credit)
    )


def ranking_view(
    ranking: Ranking,
    photos: Sequence[Image.Image] | None = None,
    captions: Sequence[str] | None = None,
    titles: Sequence[str] | None = None,
    top: int = 10,
) -> Table:
    """Return a ranking as a table: rank, thumbnail, text, index, S(I, T); arguments as for `seps.show`."""
    if photos is not None and captions is not None:
        raise ValueError("A ranking is of photos or of captions: give one of the two.")
    texts, count = captions or titles, min(top, len(ranking))
    indices = [int(index) for index in ranking.indices[:count]]
    for name, given in (("photos", photos), ("titles or captions", texts)):
        if given is not None and indices and max(indices) >= len(given):
            raise ValueError(
                f"{len(given)} {name} are given, but position {max(indices)} was ranked: give all of them."
            )
    heads = ["", *(["photo"] if photos is not None else []), "" if texts is None else "what", "index", "S(I, T)"]
    rows = []
    for place, (index, score) in enumerate(zip(indices, ranking.scores[:count].tolist(), strict=True), start=1):
        text, cells = "" if texts is None else texts[index], [str(place)]
        if photos is not None:
            source, alternative = thumbnail(rgb_of(photos[index])), escape(text or f"photo {index}")
            cells.append(f'<img src="{source}" alt="{alternative}" style="height:{THUMBNAIL}px;width:auto">')
        cells += [escape(text), str(index), written(score, ".4f")]
        rows.append("<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>")
    title = say("notebook.ranking", count=count, total=len(ranking))
    head = "".join(f'<th scope="col" style="text-align:left">{escape(name)}</th>' for name in heads)
    return Table(
        title,
        f'<table><caption style="text-align:left">{escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
    )


def parsed(layer: str, record: Explanation) -> Layer:
    """Parse the name of a layer; ValueError if the record does not have it."""
    starts = () if record.source is None else record.source.word_starts
    shown = Layer.parse(layer_of_starts(layer, starts, record) if starts else layer)
    shown.check(record)
    return shown


def source_photo(record: Explanation, photo: Image.Image | None) -> Image.Image:
    """Return the photograph upright and in RGB, as the model encodes it; ValueError if it is unknown."""
    if photo is None:
        if record.source is None:
            raise ValueError("The record was made from embeddings: give its photograph, as show(record, photo=...).")
        photo = record.source.photo
    return rgb_of(photo)


def source_caption(record: Explanation, caption: str | None) -> str:
    """Return the caption, or the record's words if it is unknown."""
    if caption is not None:
        return caption
    return " ".join(record.sparse_alignment.words) if record.source is None else record.source.caption


def photo_facts(photo: Image.Image, credit: str) -> dict[str, Any]:
    """Return the photograph in the viewer's format."""
    facts = {"title": "", "credit": credit, "link": None, "licence": "", "licence_link": None}
    sources = (data_url(photo, side, quality=80) for side in SIDES)
    source = next((source for source in sources if len(source) <= PHOTO_BYTES), None) or data_url(photo, SIDES[-1], 60)
    return {"src": source, "width": photo.width, "height": photo.height} | facts


def contrast_page(contrast: Contrast, photos: Sequence[Image.Image], model: str, layer: str = "mask") -> str:
    """Return a page with two photographs and each word's part of both similarities, which needs no server. `layer` is a
    word's map, "word:0", or anything else for the deciding words."""
    value = contrast_value(contrast)
    for side, photo in zip(value["sides"], photos, strict=True):
        side["photo"] = photo_facts(photo, "")
        side["index"] = 0
    value |= {
        "model": model,
        "captions": contrast.of_captions,
        "options": [],
        "layer": layer if contrast.word(layer) else "mask",
    }
    return page("why", value, contrast_sentences(contrast)[0])
