"""Comparison of two pairs as a single-file page."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from demo.notebook.page import page
from demo.notebook.views import photo_facts
from demo.record.contrast import Contrast, contrast_sentences, contrast_value


def contrast_page(contrast: Contrast, photos: Sequence[Image.Image], model: str, layer: str = "mask") -> str:
    """Return a page with both photographs and each word's part of both similarities, which needs no server.

    Args:
        contrast: both similarities in parts; photos: left and right; model: its name.
        layer: a word's map, "word:0", or anything else for the deciding words.
    """
    value = contrast_value(contrast)
    for side, photo in zip(value["sides"], photos, strict=True):
        side["photo"] = photo_facts(photo, "")
        side["index"] = 0
    value |= {
        "model": model,
        "captions": contrast.of_captions,
        "options": [],
        "layer": layer if contrast.word(layer) else "mask",
        "formats": [],
    }
    return page("why", value, contrast_sentences(contrast)[0])
