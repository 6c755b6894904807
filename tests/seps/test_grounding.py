from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from PIL import Image

import seps.grounding
from seps.data import PhraseBoxes, SentencePhrases, Split
from seps.encoders import Tokenizer
from seps.encoders.tokenizer import word_tokens
from seps.grounding import Grounding, PhraseMaps, ground, main, measure, measure_map
from seps.model import SEPSModel
from tests.seps.data.drawn import draw, write_split
from tests.tiny import tiny_model, write_tiny_bert

LEFT, RIGHT = (0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0)
QUARTER = (0.0, 0.0, 0.5, 0.5)


def weights(*values: float) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def model(bert: Path) -> SEPSModel:
    return tiny_model(bert)


@pytest.fixture
def split(tmp_path: Path) -> Split:
    files = tuple(tmp_path / f"{i}.png" for i in range(2))
    for i, file in enumerate(files):
        draw(file, i)
    return Split("dev", tmp_path, ("0", "1"), files, ("a dog", "snow"), 1, None)


def sentence(text: str, *phrases: tuple[str, int, str, tuple[float, float, float, float]]) -> SentencePhrases:
    return SentencePhrases(text, tuple(PhraseBoxes(one, first, kind, (box,)) for one, first, kind, box in phrases))


def figures(result: Grounding, method: str) -> tuple[float, float]:
    pointing = result.methods[method]
    return pointing.weight_inside.mean, pointing.pointing_game.mean


def test_a_map_by_hand() -> None:
    overlap, hits = weights(1, 0.5, 0, 0), np.array([True, False, False, True])
    assert measure_map(weights(0.5, 0.25, 0.25, 0), overlap, hits) == (0.625, 1)
    assert measure_map(weights(1, 2, 1, 0), overlap, hits) == (0.5, 0)
    assert measure_map(weights(0, 0, 0, 3), overlap, hits) == (0, 1)


def test_ties_zero_maps_and_none_are_misses() -> None:
    overlap, hits = weights(1, 1, 0, 0), np.array([True, True, False, False])
    assert measure_map(weights(0.5, 0.5, 0, 0), overlap, hits) == (1, 0)
    assert measure_map(weights(0.5, 0.5 + 1e-9, 0, 0), overlap, hits) == (1, 0)  # as heavy but for rounding
    assert measure_map(weights(0.5, 0.5001, 0, 0), overlap, hits)[1] == 1
    assert measure_map(weights(0, 0, 0, 0), overlap, hits) == (0, 0)
    assert measure_map(None, overlap, hits) == (0, 0)


def test_baselines_by_hand() -> None:
    # 4 x 4 patches, and a box over the left three eighths: the second column is half inside, its centres on the edge.
    phrase = PhraseBoxes("a dog", 0, "animals", ((0.0, 0.0, 0.375, 1.0),))
    inside = np.zeros((4, 4))
    inside[2, 1] = 1
    values = measure(PhraseMaps(phrase, {"seps": inside.ravel(), "cosine": np.ones(16)}), (4, 4))
    seps, cosine, centre, random = values.tolist()
    assert seps == [0.5, 1]
    assert cosine == [0.375, 0]  # all patches tie
    assert centre == [0.25, 0.5]  # of the 4 central patches 2 lie half inside, with their centres
    assert random == [0.375, 0.5]
    three = measure(PhraseMaps(phrase, {}), (3, 3)).tolist()
    assert three[:2] == [[0, 0], [0, 0]]
    assert three[2] == pytest.approx([0.125, 0])
    assert three[3] == pytest.approx([0.375, 1 / 3])


def test_tokens_of_words(model: SEPSModel) -> None:
    text = "A dogs running,  snow"
    labels = model.words(text)
    tokens = word_tokens(model.tokenizer, text)
    assert labels[:7] == ["[CLS]", "a", "dog", "##s", "run", "##ning", "[UNK]"]
    assert tokens == [range(1, 2), range(2, 4), range(4, 7), range(7, 8)]
    assert word_tokens(model.tokenizer, "a") == [range(1, 2)]


def test_words_that_make_other_tokens_alone_are_not_guessed() -> None:
    joining = SimpleNamespace(words=lambda text: [[len(text)]])
    assert word_tokens(cast(Tokenizer, joining), "a dog") is None


def explained(monkeypatch: pytest.MonkeyPatch, maps: list[NDArray[np.float32]]) -> list[int]:
    """Let `explain` return these word maps in turn; the numbers of words that it was asked for."""
    asked: list[int] = []

    def explain(net: object, image: object, words: torch.Tensor, grid: tuple[int, int]) -> Any:
        asked.append(len(words))
        return SimpleNamespace(sparse_alignment=SimpleNamespace(word_maps=maps[len(asked) - 1]))

    monkeypatch.setattr(seps.grounding, "explain", explain)
    return asked


def one_hot(*patches: tuple[int, int]) -> NDArray[np.float32]:
    """Word maps (L, 100), each all on one patch (row, column) of the 10 x 10 grid; (-1, -1) is a zero map."""
    maps = np.zeros((len(patches), 10, 10), dtype=np.float32)
    for word, (row, column) in enumerate(patches):
        maps[word, row, column] = row >= 0
    return maps.reshape(len(patches), 100)


def test_phrases_of_drawn_maps(model: SEPSModel, split: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    # Tokens: [CLS] a dog ##s run ##ning snow [SEP]. "a" points left, "dogs" right, "running" both ways, snow nowhere.
    first = one_hot((0, 0), (2, 2), (5, 8), (5, 8), (3, 3), (3, 7), (-1, -1), (0, 0))
    second = one_hot((0, 0), (0, 9), (0, 0))
    asked = explained(monkeypatch, [first, second])
    entities = [
        [
            sentence("snow on a beach", ("a beach", 2, "scene", LEFT)),  # no phrase that counts: not explained
            sentence(
                "a dogs running snow",
                ("a", 0, "other", LEFT),  # all inside
                ("a dogs", 0, "animals", LEFT),  # a third inside; dogs's patch is the heaviest, outside
                ("dogs", 1, "animals", RIGHT),  # all inside
                ("running", 2, "other", RIGHT),  # half inside, a tie
                ("snow", 3, "other", LEFT),  # no map
                ("snow", 3, "vehicles/scene", LEFT),  # a scene too
            ),
        ],
        [sentence("snow", ("snow", 0, "other", QUARTER))],  # outside
    ]
    result = ground(model, split, entities, name="drawn")
    assert asked == [8, 3]
    assert (result.model, result.split, result.images, result.phrases) == ("drawn", "dev", 2, 6)
    assert (result.cut_off, result.without_map, result.skipped) == (0, 1, 0)
    assert figures(result, "seps") == pytest.approx(((1 + 1 / 3 + 1 + 0.5 + 0 + 0) / 6, 2 / 6))
    assert figures(result, "random") == pytest.approx(((5 * 0.5 + 0.25) / 6, (5 * 0.5 + 0.25) / 6))
    assert figures(result, "centre") == pytest.approx(((5 * 0.5 + 0.25) / 6, (5 * 0.5 + 0.25) / 6))
    low, high = result.methods["seps"].weight_inside.low, result.methods["seps"].weight_inside.high
    assert (low, high) == pytest.approx((0, 17 / 30))  # the second image alone, the first image alone


def test_phrases_cut_off_are_misses(model: SEPSModel, split: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    # At most 8 tokens: [CLS] a a a a dog ##s [SEP], where "dogs snow" is cut within, "running" altogether.
    maps = one_hot(*[(0, 0)] * 8)
    explained(monkeypatch, [maps])
    text = "a a a a dogs snow running"
    phrases = (("a a", 2, "other", LEFT), ("dogs", 4, "animals", LEFT))
    cut = (("dogs snow", 4, "animals", LEFT), ("running", 6, "other", LEFT))
    result = ground(model, split, [[sentence(text, *phrases, *cut)], []])
    assert (result.images, result.phrases, result.cut_off, result.without_map) == (1, 4, 2, 0)
    assert figures(result, "seps") == (0.5, 0.5)
    assert figures(result, "random") == pytest.approx((0.5, 0.5))  # that counts them all the same


def test_phrases_that_cannot_be_found_are_counted(
    model: SEPSModel, split: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = model.tokenizer.words
    monkeypatch.setattr(model.tokenizer, "words", lambda text: whole(text.replace("a dog", "snow")))
    lost = sentence("a dog", ("a", 0, "other", LEFT), ("dog", 1, "animals", LEFT))
    result = ground(model, split, [[lost, sentence("snow", ("snow", 0, "other", LEFT))], []])
    assert (result.phrases, result.skipped) == (1, 2)


def test_maps_are_those_of_the_explanation_and_of_plain_cosines(model: SEPSModel, split: Split) -> None:
    text = "a dog runs."
    result = ground(model.train(), split, [[sentence(text, ("dog runs.", 1, "animals", LEFT))], []])
    assert model.training
    model.eval()
    photo = Image.open(split.image_files[0])
    record = model.explain(photo, text)
    left = np.zeros((10, 10))
    left[:, :5] = 1
    phrase = record.sparse_alignment.word_maps[2:6].mean(axis=0).astype(float)  # dog run ##s .
    assert figures(result, "seps")[0] == pytest.approx((phrase * left.ravel()).sum() / phrase.sum())
    patches = F.normalize(model.encode_photos([photo])[0, 1:], dim=-1)  # without [CLS]
    words = F.normalize(model.encode_captions([text])[0][0, 2:6], dim=-1)
    cosine = (patches @ words.T).mean(dim=1)
    cosine -= cosine.min()
    share, hit = figures(result, "cosine")
    assert share == pytest.approx(float(cosine.view(10, 10)[:, :5].sum() / cosine.sum()), abs=1e-5)
    assert hit == float(int(cosine.argmax()) % 10 < 5)


def test_what_cannot_be_measured(model: SEPSModel, split: Split) -> None:
    with pytest.raises(ValueError, match="entities has 1 images, but split dev has 2"):
        ground(model, split, [[]])
    with pytest.raises(ValueError, match="split dev has 0 phrases with boxes that are no scenes, but at least 1"):
        ground(model, split, [[sentence("snow", ("snow", 0, "scene", LEFT))], []])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three drawn photographs with a phrase each."""
    (tmp_path / "data").mkdir()
    folder = write_split(tmp_path / "data")
    phrase = {"phrase": "dogs", "first_word": 1, "type": "animals", "boxes": [[0.1, 0.2, 0.6, 0.9]]}
    records = [
        {"image": f"{i}.png", "sentences": [{"sentence": "a dogs running", "phrases": [phrase]}]} for i in (10, 11, 12)
    ]
    (folder / "dev_entities.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def test_the_program(model: SEPSModel, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model.save_pretrained(tmp_path / "model")
    file = tmp_path / "results.json"
    file.write_text('{"captions_only": {"rsum": 300.0}}')
    arguments = ["--model", str(tmp_path / "model"), "--data", str(data), "--split", "dev", "--json", str(file)]
    main([*arguments, "--images", "2"])
    results = json.loads(file.read_text())
    assert results["captions_only"] == {"rsum": 300.0}
    result = results["grounding"]
    assert (result["split"], result["images"], result["phrases"]) == ("dev", 2, 2)
    assert list(result["methods"]) == ["seps", "cosine", "centre", "random"]
    for pointing in result["methods"].values():
        for figure in (pointing["weight_inside"], pointing["pointing_game"]):
            assert 0 <= figure["low"] <= figure["mean"] <= figure["high"] <= 1
    assert result["methods"]["random"]["weight_inside"]["mean"] == pytest.approx(0.35)
    printed = capsys.readouterr().out
    assert "2 phrases of 2 images, no scenes; 0 cut off, 0 without a map, 0 more skipped" in printed
    assert "0.350 [0.350, 0.350]" in printed

    (data / "dev_entities.jsonl").unlink()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"error: Entities of split dev of {data}: 1 problem. Missing (1): dev_entities.jsonl\n")


def test_kinds_are_counted_and_averaged_apart() -> None:
    measures = np.array([[0.2, 1.0], [0.4, 0.0], [0.9, 1.0]])
    told = seps.grounding.kind_means(measures, ["people", "people", "animals"])
    assert list(told) == ["people", "animals"]
    assert told["people"] == {"phrases": 2.0, "weight_inside": pytest.approx(0.3), "pointing_game": 0.5}
    assert told["animals"] == {"phrases": 1.0, "weight_inside": 0.9, "pointing_game": 1.0}
