"""Scene data for the browser: the true outlines, and each word's weight inside its object."""

from __future__ import annotations

from typing import Any

from demo.galleries.annotation import SceneAnnotation
from demo.record.inside import sentence, weights_inside
from demo.record.outlines import outlines, pack_lines
from seps import Explanation
from seps.encoders.tokenizer import Tokenizer
from seps.scenes import SIDE

UNIT = 2 * SIDE  # of outlines, to a side


def objects_value(known: SceneAnnotation, caption: str) -> list[dict[str, Any]]:
    """Return the objects: each one's number, name, whether the caption mentions it, and its outline as flat lists x0,
    y0, x1, y1, ..., UNIT to a side; JSON ready."""
    return [
        {
            "number": outline.number,
            "name": outline.name,
            "mentioned": outline.mentioned,
            "lines": pack_lines(outline.lines),
        }
        for outline in outlines(known, caption)
    ]


def scene_value(record: Explanation, known: SceneAnnotation, caption: str, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return a scene's ground truth for one caption; JSON ready.

    Returns:
        "unit": UNIT; "objects", see `objects_value`; "inside": for words of phrases that name
        objects, by position: "share" in [0, 1], "objects" and the figure in words as "says".
    """
    return {
        "unit": UNIT,
        "objects": objects_value(known, caption),
        "inside": {
            str(weight.word): {"share": weight.fraction, "objects": list(weight.objects), "says": sentence(weight)}
            for weight in weights_inside(record, known, caption, tokenizer)
        },
    }
