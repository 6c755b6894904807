"""Downloads: what the views' buttons ask for, saved by the browser without a file on the server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from demo.explain.outline import outlines
from demo.explain.photo import credit_of, fresh
from demo.figures.exports import Download, captions_csv, comparison_file, explanation_file, images_csv
from demo.figures.overlay import Heading
from demo.galleries.index import IndexedGallery
from demo.service.benches import Benches, Own
from demo.service.captions import read_typed
from demo.service.workbench import Workbench
from demo.views.captions import NO_POOL, Captions
from demo.views.chooser import Chosen
from demo.views.parts import Shown, message, scripted, told_below
from demo.views.search import Search

OPTIONS: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}


def build() -> gr.HTML:
    """The component that saves what it is given."""
    return scripted("download", "seps-download", "download", ())


def sent(file: Download) -> dict[str, Any]:
    """A file for the browser to save."""
    return fresh({"name": file.name, "type": file.media_type, "base64": b64encode(file.content).decode()})


def explanation(bench: Workbench, indexed: IndexedGallery, shown: Shown, kind: str, dark: bool = False) -> Download:
    """The file of one photograph and one caption, drawn as `shown` says; of a scene the objects too where it does."""
    record = bench.explain(indexed, shown.place, shown.caption, shown.dense)
    item = indexed.gallery.items[shown.place]
    heading = Heading(shown.caption, record.similarity, bench.name, shown.dense, credit_of(item))
    objects = outlines(item.known, shown.caption) if item.known is not None and shown.objects else []
    return explanation_file(
        item.photo(), record, heading, item.title, kind, shown.layer, shown.opacity, shown.lines, dark, objects
    )


def comparison(
    bench: Workbench,
    indexed: IndexedGallery,
    shown: Shown,
    captions: Sequence[str],
    kind: str,
    dark: bool = False,
) -> Download:
    """The file of several captions over one photograph, drawn as `shown` says."""
    records = [bench.explain(indexed, shown.place, caption) for caption in captions]
    item = indexed.gallery.items[shown.place]
    objects = [outlines(item.known, text) for text in captions] if item.known is not None and shown.objects else []
    return comparison_file(
        item.photo(), captions, records, bench.name, item.title, kind, shown.layer, dark, credit_of(item), objects
    )


def connect_picture(
    benches: Benches, viewer: gr.HTML, said: gr.HTML, saved: gr.HTML, shown: gr.State, own: gr.State
) -> None:
    """Let a viewer's buttons save its picture, and the session remember its layer.

    `own` holds an `Own`, or a `Chosen`.
    """

    @told_below(2)
    def export(shown: Shown, own: Own | Chosen, event: gr.EventData) -> tuple[str, dict[str, Any]]:
        bench, indexed = benches.find(shown.gallery, own.own if isinstance(own, Chosen) else own)
        drawn = replace(
            shown,
            layer=str(event.layer),
            opacity=float(event.opacity),
            lines=bool(event.lines),
            objects=bool(event.objects),
        )
        file = explanation(bench, indexed, drawn, str(event.format), bool(event.dark))
        return message(f"Saved as {file.name}."), sent(file)

    viewer.export(export, [shown, own], [said, saved], **OPTIONS)
    connect_layer(viewer, shown, ("layer", "opacity", "lines", "objects"))


def connect_layer(view: gr.HTML, shown: gr.State, drawn: Sequence[str]) -> None:
    """Let the session remember how pictures are drawn: what of `Shown` the view's event tells."""

    def remember(shown: Shown, event: gr.EventData) -> Shown:
        told = {name: getattr(event, name) for name in drawn}
        return replace(shown, **told)

    view.layer(remember, shown, shown, api_visibility="private", show_progress="hidden", queue=False)


def connect_comparison(
    benches: Benches, pictures: gr.HTML, said: gr.HTML, saved: gr.HTML, shown: gr.State, chosen: gr.State
) -> None:
    """Let the comparison's buttons save it."""

    @told_below(2)
    def export(shown: Shown, chosen: Chosen, event: gr.EventData) -> tuple[str, dict[str, Any]]:
        bench, indexed = benches.find(shown.gallery, chosen.own)
        captions = read_typed(bench.model, shown.caption)
        drawn = replace(shown, layer=str(event.layer), objects=bool(event.objects))
        file = comparison(bench, indexed, drawn, captions, str(event.format), bool(event.dark))
        return message(f"Saved as {file.name}."), sent(file)

    pictures.export(export, [shown, chosen], [said, saved], **OPTIONS)
    connect_layer(pictures, shown, ("layer", "objects"))


def connect_rankings(
    benches: Benches, finding: Search, asking: Captions, saved: gr.HTML, shown: gr.State, own: gr.State
) -> None:
    """Let the rankings' buttons save them as CSV."""

    @told_below(2)
    def images(own: Own, shown: Shown) -> tuple[str, dict[str, Any]]:
        file = images_csv(*benches.find(shown.gallery, own), shown.caption, shown.dense)
        return message(f"Saved as {file.name}."), sent(file)

    @told_below(2)
    def captions(chosen: Chosen, pool: str, typed: str) -> tuple[str, dict[str, Any]]:
        bench, indexed = benches.find(chosen.gallery, chosen.own)
        file = captions_csv(bench, indexed, chosen.place, None if pool == NO_POOL else pool, typed)
        return message(f"Saved as {file.name}."), sent(file)

    finding.ranking.export(images, [own, shown], [finding.said, saved], **OPTIONS)
    asking.ranking.export(captions, [asking.chooser.chosen, asking.pool, asking.typed], [asking.said, saved], **OPTIONS)
