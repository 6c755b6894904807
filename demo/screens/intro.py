"""The three ideas, patch, token and score, told with the worked example's own numbers: below the title and in About."""

from __future__ import annotations

from html import escape
from typing import Any

import gradio as gr

from demo.galleries.index import IndexedGallery
from demo.record.language import html_in_languages, in_languages, language, of_language
from demo.record.photo import photo_value
from demo.record.table import say
from demo.screens.examples import examples_of
from demo.screens.parts import scripted
from demo.service.masks import mask_text
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService

IDEAS = ("patch", "token", "score")


def build(registry: ModelRegistry) -> gr.HTML:
    """Build the line below the title, which opens the ideas; on a first visit they open by themselves."""
    return scripted("intro", "seps-intro", "intro", (), value=intro_value(registry))


def intro_value(registry: ModelRegistry) -> dict[str, Any]:
    """Return the ideas and their picture: what the first caption keeps of the photograph that it ranks first."""
    return gallery_intro(*registry.find(registry.first))


def gallery_intro(service: RetrievalService, indexed: IndexedGallery) -> dict[str, Any]:
    """Return the same of a gallery with its service."""
    caption = examples_of(indexed)[0]
    ranking = service.rank_images(indexed, caption)
    index = ranking.order[0]
    record = service.explain_encoded(indexed, index, ranking.encoded)
    photo = photo_value(indexed, index)
    kept, (rows, columns) = record.sparse.kept, record.grid
    numbers = {
        "rows": rows,
        "columns": columns,
        "total": kept.size,
        "kept": int(kept.sum()),
        "tokens": service.model.cross_net.num_tokens,
        "caption": caption,
        "photo": indexed.gallery.items[index].title,
        "score": ranking.scores[0],
        "photos": len(indexed),
    }
    picture = {
        "src": indexed.thumbnail(index),
        "aspect": photo["width"] / photo["height"],
        "grid": [rows, columns],
        "kept": mask_text(kept),
    }
    return in_languages(lambda: ideas_value(picture, numbers))


def ideas_value(picture: dict[str, Any], numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the ideas and what their picture shows, with their numbers."""
    return {
        "ideas": [[say(f"intro.{name}"), say(f"intro.{name}_says", **numbers)] for name in IDEAS],
        "picture": picture | {"says": say("intro.picture", **numbers)},
    }


def ideas_html(value: dict[str, Any]) -> str:
    """Return the ideas as a list of terms for About, in each language."""

    def listed() -> str:
        ideas = of_language(value, language())["ideas"]
        rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(says)}</dd>" for name, says in ideas)
        return f"<h2>{escape(say('intro.title'))}</h2><dl class='ideas'>{rows}</dl>"

    return html_in_languages(listed)
