"""The page: its theme, its style and scripts, and the views on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr
from gradio.themes import Base, sizes
from gradio.themes.utils import fonts

from demo.drawing.palette import DARK, LIGHT
from demo.galleries.photos import MAX_BYTES
from demo.galleries.scenes import SCENES
from demo.screens import api, downloads, intro, session, typed
from demo.screens.about import view as about
from demo.screens.captions import export as captions_export
from demo.screens.captions import view as captions
from demo.screens.compare import export as compare_export
from demo.screens.compare import view as compare
from demo.screens.edit import view as edit
from demo.screens.generate import view as generate
from demo.screens.judge import view as judge
from demo.screens.lesson import view as lesson
from demo.screens.losses import view as losses
from demo.screens.paper import view as paper
from demo.screens.parts import ViewState
from demo.screens.photos import export as photos_export
from demo.screens.photos import view as photos
from demo.screens.why import view as why
from demo.server.folder import TemporaryFolder
from demo.server.guard import GuardedBlocks
from demo.server.routes import Tools, server_options
from demo.server.static import script_tags, styles
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData

TITLE = "SEPS Explorer"
WEIGHTS = (400, 700)  # the font files of these weights hold the whole alphabet


def theme() -> Base:
    """Gradio's plain theme in the page's colours and type; every font ships with Gradio."""
    colours: dict[str, str] = {}
    for suffix, palette in (("", LIGHT), ("_dark", DARK)):
        for names, colour in (
            (("body_background_fill", "background_fill_secondary", "input_background_fill_hover"), palette.ground),
            (("background_fill_primary", "input_background_fill", "checkbox_background_color"), palette.paper),
            (("body_text_color", "block_title_text_color", "checkbox_label_text_color"), palette.ink),
            (("body_text_color_subdued", "block_info_text_color", "block_label_text_color"), palette.quiet),
            (("input_placeholder_color",), palette.quiet),
            (("border_color_primary", "input_border_color", "checkbox_border_color"), palette.line),
            (("slider_color", "loader_color", "link_text_color", "border_color_accent"), palette.accent),
            (("checkbox_background_color_selected", "checkbox_border_color_selected"), palette.accent),
            (("button_primary_background_fill", "button_primary_background_fill_hover"), palette.accent),
            (("button_primary_text_color",), palette.paper),
            (("checkbox_label_background_fill", "block_background_fill"), "transparent"),
            (("checkbox_label_background_fill_selected", "color_accent_soft"), palette.accent_soft),
            (("checkbox_label_text_color_selected",), palette.ink),
        ):
            colours |= {name + suffix: colour for name in names}
    return Base(
        font=[fonts.LocalFont("SourceSansPro", WEIGHTS), "system-ui", "sans-serif"],
        font_mono=[fonts.LocalFont("IBM Plex Mono", WEIGHTS), "ui-monospace", "monospace"],
        text_size=sizes.text_md,
        radius_size=sizes.radius_sm,
        spacing_size=sizes.spacing_sm,
    ).set(
        **colours,
        color_accent=LIGHT.accent,
        block_border_width="0px",
        block_shadow="none",
        block_padding="6px 0",
        form_gap_width="0px",
    )


def build(registry: ModelRegistry) -> gr.Blocks:
    """Build the page, ready to launch with `launch_options`; its uploads lie in the `TemporaryFolder` made last."""
    with GuardedBlocks(title=TITLE, fill_width=True) as page:
        with gr.Row(elem_id="head"):
            gr.HTML(
                f"<h1>{TITLE}</h1><p class='claim'>Which patches of a photo does a caption keep?</p>", elem_id="top"
            )
            intro.build(registry)
        session_data = gr.State(SessionData())
        with gr.Tabs(elem_id="views", overflow_behavior="wrap") as tabs:  # in one row that scrolls, see site.css
            with gr.Tab("Photos", id="search", render_children=True) as search_tab:
                finding = photos.build(registry)
            with gr.Tab("Captions", id="captions", render_children=True) as captions_tab:
                asking = captions.build(registry)
            with gr.Tab("Compare", id="compare", render_children=True) as compare_tab:
                comparing = compare.build(registry)
            with gr.Tab("Why", id="why", render_children=True) as why_tab:
                asking_why = why.build(registry)
            editing = None
            if SCENES in registry.names:
                with gr.Tab("Edit", id="edit", render_children=True) as edit_tab:
                    editing = edit.build()
            judging = None
            if registry.judging is not None:
                with gr.Tab("Judge", id="judge", render_children=True) as judge_tab:
                    judging = judge.build(registry)
            generating = None
            if registry.generating is not None:
                with gr.Tab("Generate", id="generate", render_children=True) as generate_tab:
                    generating = generate.build()
            with gr.Tab("Lesson", id="lesson", render_children=True) as lesson_tab, gr.Tabs() as lesson_tabs:
                with gr.Tab("The walk", id="walk", render_children=True):
                    walking = lesson.build(registry)
                with gr.Tab("Losses", id="losses", render_children=True) as losses_tab:
                    playing = losses.build()
                with gr.Tab("Paper and code", id="paper", render_children=True) as paper_tab:
                    known = paper.build(registry.photos)
            with gr.Tab("About", id="about") as about_tab:
                about.build(registry, about_tab)
        saved, answered = downloads.build(), typed.build()
        states = (gr.State(finding.start), gr.State(ViewState()), gr.State(ViewState()))
        photos.connect(registry, finding, session_data, search_tab, states[0], answered)
        captions.connect(registry, asking, session_data, captions_tab, states[1], answered)
        compare.connect(registry, comparing, session_data, compare_tab, states[2], answered)
        downloads.connect_picture(registry, finding.viewer, finding.status, saved, states[0], session_data)
        downloads.connect_picture(registry, asking.viewer, asking.status, saved, states[1], asking.chooser.selected)
        compare_export.connect_comparison(
            registry, comparing.pictures, comparing.status, saved, states[2], comparing.chooser.selected
        )
        photos_export.connect_ranking(registry, finding, saved, states[0], session_data)
        shown = (session_data, states[0])
        compare.connect_source(registry, comparing, finding.ranking.compare, finding.status, shown, states[2], tabs)
        captions_export.connect_ranking(registry, asking, saved)
        why.connect(registry, asking_why, session_data, saved, answered)
        selected, compared = asking.chooser.selected, comparing.chooser.selected
        why.connect_sources(
            registry,
            asking_why,
            why.Source(finding.ranking.why, finding.status, (session_data, states[0])),
            why.Source(asking.ranking.why, asking.status, (selected, asking.pool, asking.typed, states[1])),
            why.Source(comparing.pictures.why, comparing.status, (compared, states[2])),
            tabs,
        )
        lesson.connect(registry, walking, session_data, lesson_tab, saved, answered)
        losses.connect(registry.photos, playing)
        paper.connect(registry.photos, known, paper_tab)
        views = {
            "search": finding.linked(search_tab, states[0]),
            "captions": asking.linked(captions_tab, states[1]),
            "compare": comparing.linked(compare_tab, states[2]),
            "why": asking_why.linked(registry, why_tab, session_data),
            "lesson": walking.linked(lesson_tab),
            "losses": playing.linked(losses_tab),
        }
        if editing is not None:
            edit.connect(registry, editing, session_data, saved, answered)
            views["edit"] = editing.linked(registry, edit_tab, session_data, states[0])
        if judging is not None:
            judge.connect(registry, judging, session_data, judge_tab, saved, answered)
            views["judge"] = judging.linked(registry, judge_tab)
        if generating is not None:
            generate.connect(registry, generating, saved)
            views["generate"] = generating.linked(registry, generate_tab)
        session.connect(registry, page, (tabs, lesson_tabs), views, finding.caption, session_data)
        api.build(registry)
    return page


def launch_options(folder: TemporaryFolder, tools: Tools | None = None, sites: Sequence[str] = ()) -> dict[str, Any]:
    """Return what `launch` needs besides an address: since Gradio 6 the look is given there.

    Args:
        folder: of the uploads; tools: for assistants; sites: whose pages may show the app in a frame; as
            `server_options` takes them.
    """
    return {
        "theme": theme(),
        "css": styles(),
        "head": script_tags("app.js"),
        "footer_links": ["api", "settings"],
        "run_history": False,
        "enable_monitoring": False,
        "max_file_size": MAX_BYTES,
        "app_kwargs": server_options(folder, MAX_BYTES, tools, sites),
    }
