from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from PIL import Image

import seps.evaluation.grounding.collect
import seps.evaluation.grounding.maps
from seps import explain
from seps.data import PhraseBoxes, SentencePhrases, Split
from seps.encoders.tokenizer import word_tokens
from seps.evaluation.grounding import Grounding, ground
from seps.evaluation.grounding.baselines import Gradients
from seps.evaluation.grounding.maps import METHODS, caption_maps
from seps.evaluation.grounding.measures import order_of
from seps.explanation.blanking import measure_blanked
from seps.explanation.effects import measure_effects
from seps.explanation.forward_pass import cosines
from seps.models.model import SEPSModel
from tests.helpers.data.drawn_data import draw

LEFT, RIGHT = (0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0)
QUARTER = (0.0, 0.0, 0.5, 0.5)


@pytest.fixture
def split(tmp_path: Path) -> Split:
    files = tuple(tmp_path / f"{i}.png" for i in range(2))
    for i, file in enumerate(files):
        draw(file, i)
    return Split("dev", tmp_path, ("0", "1"), files, ("a dog", "snow"), 1, None)


def sentence(text: str, *phrases: tuple[str, int, str, tuple[float, float, float, float]]) -> SentencePhrases:
    return SentencePhrases(text, tuple(PhraseBoxes(name, first, kind, (box,)) for name, first, kind, box in phrases))


def figures(result: Grounding, method: str) -> tuple[float, float]:
    energy, pointing = (result.methods[method][name] for name in ("energy_inside", "pointing_game"))
    assert energy is not None and pointing is not None
    return energy.mean, pointing.mean


def explained(monkeypatch: pytest.MonkeyPatch, maps: list[NDArray[np.float32]]) -> list[int]:
    """Let `explain` return these word maps in turn; the numbers of words that it was asked for."""
    asked: list[int] = []

    def explain(net: object, image: torch.Tensor, words: torch.Tensor, grid: tuple[int, int]) -> Any:
        asked.append(len(words))
        plain = cosines(words, image[-100:]).numpy()
        return SimpleNamespace(
            sparse_alignment=SimpleNamespace(word_maps=maps[len(asked) - 1], patch_cosines=plain),
            sparse=SimpleNamespace(kept=np.arange(100) % 10 < 4, score=np.zeros(100)),  # of ten columns the first four
        )

    monkeypatch.setattr(seps.evaluation.grounding.maps, "explain", explain)
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
    result = ground(model, split, entities, name="drawn", curve_captions=0)
    assert asked == [8, 3]
    assert (result.model, result.split, result.images, result.phrases) == ("drawn", "dev", 2, 6)
    assert (result.cut_off, result.without_map, result.skipped) == (0, 1, 0)
    assert figures(result, "seps") == pytest.approx(((1 + 1 / 3 + 1 + 0.5 + 0 + 0) / 6, 2 / 6))
    assert figures(result, "random") == pytest.approx(((5 * 0.5 + 0.25) / 6, (5 * 0.5 + 0.25) / 6))
    assert figures(result, "centre") == pytest.approx(((5 * 0.5 + 0.25) / 6, (5 * 0.5 + 0.25) / 6))  # by symmetry
    energy, mentioned, background, *without = (
        result.methods["seps"][name]
        for name in ("energy_inside", "kept_mentioned", "kept_background", "kept_unmentioned", "deletion", "insertion")
    )
    assert energy is not None and mentioned is not None and background is not None and without == [None] * 3
    assert (energy.low, energy.high) == pytest.approx((0, 17 / 30))  # only the second image, only the first image
    # The first caption mentions everything, 100 patches, of which 40 are kept; the second a quarter, 20 of 25 kept.
    assert (result.captions, result.regions, result.curves) == (2, "boxes", None)
    assert (mentioned.mean, background.mean) == pytest.approx((60 / 125, 20 / 75))


def test_maps_of_phrases_are_those_of_the_explanation_and_of_plain_cosines(model: SEPSModel, split: Split) -> None:
    text = "a dog runs."
    entities = [[sentence(text, ("dog runs.", 1, "animals", LEFT))], []]
    result = ground(model.train(), split, entities, curve_captions=1)
    assert model.training
    net = model.eval().cross_net
    image = model.encode_photos([Image.open(split.image_files[0])])[0]
    words = model.encode_captions([text])[0][0]
    record, blanked = explain(net, image, words), measure_blanked(net, image, words)
    cosine = (F.normalize(image[1:], dim=-1) @ F.normalize(words[2:6], dim=-1).T).mean(dim=1).numpy()  # without [CLS]
    expected = {  # of "dog run ##s ."
        "seps": record.sparse_alignment.word_maps[2:6].mean(axis=0),
        "effect": measure_effects(net, image, words).word_worth[2:6].mean(axis=0).clip(min=0),
        "blanked": blanked.word_effects[2:6].mean(axis=0).clip(min=0),
        "cosine": cosine - cosine.min(),
    }
    maps = caption_maps(Gradients(net, image), image, words, [slice(2, 6)], (10, 10), 0)
    for method, values in expected.items():
        assert maps.phrases[0][method] == pytest.approx(values, abs=1e-5)
        energy = values.reshape(10, 10)[:, :5].sum() / values.sum()
        assert figures(result, method) == pytest.approx((energy, float(int(values.argmax()) % 10 < 5)), abs=1e-5)
    assert maps.orders["blanked"].tolist() == order_of(blanked.effects.astype(float)).tolist()
    assert set(maps.orders) == set(METHODS) == set(result.methods)
    assert (result.methods["effect"]["deletion"] is None) == (result.methods["seps"]["deletion"] is None)


def test_curves_replace_patches_by_the_mean_of_all_images(model: SEPSModel, split: Split) -> None:
    entities = [[sentence(text, (text, 0, "animals", LEFT))] for text in ("a dog", "snow")]
    result = ground(model, split, entities, curve_captions=1)  # the first caption's
    image, other = model.encode_photos([Image.open(file) for file in split.image_files])  # (1 + 100, C)
    neutral = image.clone()
    neutral[1:] = torch.stack([image[1:], other[1:]]).mean(dim=(0, 1))
    words = model.encode_captions(["a dog"])[0][0]
    assert result.curves is not None and result.curves.captions == 1
    for method in result.methods:
        for curve in (result.curves.deletion[method], result.curves.insertion[method][::-1]):
            assert curve[0] == pytest.approx(explain(model.cross_net, image, words).similarity, abs=1e-5)
            assert curve[-1] == pytest.approx(explain(model.cross_net, neutral, words).similarity, abs=1e-5)


def test_tokens_of_words(model: SEPSModel) -> None:
    text = "A dogs running,  snow"
    labels = model.words(text)
    tokens = word_tokens(model.tokenizer, text)
    assert labels[:7] == ["[CLS]", "a", "dog", "##s", "run", "##ning", "[UNK]"]
    assert tokens == [range(1, 2), range(2, 4), range(4, 7), range(7, 8)]
    assert word_tokens(model.tokenizer, "a") == [range(1, 2)]


def test_phrases_that_cannot_be_found_are_counted(
    model: SEPSModel, split: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = model.tokenizer.words
    monkeypatch.setattr(model.tokenizer, "words", lambda text: whole(text.replace("a dog", "snow")))
    lost = sentence("a dog", ("a", 0, "other", LEFT), ("dog", 1, "animals", LEFT))
    result = ground(model, split, [[lost, sentence("snow", ("snow", 0, "other", LEFT))], []], curve_captions=0)
    assert (result.phrases, result.skipped) == (1, 2)


def test_what_cannot_be_measured(model: SEPSModel, split: Split) -> None:
    with pytest.raises(ValueError, match="entities has 1 images, but split dev has 2"):
        ground(model, split, [[]])
    with pytest.raises(ValueError, match="scenes has 0 images, but split dev has 2"):
        ground(model, split, [[], []], scenes=[])
    with pytest.raises(ValueError, match="-1 captions with curves were asked for"):
        ground(model, split, [[], []], curve_captions=-1)
    with pytest.raises(ValueError, match="split dev has 0 phrases with boxes that are no scenes"):
        ground(model, split, [[sentence("snow", ("snow", 0, "scene", LEFT))], []])
