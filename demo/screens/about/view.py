"""About: the three ideas, what the page shows, the models' measured numbers, and whose the photographs are."""

from __future__ import annotations

from html import escape

import gradio as gr

from demo.galleries.index import require_in_memory
from demo.galleries.paths import printable
from demo.galleries.scenes import SCENES
from demo.galleries.stored import StoredGallery
from demo.record.language import CHINESE, html_in_languages, phrase, speaking
from demo.record.photo import get_credit
from demo.record.table import say
from demo.screens.intro import ideas_html, intro_value
from demo.screens.parts import UNQUEUED
from demo.screens.tables import grounding_table, results
from demo.service.registry import ModelRegistry
from demo.service.results import OwnModels, our_contrast, our_grounding, our_results
from seps.models.beside import written_card
from seps.models.hub import shipped_models

NOT_MEASURED = (
    "No measured numbers were found: `python -m seps.evaluate --model RUN/best --data DATA --split dev --json "
    "RUN/results.json` writes them where this page looks."
)
POINTING = (
    "Do the pictures point at what phrases name? Shares from 0 to 1, with 95% intervals where they were measured; "
    "beside our word maps, maps that know less."
)
FOLLOWING = (
    "Do they follow the caption? Two phrases of one caption that name things apart, each a caption by itself: what "
    "each map keeps of its own region and of the other one, as many patches as the decision mask; contrast is the "
    "difference, 0 where the caption moves nothing."
)


def build(registry: ModelRegistry, tab: gr.Tab) -> None:
    """Lay the view out in its tab."""
    model = registry.photos.model
    rows, columns = model.grid
    numbers = {"rows": rows, "columns": columns, "tokens": model.cross_net.num_tokens}

    def reading() -> str:
        scenes = say("about.scenes") if SCENES in registry.names else ""
        return f"{say('about.reading', **numbers)}\n\n{scenes}"

    gr.HTML(ideas_html(intro_value(registry)), elem_classes="prose")
    with gr.Column(elem_classes="prose"):
        gr.Markdown(reading(), elem_classes="in-english")
        with speaking(CHINESE):
            gr.Markdown(reading(), elem_classes="in-chinese")
    gr.HTML(html_in_languages(lambda: measured(registry.own_models)), elem_id="measured", elem_classes="prose tables")
    with gr.Column(elem_classes="prose"):
        for name in registry.models:
            if name in shipped_models():
                with gr.Accordion(f"The model's card: {name}", open=False):
                    gr.Markdown(card(name))
        for name in registry.own_models:
            with gr.Accordion(f"A model of your own: {name}", open=False):
                gr.Markdown(own_card(registry, name))
        with gr.Accordion("Whose the photographs are", open=False):
            gr.HTML("<ul>" + "".join(credit_lines(registry)) + "</ul>")
        galleries = gr.HTML(html_in_languages(lambda: galleries_html(registry)), elem_id="galleries")
    tab.select(lambda: html_in_languages(lambda: galleries_html(registry)), None, galleries, **UNQUEUED)


def galleries_html(registry: ModelRegistry) -> str:
    """Return how large each gallery is, and where what the model gives for its photographs lies."""
    rows = "".join(f"<li>{escape(gallery_line(registry, name))}</li>" for name in registry.names)
    return f"<h2>{phrase('Galleries')}</h2><ul>{rows}</ul>"


def gallery_line(registry: ModelRegistry, name: str) -> str:
    """Return a gallery's size and store."""
    if registry.is_waited_for(name):
        return say("about.waiting", name=name)
    indexed = registry.find(name)[1]
    counted = {"name": name, "count": len(indexed), "noun": say(f"noun.{indexed.gallery.noun}")}
    if isinstance(indexed, StoredGallery):
        table = {"table": indexed.table.name, "indexed": indexed.indexed, "size": megabytes(indexed.nbytes)}
        return say("about.stored", **counted, **table)
    return say("about.size", **counted, size=megabytes(require_in_memory(indexed).nbytes))


def megabytes(size: int) -> str:
    """Return a number of bytes for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"


def card(name: str) -> str:
    """Return a shipped model's card without its front matter."""
    file = shipped_models()[name] / "README.md"
    return without_block(file.read_text(encoding="utf-8")) if file.is_file() else "There is no card yet."


def own_card(registry: ModelRegistry, name: str) -> str:
    """Return the card of a model of one's own: what its config says, and its README.md where somebody wrote one."""
    folder, model = registry.own_models[name], registry.of(name).model
    rows, columns = model.grid
    config, net = model.config, model.cross_net
    where, missing = f"from the folder `{printable(folder or '')}`", NOT_MEASURED
    if model.repo_id:
        where, missing = f"`{model.repo_id}` of the model hub", "No measured numbers lie beside it there."
    variant = "paper" if net.use_paper_version else "released"
    figures = "Its measured numbers stand in the tables above." if name in measured_models(registry) else missing
    return (
        f"**{name}**, {where}: {config.vision.encoder} and {config.text.encoder}, {rows} by {columns} patches of "
        f"{config.embed_size} channels, the {variant} variant with {net.num_tokens} aggregated tokens. {figures}\n\n"
        f"{without_block(written_card(folder))}"
    )


def without_block(card: str) -> str:
    """Return a card without the block at its top."""
    return card.split("---\n", 2)[-1] if card.startswith("---\n") else card


def measured_models(registry: ModelRegistry) -> set[str]:
    """Return the models that the tables have a line of."""
    models = registry.own_models
    return {row["model"] for row in (*our_results(models), *our_grounding(models), *our_contrast(models))}


def measured(models: OwnModels | None = None) -> str:
    """Return the models' results as HTML: of the shipped ones, and of models of one's own."""
    return (
        f"<h2>{phrase('What the models reach')}</h2><p>{phrase('Recall at K in per cent.')}</p>"
        f"{results(our_results(models))}<p>{phrase(POINTING)}</p>{grounding_table(our_grounding(models))}"
        f"<p>{phrase(FOLLOWING)}</p>{grounding_table(our_contrast(models))}"
    )


def credit_lines(registry: ModelRegistry) -> list[str]:
    """Return a line of HTML for each photograph of the galleries that are open, whose credit or licence is known."""
    scenes = ["<li>scenes: drawn by this project's own code, under its licence (MIT)</li>"]
    return [
        f"<li>{escape(item.title)}: {escape(get_credit(item))}</li>"
        for indexed in registry.photos.galleries.values()
        for item in indexed.gallery.items
        if get_credit(item)
    ] + scenes * (SCENES in registry.names)
