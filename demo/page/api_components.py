"""Registers the endpoints: components without anything to see, shown on the page's API page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from demo.galleries.scenes import SCENES
from demo.page.api_values import SAME
from demo.page.queues import DRAWING, GENERATING
from demo.server.uploads import takes_uploads
from demo.service.generating.request import GUIDANCE, SEED, STEPS
from demo.service.registry import ModelRegistry

OPTIONS: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 32}


def register(registry: ModelRegistry, endpoints: Any) -> None:
    """Register the methods of `demo.page.api.Endpoints` with their components."""
    with gr.Column(visible=False):
        # What has a value is optional: the value is its default. A photo is so by the default of the functions.
        photo, item = takes_uploads(gr.Image(type="filepath", label="photo")), gr.Textbox("", label="item")
        caption, dense = gr.Textbox(label="caption"), gr.Textbox("", label="dense_caption")
        captions, gallery = gr.Textbox(label="captions"), gr.Textbox(registry.first, label="gallery")
        layer, file_format = gr.Textbox("mask", label="layer"), gr.Textbox("png", label="file_format")
        changes = gr.Textbox("[]", label="changes")
        prompt = gr.Textbox(label="prompt")
        keep, drop = gr.Textbox("", label="keep"), gr.Textbox("", label="drop")
        compact = gr.Checkbox(False, label="compact")
        other, scene = gr.Textbox("", label="other_item"), gr.Textbox(label="item")
        pool, more = gr.Textbox(SAME, label="gallery"), gr.Textbox("", label="captions")
        steps, seed = gr.Number(STEPS, label="steps", precision=0), gr.Number(SEED, label="seed", precision=0)
        guidance, drawing_format = gr.Number(GUIDANCE, label="guidance"), gr.Textbox("png", label="file_format")
        answer, file = gr.JSON(label="answer"), gr.File(label="file")
        call = gr.Button("call")

    calls: list[tuple[Callable[..., Any], list[Any], Any]] = [
        (endpoints.galleries, [], answer),
        (endpoints.rank_images, [caption, dense, gallery], answer),
        (endpoints.rank_captions, [photo, item, pool, more], answer),
        (endpoints.explain, [photo, item, caption, dense, keep, drop, compact], answer),
        (endpoints.compare, [photo, item, captions], answer),
        (endpoints.why, [photo, item, other, captions, dense], answer),
        (endpoints.picture, [photo, item, captions, dense, layer, file_format, keep, drop], file),
    ]
    if SCENES in registry.names:
        calls.append((endpoints.edit_scene, [scene, changes, caption], answer))
    if registry.judging is not None:
        calls.append((endpoints.judge, [photo, item, prompt], answer))
    if registry.generating is not None:
        asked = [caption, steps, seed, guidance, drawing_format]
        calls += [(endpoints.generate, asked, [answer, file]), (endpoints.caption_image, [photo, item], answer)]
    for function, inputs, output in calls:
        options = DRAWING if output is file else GENERATING if isinstance(output, list) else OPTIONS
        call.click(function, inputs, output, api_name=function.__name__, **options)
