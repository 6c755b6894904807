"""The page in Chinese: nothing that it shows is missing there, and every sentence has the same numbers.

What is missing is named with its file: put it there.
"""

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import pytest

from demo.record.texts import language, table
from demo.record.texts.language import CHINESE, MESSAGES, PHRASES, in_languages, phrase, sentences, speaking
from demo.record.texts.table import CHINESE_LESSON, CHINESE_TABLE, LESSON, TABLE, listed, say
from demo.server.gate import FAULT, FULL, MAX_BYTES, large
from demo.server.guard import GONE
from demo.service.captions import read_caption
from demo.service.generating.rank import read_drawn_caption
from demo.service.measuring.measured import whereabouts
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.losses.page import guide_page
from demo.views.paper.values import page as paper_page

Table = Mapping[str, Mapping[str, str]]


def flat(table: Table) -> dict[str, str]:
    """The texts of a table by "section.name"; symbols are the same in both languages."""
    return {f"{section}.{name}": row[name] for section, row in table.items() if section != "symbols" for name in row}


TEXTS = {
    "table": (flat(TABLE), flat(CHINESE_TABLE)),
    "lesson": (flat(LESSON), flat(CHINESE_LESSON)),
    "phrases": ({text: text for text in PHRASES}, PHRASES),
    "messages": ({text: text for text in MESSAGES}, MESSAGES),
}
# Examples of captions stay English, as captions are; names are names; and the template for a user's model.
AS_IT_IS = {"a cat asleep on a sofa", "a red car in the snow", "SEPS Explorer", "A model of your own: {}", "R@1", "R@5"}
CHINESE_LETTER = re.compile("[一-鿿]")
AS_IT_IS |= {"R@10", "rSum", "AUC", "", *TABLE["symbols"]}


def places(template: str) -> list[tuple[str, str]]:
    """A template's values with how they are written; a noun that counts in English is none in Chinese."""
    fields = [(name, spec or "") for _, name, spec, _ in Formatter().parse(template) if name]
    return sorted((name, "" if spec[:1].isalpha() else spec) for name, spec in fields)


def digits(template: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:\.\d+)?", " ".join(text for text, *_ in Formatter().parse(template))))


@pytest.mark.parametrize("file", TEXTS)
def test_both_languages_have_the_same_texts_with_the_same_values_and_numbers(file: str) -> None:
    english, chinese = TEXTS[file]
    assert sorted(english.keys() ^ chinese.keys()) == [], f"only one of {file}.json and {file}.zh.json has these"
    for key, text in english.items():
        assert places(text) == places(chinese[key]), f"{file}.zh.json, {key}: other values"
        assert digits(text) == digits(chinese[key]), f"{file}.zh.json, {key}: other numbers"


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
    assert (listed(["red", "cat"]), listed(["R@1", "R@5"], "clause")) == ("red, cat", "R@1, R@5")
    with speaking(CHINESE):
        assert listed(["red", "cat"]) == "red、cat"
        assert listed(["R@1", "R@5"], "clause").split("R@1")[1] == "\uff0cR@5"
        message = "There is no gallery 'moon'; there are: photos, scenes, paper, typed ones alone."
        assert sentences(message).endswith("photos、scenes、paper、仅输入的描述。")


def test_what_lacks_in_chinese_is_said_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.TRANSLATED, CHINESE, {})
    with speaking(CHINESE):
        assert say("mask.kept") == "kept"
        assert phrase("nothing translates this") == "nothing translates this"


def test_a_value_from_the_start_has_what_differs() -> None:
    value = in_languages(lambda: {"says": say("mask.kept"), "count": 3})
    assert value == {"says": "kept", "count": 3, "languages": {CHINESE: {"says": "保留"}}}


class Noticing(dict[str, str]):
    """Phrases that record missing keys."""

    def __init__(self) -> None:
        super().__init__(PHRASES)
        self.missing: set[str] = set()

    def get(self, text: str, default: Any = None) -> Any:
        if text not in self and text not in AS_IT_IS and re.search("[a-z]", text):
            self.missing.add(text)
        return super().get(text, default)


def test_places_and_tables_are_there_in_chinese(monkeypatch: pytest.MonkeyPatch, service: RetrievalService) -> None:
    phrases = Noticing()
    monkeypatch.setattr(language, "PHRASES", phrases)
    spots = [np.eye(1, 9, at).reshape(3, 3) for at in range(9)]
    lines = [np.repeat(np.eye(3)[[at]], 3, axis=0) for at in range(3)]
    with speaking(CHINESE):
        names = {phrase(whereabouts(amounts) or "") for amounts in (*spots, *lines, *(line.T for line in lines))}
        for step in LESSON["step"]:
            phrase(step.capitalize().replace("_", " "))  # in the row of the lesson's steps
        pages = [guide_page(), paper_page(service)]
    assert len(names) == 15
    assert sorted(phrases.missing) == [], "missing in demo/record/texts/phrases.zh.json"
    for page in pages:
        heads = re.findall(r"<h[23]>(.*?)</h[23]>", page)
        assert heads == [head for head in heads if CHINESE_LETTER.search(head)]


ENGLISH = r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}"  # three words in a row
ROOT = Path(__file__).parents[3]


def texts_of_code() -> str:
    """Return the Python code of the library and of the app, each text in one piece, however many lines it takes."""
    files = [file for folder in ("seps", "demo") for file in (ROOT / folder).rglob("*.py")]
    return re.sub(r'"\s*\n\s*f?"', "", "\n".join(file.read_text(encoding="utf-8") for file in files))


def phrases(form: str) -> list[str]:
    """Return the runs of three or more words between the values of a form; of a short form all between its values."""
    text = re.sub(r"\{\w*\}", "\n", form)
    return re.findall(r"[A-Za-z]+(?: [A-Za-z]+){2,}", text) or text.split("\n")


def test_each_form_of_a_message_is_that_of_the_code() -> None:
    code = texts_of_code()
    unused = [form for form in MESSAGES if any(phrase not in code for phrase in phrases(form))]
    assert unused == [], "no message has this form: demo/record/texts/messages.zh.json"


def test_what_visitors_meet_is_told_in_chinese(service: RetrievalService, registry: ModelRegistry) -> None:
    texts = ("a dog " * 60, "a dog 🐶 sits by a cat in the snow", "ein Hund rennt schnell", "une femme en robe rouge")
    lines = [FULL, FAULT, large(MAX_BYTES), GONE, *(read_caption(service.model, text).note for text in texts)]
    lines.append(read_drawn_caption(registry.of("scenes").model, "a dog playing").note)
    for text in ("", "ᚠᚢᚦ", "word " * 999):
        with pytest.raises(ValueError) as error:
            read_caption(service.model, text)
        lines.append(str(error.value))
    with speaking(CHINESE):
        chinese = [sentences(line) for line in lines]
        assert sentences("Nothing translates this.") == "Nothing translates this."
    assert chinese[-1].startswith("描述有 4,994 个字符") and "模型不认识“ᚠᚢᚦ”" in chinese[-2]
    assert [line for line in chinese if re.search(ENGLISH, line)] == []
