"""Paper, code, and what is known: differences on one example, published results, our own beside them, never mixed."""

from __future__ import annotations

from html import escape
from typing import Any

from demo.record.texts.language import phrase
from demo.record.texts.table import rich, say
from demo.service.results import dense_protocol, our_effects, our_results
from demo.service.retrieval import RetrievalService
from demo.views.paper.values import differences, names_elsewhere, published
from demo.views.tables import grounding_table, number, results, table

PROTOCOL = (
    "In the published protocol every test query carries a dense caption made from its own image, so a query knows more "
    "than its words. On the split with dense captions by a multimodal LLM, our model measures:"
)

NAMES = (
    "Names of the paper, of its released code and of guides to it, and what has their place in the library. Called by "
    "the former, it answers with the latter."
)
PUBLISHED = "Recall in per cent, as the sources give it; empty where they give none."
OURS = "Small models on frozen backbones, on other data: not to be compared with the table above."


def page(service: RetrievalService) -> str:
    """Return the whole page as HTML."""
    indexed = service.open("examples")
    index = indexed.gallery.position("cat")
    item = indexed.gallery.items[index]
    caption = item.captions[0]
    known = published()
    return "".join(
        [
            f"<h3>{phrase('The paper and its released code differ')}</h3>",
            f"<p>{escape(say('differs.note'))} {escape(say('differs.example', caption=caption))}</p>",
            *[difference(row) for row in differences(service, indexed, index, caption, item.dense)],
            f"<h3>{phrase('What it is called elsewhere')}</h3>",
            f"<p>{phrase(NAMES)}</p>",
            table(("there", "here", "what differs"), names_elsewhere()),
            f"<h3>{phrase('Published results')}</h3>",
            f"<p>{phrase(PUBLISHED)}</p>",
            table(
                ("method", "encoders", "test", "R@1", "R@5", "R@10", "R@1", "R@5", "R@10", "rSum"),
                [published_row(row) for row in known["rows"]],
                ("", "", "", "image to text", "text to image", ""),
            ),
            "<ul>" + "".join(f"<li>{source(row)}</li>" for row in known["sources"]) + "</ul>",
            *[f"<p>{escape(sentence)}</p>" for sentence in known["missing"]],
            f"<h3>{phrase('Our models, measured here')}</h3>",
            f"<p>{phrase(OURS)}</p>",
            results(our_results()),
            f"<h3>{phrase('Dense captions at test time')}</h3><p>{phrase(PROTOCOL)}</p>",
            results(dense_protocol()),
            f"<h3>{escape(say('maps.title'))}</h3>",
            *[f"<p>{escape(say(f'maps.{name}'))}</p>" for name in ("weights", "effects", "gradients", "measured")],
            grounding_table(our_effects()),
        ]
    )


def difference(row: dict[str, Any]) -> str:
    """Return one difference: what the paper says, what the code does, and both variants' numbers."""
    numbers = [(entry["name"], number(entry["paper"], 2), number(entry["released"], 2)) for entry in row["numbers"]]
    rows = [("", row["paper"], row["released"]), *numbers]
    note = f"<p>{rich(row['note'])}</p>" if row["note"] else ""
    return f"<h4>{rich(row['topic'])}</h4>{table(('', 'paper', 'released code'), rows)}{note}"


def published_row(row: dict[str, Any]) -> tuple[str, ...]:
    """Return one published result."""
    recalls = [
        number(value, 1) for value in (*(row["image_to_text"] or [None] * 3), *(row["text_to_image"] or [None] * 3))
    ]
    total = number(row["rsum"], 1) + (f" {phrase('(added up here)')}" if row["summed"] else "")
    return row["method"], row["encoders"], row["test"], *recalls, total


def source(row: dict[str, Any]) -> str:
    """Return a source with its address and what is to be known about it."""
    address = escape(row["source"])
    return f'<a href="{address}" rel="noreferrer">{escape(row["what"])}</a>. {escape(row["note"] or "")}'
