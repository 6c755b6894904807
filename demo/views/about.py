"""About: what the page shows, the model's measured numbers, and whose the photographs are."""

from __future__ import annotations

from html import escape

import gradio as gr

from demo.views.parts import credit_of
from demo.workbench import Workbench
from seps.hub import shipped_models

READING = """
## Reading the pictures

A photograph is cut into patches, here {rows} by {columns} of them. For a caption each patch gets a **significance
score**, the sum of up to four parts: an MLP's (s_p), how well it fits the caption (s_st), a dense caption if there is
one (s_dt), and the photograph as a whole (s_im). The better half is **kept**: that is the **decision mask**. Kept
patches are merged into {tokens} **aggregated tokens** by learned weights; the dropped ones make one **extra token**.
Then every word meets every token. The best meetings, averaged both ways, and what a small MLP makes of the five best
are the similarity **S(I, T)**, by which everything is ranked.

The pictures are drawn from the numbers of one forward pass. A kept patch is not a cause: it says that this patch
entered the comparison, not that the model saw the thing named.

The method is SEPS, Semantic-Enhanced Patch Slimming: [arXiv 2511.01390](https://arxiv.org/abs/2511.01390).
"""


def build(bench: Workbench) -> None:
    """Lay the view out."""
    rows, columns = bench.model.grid
    reading = READING.format(rows=rows, columns=columns, tokens=bench.model.cross_net.num_tokens)
    card = (shipped_models()[bench.name] / "README.md").read_text(encoding="utf-8").split("---\n", 2)[-1]
    with gr.Column(elem_classes="prose"):
        gr.Markdown(reading)
        with gr.Accordion(f"The model's card: {bench.name}", open=False):
            gr.Markdown(card)
        with gr.Accordion("Whose the photographs are", open=False):
            gr.HTML("<ul>" + "".join(credit_lines(bench)) + "</ul>")


def credit_lines(bench: Workbench) -> list[str]:
    """A line of HTML for each photograph of the galleries that are open."""
    return [
        f"<li>{escape(item.title)}: {escape(credit_of(item))}</li>"
        for name in bench.names
        if name in bench.galleries
        for item in bench.galleries[name].gallery.items
    ]
