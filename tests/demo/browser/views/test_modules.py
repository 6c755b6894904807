"""The modules' own arithmetic, run in the browser."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Error, Page

from demo.drawing.layered import side_colours, strength
from demo.record.layers import layer_table
from demo.record.layers.layer_table import Row
from demo.record.layers.layers import Layer
from demo.record.layers.page_table import table_tag
from demo.record.packing import packed
from demo.record.texts.table import TABLE, ordinal, say
from demo.service.measuring.measured import PatchEffects, with_measures
from seps import MinimalSet
from tests.demo.browser.standalone import imported, open_html, random_record, viridis
from tests.demo.record.test_table import numbers
from tests.helpers.models.record_words import layers_of

pytestmark = pytest.mark.journey


def run(page: Page, module: str, names: str, expression: str, *arguments: Any) -> Any:
    """What an expression of a module's `names` and of `given`, the arguments, comes to."""
    script = f"async (given) => {{ const {{ {names} }} = {imported(module)}; return {expression}; }}"
    return page.evaluate(script, list(arguments))


def test_the_colour_map_is_viridis(page: Page) -> None:
    values = np.linspace(-0.5, 1.5, 301)
    colours = run(
        page, "base/colours.js", "shade", "given[0].map((value) => shade(value, given[1]))", values.tolist(), [-0.25, 1]
    )
    np.testing.assert_array_equal(colours, viridis(np.clip(values, -0.25, 1), -0.25, 1))
    assert run(page, "base/colours.js", "shade", "shade(7, [3, 3])") == list(viridis(np.array([0.0]), 0, 1)[0])


@pytest.mark.parametrize(("low", "high", "diverging"), [(-0.25, 1, False), (-1, 1, True), (0, 0, True)])
def test_values_lie_over_the_photo_as_in_files(page: Page, low: float, high: float, diverging: bool) -> None:
    values = np.linspace(-1.5, 1.5, 61)
    expression = "given[0].map((value) => strength(value, given[1], given[2]))"
    over = run(page, "base/colours.js", "strength", expression, values.tolist(), [low, high], diverging)
    np.testing.assert_allclose(over, strength(values, low, high, diverging))
    expression = "given[0].map((value) => channels(sideColour(value)))"
    sides = run(page, "base/colours.js", "sideColour, channels", expression, [-1, 0, 1])
    np.testing.assert_array_equal(sides, side_colours(np.array([-1.0, 0.0, 1.0])))


def test_layers_have_the_same_values_as_in_files(page: Page) -> None:
    record = random_record(dense=True, classes=True)
    count = record.sparse.kept.size
    rng = np.random.default_rng(3)
    kept, dropped = record.sparse.kept.copy(), np.zeros(count, dtype=bool)
    added = ~record.sparse.kept & (rng.random(count) < 0.5)
    dropped[record.sparse.kept.argmax()] = True
    change = MinimalSet("sparse", (kept & ~dropped) | added, dropped, added, 3, 0.5, 2, 1)
    words = rng.normal(size=(len(record.sparse_alignment.words), count))
    measured = with_measures(record, {"effect": PatchEffects(words.sum(0), words), "smallest_set": change})
    for last in (change, None):
        full = with_measures(measured, {"smallest_change": last})
        texts = [str(layer) for layer in layers_of(full)]
        assert {"mask:both", "token:2:dense", "effect:1", "smallest_change", "fit:0", "class"} <= {*texts}
        expression = """((record) => given[1].map((text) => {
            const layer = parseLayer(text);
            const { values } = layerValues(record, layer);
            const plain = values && Array.from(values, (row) => (row.length ? Array.from(row) : row));
            return [plain, isMask(layer) ? fates(record, layer) : null];
        }))(decode(given[0]))"""
        names = "decode, parseLayer, layerValues, isMask, fates"
        seen = run(page, "record/record.js", names, expression, packed(full), texts)
        for text, (values, decisions) in zip(texts, seen, strict=True):
            layer = Layer.parse(text).values(full)
            expected = layer.values if layer.values.size else None
            assert (values is None) == (expected is None), text
            if expected is not None:
                np.testing.assert_allclose(values, expected, atol=1e-6, err_msg=text)
            if decisions is not None:
                np.testing.assert_array_equal(decisions, layer.values * 3 / layer.high, err_msg=text)


def test_a_row_reaches_the_page(made_layer: Row, browser: Browser) -> None:
    record = random_record(dense=True)
    page = open_html(browser, f"<!doctype html>{table_tag()}<body></body>")
    script = f"""async (packed) => {{
        const {{ decode, hasLayer, layerNames, layerValues, parseLayer }} = {imported("record/record.js")};
        const [record, layer] = [decode(packed), parseLayer("place:dense")];
        const {{ label, range, values }} = layerValues(record, layer);
        return [hasLayer(record, layer), label, range, values, layerNames(() => true)];
    }}"""
    has, label, range_, values, names = page.evaluate(script, packed(record))
    assert has and record.dense is not None and values == record.dense.rank.tolist()
    assert label == "place" and range_ == [0, record.sparse.kept.size - 1]
    assert names == list(dict.fromkeys(row.name for row in layer_table.LAYERS))


def test_elements_leave_out_what_is_nothing_and_never_read_markup(page: Page) -> None:
    expression = (
        "h('p', { class: 'a', hidden: true, title: null, id: undefined, 'data-x': 0, lang: false, click: () => {} }, "
        "'<b>', null, undefined, h('i')).outerHTML"
    )
    assert run(page, "base/dom.js", "h", expression) == '<p class="a" hidden="" data-x="0">&lt;b&gt;<i></i></p>'
    drawn = run(page, "base/dom.js", "svg", "svg('rect', { x: 1, rx: null }).outerHTML")
    assert drawn == '<rect x="1"></rect>'


def test_templates_are_filled_as_python_fills_them(page: Page) -> None:
    keys = [f"{section}.{name}" for section, rows in TABLE.items() if section != "symbols" for name in rows]
    values = {key: numbers(key) for key in keys}
    expression = "Object.entries(given[0]).map(([key, values]) => say(key, values))"
    assert run(page, "base/words.js", "say", expression, values) == [say(key, **values[key]) for key in keys]
    ranks = run(
        page, "base/words.js", "fill", "given[0].map((rank) => fill('{rank:th}', { rank }))", list(range(1, 125))
    )
    assert ranks == [ordinal(rank) for rank in range(1, 125)]
    with pytest.raises(Error, match="needs kept"):
        run(page, "base/words.js", "say", "say('mask.count', { total: 3 })")


def test_symbols_are_drawn_from_the_table_and_text_stays_text(page: Page) -> None:
    expression = "h('p', {}, ...symbols(given[0])).innerHTML"
    names = f"symbols }} = {imported('base/words.js')}; const {{ h"  # of two modules
    drawn = run(page, "base/dom.js", names, expression, "<b> s_st and s_std")
    assert drawn.startswith(f'&lt;b&gt; <span class="seps-symbol" title="{TABLE["meaning"]["s_st"]}"><math')
    assert drawn.endswith("</math></span> and s_std")


FORMER = {  # links of former pages, and what the page's state has of them
    "?view=search&photo=coffee": {"view": "explore", "photo": "coffee"},
    "?view=captions": {"view": "explore", "mode": "captions"},
    "?view=compare&caption=a+cup%0Aa+table": {"view": "compare", "caption": "a cup", "captions": "a cup\na table"},
    "?view=why&against=cat": {"view": "compare", "part": "pair", "against": "cat"},
    "?view=lesson&step=4&keep_ratio=0.3": {"view": "learn", "part": "", "step": "4", "keep_ratio": "0.3"},
    "?view=losses&margin=0.4": {"view": "learn", "part": "losses", "margin": "0.4"},
    "?view=paper": {"view": "learn", "part": "paper"},
    "?view=edit": {"view": "lab", "part": "edit"},
    "?view=judge&caption=a+cup": {"view": "lab", "part": "judge", "caption": "a cup"},
    "?view=generate&caption=a+car&seed=7": {"part": "generate", "draw": "a car", "draw_seed": "7", "caption": ""},
    "?view=about": {"view": "explore", "panel": "about"},
}


def test_links_of_former_pages_lead_to_their_places(page: Page) -> None:
    expression = """given[0].map((query) => {
        history.replaceState(null, "", query);
        return makeState([]).get();
    })"""
    states = run(page, "shell/state.js", "makeState", expression, list(FORMER))
    assert [{name: state[name] for name in there} for state, there in zip(states, FORMER.values(), strict=True)] == [
        *FORMER.values()
    ]
