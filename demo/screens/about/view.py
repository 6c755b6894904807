"""About: the three ideas, what the page shows, the models' measured numbers, and whose the photographs are."""

from __future__ import annotations

from html import escape
from pathlib import Path

import gradio as gr

from demo.galleries.index import in_memory
from demo.galleries.paths import printable
from demo.galleries.scenes import SCENES
from demo.galleries.stored import StoredGallery
from demo.record.photo import credit_of
from demo.screens.intro import ideas_html, intro_value
from demo.screens.parts import UNQUEUED
from demo.screens.tables import grounding_table, results
from demo.service.registry import ModelRegistry
from demo.service.results import OwnModels, our_contrast, our_grounding, our_results
from seps.models.hub import shipped_models

READING = """
## Reading the pictures

A photograph is cut into patches, here {rows} by {columns} of them. For a caption each patch gets a **significance
score**, the sum of up to four parts: an MLP's (s<sup>p</sup>), how well it fits the caption (s<sup>st</sup>), a dense
caption if there is one (s<sup>dt</sup>), and the photograph as a whole (s<sup>im</sup>). The better half is **kept**:
that is the **decision mask**. Kept patches are merged into {tokens} **aggregated tokens** by learned weights; the
dropped ones make one **extra token**. Then every word meets every token. The best meetings, averaged both ways, and
what a small MLP makes of the five best are the similarity **S(I, T)**, by which everything is ranked.

The pictures are drawn from the numbers of one forward pass. A kept patch is not a cause: it says that this patch
entered the comparison, not that the model saw the thing named.

The method is SEPS, Semantic-Enhanced Patch Slimming: [arXiv 2511.01390](https://arxiv.org/abs/2511.01390).
"""
SCENES_TEXT = """
## Scenes

The gallery **scenes** is drawn by this project's own code and belongs to a model that was trained on such drawings
alone. Every object's pixels are known: **true objects** outlines them, and under a word's picture stands how much of
its weight lies inside what its phrase names.
"""
NOT_MEASURED = (
    "No measured numbers were found: `python -m seps.evaluate --model RUN/best --data DATA --split dev --json "
    "RUN/results.json` writes them where this page looks."
)
NOT_FILLED = "[More Information Needed]"  # in the card that the hub's library writes beside every saved model


def build(registry: ModelRegistry, tab: gr.Tab) -> None:
    """Lay the view out in its tab."""
    model = registry.photos.model
    rows, columns = model.grid
    reading = READING.format(rows=rows, columns=columns, tokens=model.cross_net.num_tokens)
    gr.HTML(ideas_html(intro_value(registry)), elem_classes="prose")
    with gr.Column(elem_classes="prose"):
        gr.Markdown(reading + (SCENES_TEXT if SCENES in registry.names else ""))
    gr.HTML(measured(registry.own_models), elem_id="measured", elem_classes="prose tables")
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
        galleries = gr.HTML(galleries_html(registry), elem_id="galleries")
    tab.select(lambda: galleries_html(registry), None, galleries, **UNQUEUED)


def galleries_html(registry: ModelRegistry) -> str:
    """How large each gallery is, and where what the model gives for its photographs lies."""
    rows = "".join(f"<li>{escape(gallery_line(registry, name))}</li>" for name in registry.names)
    return f"<h2>Galleries</h2><ul>{rows}</ul>"


def gallery_line(registry: ModelRegistry, name: str) -> str:
    """A gallery's size and store."""
    if registry.is_waited_for(name):
        return f"{name}: opened when it is first chosen"
    indexed = registry.find(name)[1]
    count = f"{name}: {len(indexed):,} {indexed.gallery.noun}"
    if isinstance(indexed, StoredGallery):
        table = f"the table {indexed.table.name} in the cache folder, {megabytes(indexed.nbytes)}"
        return f"{count}, {indexed.indexed:,} of them indexed, in {table}; captions are ranked in two stages"
    return f"{count}, in memory, {megabytes(in_memory(indexed).nbytes)}"


def megabytes(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"


def card(name: str) -> str:
    """A shipped model's card without its front matter."""
    file = shipped_models()[name] / "README.md"
    return file.read_text(encoding="utf-8").split("---\n", 2)[-1] if file.is_file() else "There is no card yet."


def own_card(registry: ModelRegistry, name: str) -> str:
    """The card of a model of one's own: what its config says, and its README.md where somebody wrote one."""
    folder, model = registry.own_models[name], registry.of(name).model
    rows, columns = model.grid
    config, net = model.config, model.cross_net
    where = "from the model hub" if folder is None else f"from the folder `{printable(folder)}`"
    variant = "paper" if net.use_paper_version else "released"
    figures = "Its measured numbers stand in the tables above." if name in measured_models(registry) else NOT_MEASURED
    return (
        f"**{name}**, {where}: {config.vision.encoder} and {config.text.encoder}, {rows} by {columns} patches of "
        f"{config.embed_size} channels, the {variant} variant with {net.num_tokens} aggregated tokens. {figures}\n\n"
        f"{written(folder)}"
    )


def written(folder: Path | None) -> str:
    """A folder's README.md without its front matter; nothing where none was written, or the hub's form not filled."""
    file = None if folder is None else folder / "README.md"
    text = "" if file is None or not file.is_file() else file.read_text(encoding="utf-8", errors="replace")
    return "" if NOT_FILLED in text else text.split("---\n", 2)[-1]


def measured_models(registry: ModelRegistry) -> set[str]:
    """The models that the tables have a line of."""
    models = registry.own_models
    return {row["model"] for row in (*our_results(models), *our_grounding(models), *our_contrast(models))}


def measured(models: OwnModels | None = None) -> str:
    """The models' results as HTML: of the shipped ones, and of models of one's own."""
    return (
        "<h2>What the models reach</h2><p>Recall at K in per cent.</p>"
        + results(our_results(models))
        + "<p>Do the pictures point at what phrases name? Shares from 0 to 1, with 95% intervals where they were "
        "measured; beside our word maps, maps that know less.</p>"
        + grounding_table(our_grounding(models))
        + "<p>Do they follow the caption? Two phrases of one caption that name things apart, each a caption by itself: "
        "what each map keeps of its own region and of the other one, as many patches as the decision mask; contrast is "
        "the difference, 0 where the caption moves nothing.</p>" + grounding_table(our_contrast(models))
    )


def credit_lines(registry: ModelRegistry) -> list[str]:
    """A line of HTML for each photograph of the galleries that are open, whose credit or licence is known."""
    scenes = ["<li>scenes: drawn by this project's own code, under its licence (MIT)</li>"]
    return [
        f"<li>{escape(item.title)}: {escape(credit_of(item))}</li>"
        for indexed in registry.photos.galleries.values()
        for item in indexed.gallery.items
        if credit_of(item)
    ] + scenes * (SCENES in registry.names)
