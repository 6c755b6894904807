"""Downloads of explanations as pictures and JSON, shared by the page, the API and the command line."""

from collections.abc import Mapping, Sequence
from typing import Any

from PIL import Image

from demo.drawing.formats import EXPLANATIONS, PICTURES, Download, Heading, check_format, file_name, json_file
from demo.drawing.overlay import compare_picture, picture
from demo.drawing.palette import DARK, LIGHT
from demo.drawing.render import render
from demo.record.layers.layers import Layer
from demo.record.packing import plain
from demo.record.scene import Outline
from demo.service.threads import drawing
from seps import Explanation


@drawing
def explanation_file(
    photo: Image.Image,
    record: Explanation,
    heading: Heading,
    title: str,
    kind: str,
    layer: str = "mask",
    opacity: float = 0.75,
    lines: bool = True,
    dark: bool = False,
    objects: Sequence[Outline] = (),
    by_hand: Mapping[str, Any] | None = None,
) -> Download:
    """Export one photograph's explanation as a picture, or as JSON with every number.

    Args:
        heading: text in the picture; title: of the photograph, for the file's name; kind: of EXPLANATIONS.
        opacity: in [0, 1]; objects: outlined on top; by_hand: more JSON of a forced decision, see `decision_numbers`.

    Raises:
        ValueError: another kind, an unknown or missing layer, or an opacity out of range.
    """
    check_format(kind, EXPLANATIONS)
    if not 0.0 <= opacity <= 1.0:
        raise ValueError(f"opacity is {opacity}, but it must be between 0 and 1.")
    name = file_name(heading.model, title, layer, kind)
    if kind == "json":
        facts: dict[str, Any] = {"model": heading.model, "photo": title, "caption": heading.caption}
        facts |= {"dense_caption": heading.dense_caption, "explanation": plain(record)}
        return json_file(name, facts if by_hand is None else facts | {"by_hand": by_hand})
    palette = DARK if dark else LIGHT
    figure = picture(photo, record, Layer.parse(layer), heading, palette, opacity, lines, objects)
    return Download(name, render(figure, kind))


@drawing
def comparison_file(
    photo: Image.Image,
    captions: Sequence[str],
    records: Sequence[Explanation],
    model: str,
    title: str,
    kind: str,
    layer: str = "mask",
    dark: bool = False,
    credit: str = "",
    objects: Sequence[Sequence[Outline]] = (),
) -> Download:
    """Export several captions of one photograph side by side on one colour scale; `objects` per caption."""
    check_format(kind, PICTURES)
    palette = DARK if dark else LIGHT
    figure = compare_picture(photo, captions, records, Layer.parse(layer), model, palette, credit, objects)
    return Download(file_name(model, title, f"compare-{layer}", kind), render(figure, kind))
