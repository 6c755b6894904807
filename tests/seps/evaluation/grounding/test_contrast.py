from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from seps import explain
from seps.data import PhraseBoxes, SentencePhrases, Split
from seps.data.objects import SceneObjects
from seps.evaluation.grounding import Contrast, contrast
from seps.evaluation.grounding.baselines import Gradients
from seps.evaluation.grounding.contrast import NoPairsError, highest, image_pairs, measure_pair
from seps.evaluation.grounding.report import CONTRAST
from seps.models.model import SEPSModel
from seps.scenes import encode_mask

Box = tuple[float, float, float, float]
LEFT, RIGHT, MIDDLE = (0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0), (0.25, 0.0, 0.75, 1.0)
OVERLAPS = np.array([[1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])  # of two phrases, on four patches


def sentence(text: str, *phrases: tuple[str, int, Box], kind: str = "animals") -> SentencePhrases:
    return SentencePhrases(text, tuple(PhraseBoxes(phrase, word, kind, (box,)) for phrase, word, box in phrases))


def texts(*sentences: SentencePhrases, scene: SceneObjects | None = None) -> list[tuple[str, str]]:
    return [pair.phrases for pair in image_pairs(sentences, (2, 2), scene)]


def test_a_pair_are_two_phrases_of_one_caption_that_name_two_things_apart() -> None:
    apart = sentence("a dog snow a run", ("a dog", 0, LEFT), ("snow", 2, RIGHT), ("a run", 3, MIDDLE))
    assert texts(apart) == [("a dog", "snow")]  # boxes that touch share no area; the middle one shares some with both
    (pair,) = image_pairs([apart], (2, 2))
    assert pair.overlaps.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert texts(sentence("a dog", ("a dog", 0, LEFT)), sentence("snow", ("snow", 0, RIGHT))) == []
    first = sentence("a dog snow", ("a dog", 0, LEFT), ("snow", 2, RIGHT))
    again = sentence("Snow a dog", ("Snow", 0, LEFT), ("a dog", 1, RIGHT))
    assert texts(first, again) == [("a dog", "snow")]  # once an image
    assert texts(sentence("a dog A dog", ("a dog", 0, LEFT), ("A dog", 2, RIGHT))) == []
    assert texts(sentence("a dog snow", ("a dog", 0, LEFT), ("snow", 2, RIGHT), kind="vehicles/scene")) == []


def test_a_pair_is_the_mean_of_its_directions() -> None:
    values = np.array([[4.0, 3.0, 2.0, 1.0], [0.0, 2.0, 6.0, 2.0]])
    kept = highest(values, 2)
    assert kept.tolist() == [[True, True, False, False], [False, True, True, False]]  # of equal ones the first
    result = dict(zip(CONTRAST, measure_pair(values, kept, OVERLAPS, True), strict=True))
    assert result == pytest.approx(
        {
            "own": (1.0 + 0.5) / 2,
            "other": (0.0 + 1 / 3) / 2,
            "contrast": 0.75 - 1 / 6,
            "iou": 1 / 3,
            "above": 1.0,
            "auc": (1.0 + 5.5 / 6) / 2,
            "inside_own": (5.5 / 10 + 8 / 10) / 2,
            "inside_other": (3 / 10 + 1 / 10) / 2,
        }
    )
    blind = dict(zip(CONTRAST, measure_pair(values[[0, 0]], kept[[0, 0]], OVERLAPS, False), strict=True))
    assert (blind["contrast"], blind["iou"], blind["above"], blind["auc"]) == (0.0, 1.0, 0.5, 0.5)
    assert np.isnan(blind["inside_own"]) and np.isnan(blind["inside_other"])


SENTENCES = [sentence("a dogs snow", ("a dogs", 0, LEFT), ("snow", 2, RIGHT))]


def measured(model: SEPSModel, images: torch.Tensor) -> Contrast:
    names = tuple(str(i) for i in range(len(images)))
    split = Split("dev", Path(), names, tuple(Path(f"{name}.png") for name in names), names, 1, None)
    with pytest.MonkeyPatch.context() as patch:
        module = import_module("seps.evaluation.grounding.contrast")  # as an attribute it is the function
        patch.setattr(module, "encoded_images", lambda *_: enumerate(images))
        return contrast(model, split, [SENTENCES] * len(images), name="mine")


def embeddings(model: SEPSModel, count: int = 3) -> torch.Tensor:
    return torch.randn(count, 101, model.config.embed_size, generator=torch.Generator().manual_seed(0))


def alone(model: SEPSModel, text: str) -> torch.Tensor:
    words, lengths = model.encode_captions([text])
    return words[0, : lengths[0]]


def figures(result: Contrast, method: str) -> dict[str, float]:
    return {name: estimate.mean for name, estimate in result.maps[method].items() if estimate is not None}


def test_each_phrase_is_explained_alone(model: SEPSModel) -> None:
    image = embeddings(model, 1)
    result = measured(model, image)
    assert (result.images, result.pairs, result.phrases, result.kept, result.patches) == (1, 1, 2, 50, 100)
    records = [explain(model.cross_net, image[0], alone(model, text)) for text in ("a dogs", "snow")]
    (pair,) = image_pairs(SENTENCES, model.grid)

    def expected(values: list[NDArray[np.float64]], kept: list[NDArray[np.bool_]], weights: bool) -> dict[str, float]:
        numbers = measure_pair(np.stack(values), np.stack(kept), pair.overlaps, weights)
        return {name: value for name, value in zip(CONTRAST, numbers, strict=True) if not np.isnan(value)}

    kept = [record.sparse.kept for record in records]
    scores = [record.sparse.score.astype(np.float64) for record in records]
    assert figures(result, "score") == pytest.approx(expected(scores, kept, False))
    maps = [record.sparse_alignment.word_maps[1:-1].astype(np.float64).mean(axis=0) for record in records]
    of_maps = [highest(m[None], 50, s[None])[0] for m, s in zip(maps, scores, strict=True)]
    assert figures(result, "word_map") == pytest.approx(expected(maps, of_maps, True))
    gradients, words = Gradients(model.cross_net, image[0]), [alone(model, text) for text in ("a dogs", "snow")]
    slopes = [gradients.maps(each, [slice(1, len(each) - 1)])[0][0] for each in words]
    of_slopes = [highest(slope[None], 50)[0] for slope in slopes]
    assert figures(result, "gradient") == pytest.approx(expected(slopes, of_slopes, True))


def test_what_knows_no_caption_has_no_contrast(model: SEPSModel) -> None:
    result = measured(model, embeddings(model))
    for method in ("s_im", "centre"):
        blind = figures(result, method)
        assert (blind["contrast"], blind["iou"], blind["above"], blind["auc"]) == (0.0, 1.0, 0.5, 0.5)
    assert figures(result, "s_st")["iou"] < 1 and result.caption_share is not None and result.caption_share.mean > 0


def test_a_split_without_pairs_is_told(model: SEPSModel) -> None:
    split = Split("dev", Path(), ("0",), (Path("0.png"),), ("a",), 1, None)
    with pytest.raises(NoPairsError, match="split dev has 0 pairs of phrases that name things apart"):
        contrast(model, split, [[sentence("a dog", ("a dog", 0, LEFT))]])
    with pytest.raises(ValueError, match="entities has 2 images, but split dev has 1"):
        contrast(model, split, [SENTENCES, SENTENCES])


def test_masks_are_apart_by_their_pixels() -> None:
    masks = np.zeros((3, 4, 4), dtype=bool)
    masks[0, :2, :2], masks[1, 2, 1], masks[2, 1:3, 1] = True, True, True
    scene = SceneObjects(
        tuple(encode_mask(mask) for mask in masks),
        {("a dog snow run", 0, "a dog"): (0,), ("a dog snow run", 2, "snow"): (1,), ("a dog snow run", 3, "run"): (2,)},
    )
    of_image = sentence("a dog snow run", ("a dog", 0, LEFT), ("snow", 2, LEFT), ("run", 3, RIGHT))
    assert texts(of_image, scene=scene) == [("a dog", "snow")]
