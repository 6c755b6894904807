import pytest

from seps.encoders.tokenizer import Tokenizer
from seps.generator.config import GeneratorConfig
from seps.generator.model.encoders import text_config
from seps.generator.unknown_words import unknown_words


@pytest.fixture(scope="module")
def tokenizer(config: GeneratorConfig) -> Tokenizer:
    return Tokenizer.from_config(text_config(config.encoders, 24))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A Dog, playing!", ["playing"]),
        ("playing and playing", ["playing"]),
        ("a red dog next to a cat", []),
        ("\u732b and a dog", ["\u732b"]),
        ("", []),
    ],
)
def test_each_unknown_word_is_found_once(tokenizer: Tokenizer, text: str, words: list[str]) -> None:
    assert [word for word, _ in unknown_words(tokenizer, text)] == words


def test_the_nearest_words_are_known_and_of_a_similar_spelling(tokenizer: Tokenizer) -> None:
    (unknown,) = unknown_words(tokenizer, "a dog playing")
    assert unknown.nearest == ("lying", "flying", "leaping")
    assert unknown_words(tokenizer, " ".join(unknown.nearest)) == []
    assert unknown_words(tokenizer, "a zzzz")[0].nearest == ()
