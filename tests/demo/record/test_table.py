import json
import re
from string import Formatter
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.mathtext import MathTextParser

from demo.record.layers.layer_table import LAYERS
from demo.record.layers.page_table import table_tag
from demo.record.texts.table import NAMES, SYMBOLS, TABLE, TEMPLATES, WORDS, mathtext, ordinal, rich, say, symbols
from demo.server.files.static import SCRIPTS
from demo.static.lesson import SECTIONS

KEYS = [f"{section}.{name}" for section, rows in TEMPLATES.items() if section != "symbols" for name in rows]


def numbers(key: str) -> dict[str, Any]:
    """A value for each place of a template, as its format wants it."""
    section, _, name = key.partition(".")
    formats = {field: spec for _, field, spec, _ in Formatter().parse(TEMPLATES[section][name]) if field}
    return {field: 2 if not spec or spec[0].isalpha() or spec == "," else 0.6 for field, spec in formats.items()}


def test_every_template_is_filled_and_needs_all_its_values() -> None:
    for key in KEYS:
        values = numbers(key)
        assert not re.search(r"[{}]", say(key, **values)), key
        for name in values:
            with pytest.raises(KeyError, match=name):
                say(key, **{other: value for other, value in values.items() if other != name})


def test_formats_count_place_and_round() -> None:
    assert say("title.tokens", count=1) == "All 1 aggregated token"
    assert say("title.tokens", count=39) == "All 39 aggregated tokens"
    assert say("lesson.order", count=196) == "196 patches, from the highest score to the lowest"
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]
    )
    sentence = say("sentence.part", low=0.12345, high=1, weight=0.25)
    assert sentence == "From 0.123 to 1.000; enters the total score times 0.25."
    assert say("edit.stays", rank=3, change=0.5, moved="all").count("+0.5000") == 1


def test_what_scripts_say_stands_in_the_table() -> None:
    matches = []
    for file in SCRIPTS.rglob("*.js"):
        text = file.read_text(encoding="utf-8")
        matches += re.findall(r"""\bsay(?:Nodes)?\([^"`)]*["`]([a-z_]+\.[\w${}]+)["`]""", text)
        matches += re.findall(r"""\? "([a-z]+\.[a-z_]+)" : "([a-z]+\.[a-z_]+)\"""", text)
    keys = {key for match in matches for key in ([match] if isinstance(match, str) else match)}
    page = {*TABLE, *SECTIONS, *WORDS}  # the page without a server fills in the lesson too
    assert len(keys) > 50
    for key in keys:
        pattern = re.sub(r"\\\$\\\{\w+\\\}", r"\\w+", re.escape(key))
        assert any(re.fullmatch(pattern, known) for known in KEYS if known.split(".")[0] in page), key


def test_every_symbol_is_mathematics_for_pages_and_files() -> None:
    for name in SYMBOLS:
        assert ElementTree.fromstring(symbols()[name]).tag.endswith("math"), name
        assert MathTextParser("path").parse(mathtext(name)).width > 0, name
        assert NAMES.fullmatch(name) is not None
        assert rich(f"({name})") == f"({symbols()[name]})"


def test_symbols_are_whole_words_and_the_rest_is_text() -> None:
    assert mathtext("s_st, s_std and xs_st") == "$s^{st}$, s_std and xs_st"
    assert mathtext("$5 for s_p") == r"\$5 for $s^{p}$"
    assert rich("<b> & s_") == "&lt;b&gt; &amp; s_"


def test_the_page_carries_the_table() -> None:
    data = json.loads(table_tag().partition(">")[2].removesuffix("</script>"))
    assert data == TABLE | {"symbols": symbols(), "layers": [row.for_page() for row in LAYERS]}
