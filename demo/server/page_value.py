"""A component's value on its way to the page: one JSON text, which `decoded` in assets/js/base/mount.js reads.

Of lists and dicts Gradio's page would watch every entry, which takes it longer than drawing them.
"""

from __future__ import annotations

import itertools
from typing import Any

import gradio as gr
import orjson

_answers = itertools.count()


def page_text(value: Any) -> str | None:
    """Write a value that is JSON ready as the page gets it: [number, value]; None stays.

    Of the same text again the page would not notice that it is an answer: hence the number.
    """
    return None if value is None else orjson.dumps([next(_answers), value], option=orjson.OPT_SERIALIZE_NUMPY).decode()


def answering_in_text(component: gr.HTML) -> gr.HTML:
    """Let every value with which an event answers go to the component as `page_text`.

    It is the component's own method that is replaced: beside the module of a class derived from Gradio's, Gradio would
    write a stub file.
    """
    component.postprocess = page_text  # type: ignore[method-assign]
    return component
