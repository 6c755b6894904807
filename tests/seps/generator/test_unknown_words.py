"""Words of a caption that the scene generator does not know are named, with the nearest that it knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from seps.encoders.tokenizer import Tokenizer
from seps.generator.network import GeneratorNetwork
from seps.generator.program import main
from seps.generator.unknown_words import UnknownWord, describe_unknown_words, unknown_words


@pytest.fixture
def tokenizer(network: GeneratorNetwork) -> Tokenizer:
    return network.tokenizer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a beautiful sunset", ["beautiful"]),
        ("a dog playing", ["playing"]),
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


def test_a_note_names_words_and_their_nearest_and_counts_more() -> None:
    assert describe_unknown_words([]) == ""
    assert describe_unknown_words([UnknownWord("playing", ("lying", "flying")), UnknownWord("zzzz", ())]) == (
        "The generator does not know these words and draws without them ([UNK]): playing, zzzz. "
        "The nearest words that it knows: playing: lying, flying."
    )
    words = [UnknownWord(f"z{i}", ()) for i in range(7)]
    assert describe_unknown_words(words).endswith("z0, z1, z2, z3, z4 and 2 more.")


@pytest.mark.parametrize("mode", ["t2i", "both"])
def test_the_command_notes_them(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    asked = ["--mode", mode, "--model", str(checkpoint), "--steps", "2", "--output", str(tmp_path / "drawn.png")]
    assert main([*asked, "--text", "a dog playing"]) == 0
    assert "playing: lying, flying, leaping." in capsys.readouterr().err
    assert main([*asked, "--text", "a dog"]) == 0
    assert "does not know" not in capsys.readouterr().err
