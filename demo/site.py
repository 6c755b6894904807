"""The page: its theme and style, and the one view on it."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.themes import Base, sizes
from gradio.themes.utils import fonts

from demo.paint.figures import DARK, LIGHT, Palette
from demo.views import arithmetic

TITLE = "SEPS Explorer"
WEIGHTS = (400, 700)  # the font files of these weights hold the whole alphabet


def _variables(palette: Palette) -> str:
    """A palette as CSS variables."""
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in vars(palette).items())


STYLE = """
/* `clip` rather than Gradio's `hidden`, under which the controls could not stay in view */
.gradio-container.gradio-container { overflow: clip !important; }
.gradio-container .main.app { max-width: 1480px; margin: 0 auto; padding: 18px clamp(14px, 2.4vw, 32px) 8px; }
.contain h1 { font-size: 29px; font-weight: 700; line-height: 1.15; letter-spacing: -0.015em;
    margin: 0 0 10px; color: var(--ink); text-wrap: balance; }
.contain h3 { font-size: 19px; font-weight: 700; margin: 16px 0 8px; color: var(--ink); }
.notice { border-left: 3px solid var(--accent); background: var(--accent-soft); color: var(--ink);
    padding: 9px 14px; margin: 0; font-size: 16px; line-height: 1.4; border-radius: 0 4px 4px 0; }
.bench { gap: 30px !important; align-items: flex-start; }
.controls { --neutral-200: var(--line); }
.controls .form { background: transparent; border: none; gap: 0; }
.controls input:checked { background-color: var(--accent) !important; border-color: var(--accent) !important; }
/* the blocks' padding is meant for the controls */
.results .html-container { padding: 0 !important; }
.results { gap: 14px !important; }
.similarity { font-size: 18px; color: var(--quiet); margin: 0; line-height: 1.1; }
.similarity b { font-size: 38px; font-weight: 700; color: var(--accent); margin-left: 6px;
    letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.counts, .key { color: var(--quiet); font-size: 16px; line-height: 1.4; margin: 2px 0 0 !important; }
.cards { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); }
.pair { gap: 12px !important; align-items: flex-start; }
.results figure { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 10px;
    margin: 0; }
.pair figure { margin-bottom: 12px; }
.results figure img { display: block; width: 100%; height: auto; }
.results figcaption { font-size: 15px; line-height: 1.35; color: var(--quiet); margin-top: 6px; }
.results figcaption b { display: block; color: var(--ink); font-weight: 700; }
table.terms { width: 100%; border-collapse: collapse; font-size: 16px; color: var(--ink); margin: 0; }
table.terms, table.terms tr { border: none !important; }
table.terms td, table.terms th { padding: 5px 2px !important; text-align: left; font-weight: 400;
    border: none !important; border-bottom: 1px solid var(--line) !important; }
table.terms td + td, table.terms th + th { text-align: right; font-family: var(--font-mono); font-size: 14px; }
table.terms tfoot th { font-weight: 700; border-bottom: none !important;
    border-top: 2px solid var(--accent) !important; }
@media (min-width: 701px) { .controls { position: sticky; top: 14px; } }
@media (max-width: 700px) {
    h1 { font-size: 24px; }
    .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
    .results figure { padding: 6px; }
    .pair { flex-direction: column !important; align-items: stretch; gap: 4px !important; }
}
"""


def _theme() -> Base:
    """Gradio's plain theme in the page's colours and type; every font ships with Gradio."""
    colours: dict[str, str] = {}
    for suffix, palette in (("", LIGHT), ("_dark", DARK)):
        for names, colour in (
            (("body_background_fill", "background_fill_secondary", "input_background_fill_hover"), palette.ground),
            (("background_fill_primary", "input_background_fill", "checkbox_background_color"), palette.paper),
            (("body_text_color", "block_title_text_color", "checkbox_label_text_color"), palette.ink),
            (("body_text_color_subdued", "block_info_text_color", "block_label_text_color"), palette.quiet),
            (("border_color_primary", "input_border_color", "checkbox_border_color"), palette.line),
            (("slider_color", "loader_color", "link_text_color", "border_color_accent"), palette.accent),
            (("checkbox_background_color_selected", "checkbox_border_color_selected"), palette.accent),
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
        block_padding="7px 0",
        form_gap_width="0px",
    )


def build() -> gr.Blocks:
    """The page, ready to launch with `launch_options`."""
    with gr.Blocks(title=TITLE, fill_width=True) as page:
        arithmetic.build(page)
    return page


def launch_options() -> dict[str, Any]:
    """What `launch` needs besides an address: since Gradio 6 the look is given there."""
    return {
        "theme": _theme(),
        "css": f":root {{ {_variables(LIGHT)} }} .dark {{ {_variables(DARK)} }}" + STYLE,
        "footer_links": ["api", "settings"],
        "run_history": False,
    }
