"""The view: the arithmetic of SEPS on random embeddings, every number from one `seps.explain` record."""

from __future__ import annotations

import threading
from base64 import b64encode
from html import escape
from typing import Any

import gradio as gr
import torch

from demo.paint import figures
from demo.paint.figures import Picture
from seps import CrossSparseAggrNet, Explanation, explain

VARIANTS = ("paper", "released")
SIDES, WORDS, SEEDS = (4, 16), (1, 12), (0, 2**31 - 1)
EMBED_SIZE, DENSE_WORDS = 64, 24
NOTICE = (
    "<strong>Random numbers, nothing trained.</strong> The parameters and the embeddings on this page are random, "
    "drawn from the seed. The pictures show the arithmetic only: there is no image and no caption behind them. "
    "Photographs and trained models are not part of this page yet."
)
# The browser answers the last input itself: whether the page is dark. Other callers keep the value that they send.
ASK_DARK = "(...values) => [...values.slice(0, -1), document.body.classList.contains('dark')]"

_draw = threading.Lock()  # torch's generator is one for the whole process


def _number(name: str, value: Any) -> float:
    """`value` itself; raise ValueError where it is no number, as in an emptied box."""
    if not isinstance(value, (int, float)):
        raise ValueError(f"{name} is {value!r}, but a number is needed.")
    return value


def _whole(name: str, value: float, limits: tuple[int, int]) -> int:
    """`value` as a whole number; raise ValueError where it is none or lies outside the limits."""
    low, high = limits
    if not (low <= _number(name, value) <= high and value == int(value)):
        raise ValueError(f"{name} is {value}, but it must be a whole number from {low} to {high}.")
    return int(value)


def random_record(
    variant: str,
    side: float,
    sparse_ratio: float,
    aggr_ratio: float,
    words: float,
    dense: bool,
    cls: bool,
    seed: float,
) -> Explanation:
    """The record of a random network on random embeddings; the same inputs give the same record.

    Raises:
        ValueError: an input out of range.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant is {variant!r}, but it must be one of {', '.join(VARIANTS)}.")
    side, words = _whole("side", side, SIDES), _whole("words", words, WORDS)
    sparse_ratio, aggr_ratio = _number("sparse_ratio", sparse_ratio), _number("aggr_ratio", aggr_ratio)
    seed = _whole("seed", seed, SEEDS)
    with _draw, torch.random.fork_rng(devices=[]):  # torch's own generator stays where it was
        torch.random.default_generator.manual_seed(seed)
        caption = torch.randn(WORDS[1], EMBED_SIZE)[:words]  # (L_s, C)
        dense_caption = torch.randn(DENSE_WORDS, EMBED_SIZE)  # (L_d, C)
        image = torch.randn(1 + side * side, EMBED_SIZE)  # (N+1, C), [CLS] first
        model = CrossSparseAggrNet(EMBED_SIZE, side * side, sparse_ratio, aggr_ratio, variant == "paper")
    labels = [f"word {i + 1}" for i in range(DENSE_WORDS)]
    return explain(
        model,
        image if cls else image[1:],
        caption,
        dense_caption if dense else None,
        words=labels[:words],
        long_words=labels if dense else None,
    )


def numbers(record: Explanation) -> dict[str, Any]:
    """The record's figures that the page writes out, for callers that want numbers rather than pictures."""
    branches = [branch for branch in (record.sparse, record.dense) if branch is not None]
    weights = record.sparse.aggregation_weights
    return {
        "variant": record.variant,
        "similarity": record.similarity,
        "terms": record.terms,
        "patches": record.sparse.kept.size,
        "kept": {branch.name: int(branch.kept.sum()) for branch in branches},
        "aggregated_tokens": 0 if weights is None else len(weights),
    }


def show(
    variant: str = "paper",
    side: float = 14,
    sparse_ratio: float = 0.5,
    aggr_ratio: float = 0.4,
    words: float = 6,
    dense: bool = True,
    cls: bool = True,
    seed: float = 0,
    token: float = 1,
    dark: bool = False,
) -> tuple[dict[str, Any], str, str, str, str, Any]:
    """Run a random SEPS network on random embeddings and show every step; nothing is trained.

    Args:
        variant: "paper" for the paper's equations, "released" for the authors' released code.
        side: patches along one side of the square grid, 4 to 16.
        sparse_ratio: share of patches kept, in (0, 1].
        aggr_ratio: aggregated tokens as a share of kept patches, in (0, 1].
        words: words in the caption, 1 to 12.
        dense: whether there is a dense caption (of 24 words) as well.
        cls: whether the image has a [CLS] token.
        seed: of parameters and embeddings, 0 to 2147483647.
        token: the aggregated token whose weights are drawn, from 1; the last one where there are fewer.
        dark: draw the pictures for a dark page.

    Returns:
        The numbers (similarity, its terms, counts), then the page's summary, patch pictures, patch-word matrix
        and terms as HTML with the pictures inside, then the token slider as it now stands.
    """
    try:
        record = random_record(variant, side, sparse_ratio, aggr_ratio, words, dense, cls, seed)
        wanted = _whole("token", token, (1, SIDES[1] ** 2))
    except ValueError as error:
        raise gr.Error(str(error), title="Out of range", print_exception=False) from error
    found = numbers(record)
    last = max(found["aggregated_tokens"], 1)
    drawn = min(wanted, last)
    palette = figures.DARK if dark else figures.LIGHT
    branches = [branch for branch in (record.sparse, record.dense) if branch is not None]
    alignments = [record.sparse_alignment, record.dense_alignment]
    matrices = [figures.matrix_picture(alignment, palette) for alignment in alignments if alignment is not None]
    patches = "".join(
        f"<h3>{branch.name.capitalize()} branch</h3>"
        f"<div class='cards'>{_cards(figures.branch_pictures(record, branch, drawn, palette))}</div>"
        for branch in branches
    )
    return (
        found,
        _summary(found),
        f"<p class='key'>A cross marks a dropped patch. Each colour bar has its own range.</p>{patches}",
        _cards(matrices),
        _cards([figures.terms_picture(record, palette)]) + _table(record),
        gr.Slider(value=drawn, maximum=max(last, 2), interactive=last > 1),
    )


def _summary(found: dict[str, Any]) -> str:
    """The similarity and the counts, in words."""
    kept = ", ".join(
        f"{count} of {found['patches']} patches kept" + (f" ({name} branch)" if len(found["kept"]) > 1 else "")
        for name, count in found["kept"].items()
    )
    words = f"{kept}, {figures.counted(found['aggregated_tokens'], 'aggregated token')}"
    return (
        f"<p class='similarity'>Similarity <b id='similarity'>{found['similarity']:.4f}</b></p>"
        f"<p class='counts'>{words}. Of random numbers: it measures nothing.</p>"
    )


def _cards(pictures: list[Picture]) -> str:
    """Pictures as HTML figures, each with its title and sentence under it."""
    cards = []
    for picture in pictures:
        pixels = figures.rgb(picture.figure)
        source = "data:image/png;base64," + b64encode(figures.png(pixels)).decode()
        title, sentence = escape(picture.title), escape(picture.sentence)
        height, width = pixels.shape[:2]
        image = f'<img src="{source}" alt="{title}. {sentence}" width="{width}" height="{height}">'
        cards.append(f"<figure>{image}<figcaption><b>{title}</b> {sentence}</figcaption></figure>")
    return "".join(cards)


def _table(record: Explanation) -> str:
    """The terms and the similarity, as a table."""
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{value:+.6f}</td></tr>" for name, value in record.terms.items())
    total = f"<tr><th>similarity</th><th>{record.similarity:.6f}</th></tr>"
    return f"<table class='terms'><tbody>{rows}</tbody><tfoot>{total}</tfoot></table>"


def build(page: gr.Blocks) -> None:
    """Lay the view out inside `page` and fill it when the page loads."""
    gr.HTML(f"<h1>The arithmetic of SEPS on random embeddings</h1><p class='notice'>{NOTICE}</p>")
    with gr.Row(elem_classes="bench"):
        with gr.Column(scale=1, min_width=270, elem_classes="controls"):
            variant = gr.Radio(VARIANTS, value="paper", label="Variant")
            seed = gr.Number(0, minimum=SEEDS[0], maximum=SEEDS[1], precision=0, label="Seed", elem_id="seed")
            side = gr.Slider(*SIDES, value=14, step=1, buttons=[], label="Grid side, in patches")
            sparse_ratio = gr.Slider(0.1, 1.0, value=0.5, step=0.05, buttons=[], label="Keep ratio")
            aggr_ratio = gr.Slider(0.1, 1.0, value=0.4, step=0.05, buttons=[], label="Aggregation ratio")
            words = gr.Slider(*WORDS, value=6, step=1, buttons=[], label="Words in the caption")
            token = gr.Slider(1, 39, value=1, step=1, buttons=[], label="Aggregated token")
            dense = gr.Checkbox(True, label=f"Dense caption ({DENSE_WORDS} words)")
            cls = gr.Checkbox(True, label="[CLS] token")
            dark = gr.Checkbox(False, label="Pictures for a dark page", visible=False)
        with gr.Column(scale=4, min_width=320, elem_classes="results"):
            summary = gr.HTML(elem_id="summary")
            patches = gr.HTML(elem_id="patches")
            with gr.Row(elem_classes="pair"):
                matrix = gr.HTML(elem_id="matrix", min_width=320)
                terms = gr.HTML(elem_id="terms", min_width=320)
            with gr.Accordion("The numbers as JSON", open=False):
                values = gr.JSON(show_label=False, elem_id="numbers")
    controls: list[Any] = [variant, side, sparse_ratio, aggr_ratio, words, dense, cls, seed, token]
    gr.on(
        [page.load, *(control.input for control in controls)],
        show,
        [*controls, dark],
        [values, summary, patches, matrix, terms, token],
        api_name="explain_random",
        js=ASK_DARK,
        preprocess=False,  # `show` checks the raw values, so that a caller reads the library's own message
        trigger_mode="always_last",
        show_progress="minimal",
        show_progress_on=summary,
    )
