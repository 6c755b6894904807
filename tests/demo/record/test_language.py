"""The page in Chinese: nothing that it shows is missing there, and every sentence has the same numbers.

What is missing is named with its file: put it there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from demo.record import table
from demo.record.language import CHINESE, MESSAGES, PHRASES, phrase, sentences, speaking
from demo.record.table import CHINESE_LESSON, CHINESE_TABLE, LESSON, TABLE, listed, say
from demo.record.unmatched import quoted
from demo.service.captions import read_caption
from demo.service.retrieval import RetrievalService

ROOT = Path(__file__).parents[3]
FILES = {"table": (TABLE, CHINESE_TABLE), "lesson": (LESSON, CHINESE_LESSON)}
ENGLISH_ALONE = {"symbols"}  # sections
COMPONENTS = {
    "Tab",
    "Button",
    "Accordion",
    "Textbox",
    "Radio",
    "Slider",
    "Number",
    "File",
    "Image",
    "HTML",
    "caption_box",
}
SHOWN = {"label", "placeholder", "info"}  # arguments of components
# Examples of captions stay English, as captions are; names are names; and the template for a user's model.
AS_IT_IS = {"a cat asleep on a sofa", "a red car in the snow", "SEPS Explorer", "A model of your own: {}", "R@1", "R@5"}
CHINESE_LETTER = re.compile("[一-鿿]")
AS_IT_IS |= {"R@10", "rSum", "AUC", "", *TABLE["symbols"]}


def templates(file: str) -> list[str]:
    """The English templates of a table, as "section.name"."""
    english, _ = FILES[file]
    return [f"{section}.{name}" for section, rows in english.items() if section not in ENGLISH_ALONE for name in rows]


def places(template: str) -> list[tuple[str, str]]:
    """A template's values with how they are written; a noun that counts in English is none in Chinese."""
    fields = [(name, spec or "") for _, name, spec, _ in Formatter().parse(template) if name]
    return sorted((name, "" if spec[:1].isalpha() else spec) for name, spec in fields)


def digits(template: str) -> list[str]:
    """The numbers in a template's text."""
    return sorted(re.findall(r"\d+(?:\.\d+)?", " ".join(text for text, *_ in Formatter().parse(template))))


@pytest.mark.parametrize("file", FILES)
def test_every_template_is_there_in_chinese_and_no_other(file: str) -> None:
    _, chinese = FILES[file]
    there = {f"{section}.{name}" for section, rows in chinese.items() for name in rows}
    missing = [key for key in templates(file) if key not in there]
    assert missing == [], f"missing in demo/record/{file}.zh.json: {', '.join(missing)}"
    assert sorted(there - set(templates(file))) == [], f"demo/record/{file}.zh.json has what {file}.json has not"


@pytest.mark.parametrize("file", FILES)
def test_both_languages_have_the_same_numbers(file: str) -> None:
    english, chinese = FILES[file]
    for key in templates(file):
        section, _, name = key.partition(".")
        first, other = english[section][name], chinese[section].get(name, "")
        assert places(first) == places(other), f"{file}.zh.json, {key}: other values"
        assert digits(first) == digits(other), f"{file}.zh.json, {key}: other numbers"


def test_a_sentence_is_in_the_language_that_is_spoken_here_alone() -> None:
    with speaking(CHINESE), ThreadPoolExecutor(1) as other:
        assert say("mask.count", kept=98, total=196) == "196 个图像块中保留 98 个"
        assert say("title.tokens", count=39) == "全部 39 个聚合词元"
        assert phrase("at the top") == "顶部"
        assert other.submit(say, "mask.count", kept=98, total=196).result() == "98 of 196 patches kept"
    assert (say("mask.kept"), phrase("at the top")) == ("kept", "at the top")
    with speaking("klingon"):
        assert say("mask.kept") == "kept"


def test_lists_are_joined_as_the_language_joins_them() -> None:
    assert (quoted(["red", "cat", "sofa"]), listed(["R@1", "R@5"], "clause")) == ("“red”, “cat” or “sofa”", "R@1, R@5")
    with speaking(CHINESE):
        assert quoted(["red", "cat", "sofa"]) == "“red”、“cat”或“sofa”"
        assert listed(["R@1", "R@5"], "clause").split("R@1")[1] == "\uff0cR@5"
        message = "There is no gallery 'moon'; there are: photos, scenes, paper, typed ones alone."
        assert sentences(message).endswith("photos、scenes、paper、仅输入的描述。")


def test_what_lacks_in_chinese_is_said_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.TRANSLATED, CHINESE, {})
    with speaking(CHINESE):
        assert say("mask.kept") == "kept"
        assert phrase("nothing translates this") == "nothing translates this"


def test_a_caption_that_cannot_be_read_is_told_in_chinese(service: RetrievalService) -> None:
    with speaking(CHINESE):
        for text, start in (("", "描述为空"), ("ᚠᚢᚦ", "模型不认识“ᚠᚢᚦ”"), ("word " * 999, "描述有 4,994 个字符")):
            with pytest.raises(ValueError) as error:
                read_caption(service.model, text)
            assert sentences(str(error.value)).startswith(start)
        note = read_caption(service.model, "un chien brun court dans la neige").note
        assert CHINESE_LETTER.search(sentences(note)) and not re.search("[a-z]{2} [a-z]{4}", sentences(note))
        assert sentences("<p>Saved as a photo.png.</p>") == "<p>已保存为 a photo.png。</p>"
        assert sentences("Nothing translates this.") == "Nothing translates this."


@pytest.mark.parametrize(("file", "texts"), [("phrases", PHRASES), ("messages", MESSAGES)])
def test_phrases_have_the_same_values_and_numbers(file: str, texts: dict[str, str]) -> None:
    for english, chinese in texts.items():
        assert places(english) == places(chinese), f"{file}.zh.json, {english}: other values"
        assert digits(english) == digits(chinese), f"{file}.zh.json, {english}: other numbers"


class Noticing(dict[str, str]):
    """Phrases that record missing keys."""

    def __init__(self) -> None:
        super().__init__(PHRASES)
        self.missing: set[str] = set()

    def get(self, text: str, default: Any = None) -> Any:
        """The phrase in Chinese."""
        if text not in self and text not in AS_IT_IS and re.search("[a-z]", text):
            self.missing.add(text)
        return super().get(text, default)


def literals(call: ast.Call, constants: dict[str, str]) -> Iterator[str]:
    """The texts that a component is made with: "{}" marks inserted values."""
    given = [*call.args[:1], *(argument.value for argument in call.keywords if argument.arg in SHOWN)]
    for node in given:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(part_of(part, constants) for part in node.values)
        elif isinstance(node, ast.Name) and node.id in constants:
            yield constants[node.id]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
            key = node.args[0]
            assert isinstance(key, ast.Constant) and isinstance(key.value, str)
            section, _, name = key.value.partition(".")
            yield TABLE[section][name]


def part_of(part: ast.AST, constants: dict[str, str]) -> str:
    """A part of an f-string: its text, or what a place holds where that is a constant."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    name = part.value.id if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) else ""
    return constants.get(name, "{}")


def labels() -> dict[str, str]:
    """The texts of Gradio's components by themselves, with their files."""
    texts: dict[str, str] = {}
    for file in [*(ROOT / "demo" / "screens").rglob("*.py"), ROOT / "demo" / "site.py"]:
        if file.name in ("api.py", "api_page.py"):
            continue  # endpoints speak English
        tree = ast.parse(file.read_text(encoding="utf-8"))
        module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        constants = {name: str(value) for name, value in vars(module).items() if isinstance(value, str | int)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in COMPONENTS:
                    texts |= {text: str(file.relative_to(ROOT)) for text in literals(node, constants)}
    return texts


class Texts(HTMLParser):
    """The texts of a page: between its tags, and in the attributes that people read or hear."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read a tag's attributes."""
        given = dict(attrs)
        if tag not in ("meta", "link", "input", "br"):
            self._open.append(given.get("class") or tag)
        self.texts |= {given[name] or "" for name in ("placeholder", "aria-label", "title") if name in given}

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Read a text."""
        if not {"script", "style", "title", "in-english", "in-chinese"} & set(self._open):
            self.texts.add(data.strip())


def translated(text: str) -> bool:
    """Whether there are phrases for a text, whatever is filled in."""
    pattern = re.compile(".+".join(re.escape(part) for part in text.split("{}")))
    return not re.search("[a-z]", text) or any(pattern.fullmatch(known) for known in PHRASES)
