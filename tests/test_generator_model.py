import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from demo.galleries.sources.scenes import scenes_gallery
from demo.opening.write import draw_precomputed
from demo.service.generating.precomputed import read_precomputed, weights_digest
from demo.service.generating.service import GeneratingService
from seps.generator import ImageTextGenerator, load_generator
from seps.generator.config import GeneratorConfig
from seps.generator.evaluation.evaluate import evaluate
from seps.generator.generator import shipped_generators
from seps.generator.model.captioner import Decoding
from seps.generator.training.settings import read_recipe
from seps.scenes import write_split
from seps.scenes.captions.reading import count_whole_words, read_caption

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "models" / "generator"
RAN_OUT = (11, 38, 110)  # scenes with a greedy caption that ran out of words within a phrase


@pytest.fixture(scope="module")
def generator() -> ImageTextGenerator:
    return load_generator("scenes", "cpu")


@pytest.mark.parametrize("name", ["scenes", "photos"])
def test_a_generator_is_what_its_recipe_makes(name: str) -> None:
    folder = shipped_generators()[name]
    recipe = read_recipe(folder / "recipe.json")
    assert recipe == read_recipe(name)
    assert recipe[0] == GeneratorConfig.from_json(folder / "generator.json")


def test_captions_end_with_a_whole_phrase(generator: ImageTextGenerator) -> None:
    pictures = [scenes_gallery().items[number].photo() for number in RAN_OUT]
    for how in (Decoding(), Decoding("greedy"), Decoding("sample", temperature=1.5, seed=2)):
        for written in generator.write(pictures, how):
            assert len({caption.text for caption in written}) == len(written)
            assert [each.score for each in written] == sorted((caption.score for caption in written), reverse=True)
            for caption in written:
                reading = read_caption(caption.text)
                assert count_whole_words(reading) == len(reading.words), caption.text
                assert len(caption.words) == len(caption.attention)


@pytest.mark.slow
def test_evaluation_of_the_first_scenes_reproduces_what_was_measured(
    generator: ImageTextGenerator, tmp_path: Path
) -> None:
    """The captions of the first test scenes that the card measures, and drawings of the first of their captions."""
    expected: dict[str, Any] = json.loads((FOLDER / "results-test-100.json").read_text())
    measured = expected["pictures"]
    write_split(tmp_path, "test", expected["scenes"], seed=20)
    how = {name: measured[name] for name in ("steps", "guidance")}
    result = evaluate(generator, tmp_path, pictures=measured["count"], **how)
    for name in ("true_statements", "wholly_true", "objects", "r1", "r1_grammar"):
        least = 1.0 if name.startswith("r1") else 0.01  # a caption in a hundred
        assert result["captions"][name]["mean"] == pytest.approx(expected["captions"][name]["mean"], abs=least), name
    pictures = result["pictures"]
    for name, least in (("r1", 3.0), ("r1_true_scenes", 1.0), ("objects", 0.03), ("colours", 0.03)):
        assert pictures[name]["mean"] == pytest.approx(measured[name]["mean"], abs=least), name
    assert pictures["objects"]["mean"] > 2 * pictures["shuffled"]["objects"]["mean"]


def test_the_view_opens_with_a_drawing_of_these_weights(generator: ImageTextGenerator) -> None:
    kept = read_precomputed(weights_digest())
    assert kept is not None, "the precomputed drawing belongs to other weights: run python -m demo.opening"
    made = draw_precomputed(GeneratingService(lambda: generator))
    assert kept.asked == made.asked and len(kept.steps) == len(made.steps)
    for step, other in zip(kept.steps, made.steps, strict=True):
        assert (step.step, step.steps) == (other.step, other.steps)
        values, expected = (np.asarray(step.pictures[0], dtype=float) for step in (other, step))
        assert np.abs(values - expected).mean() < 1.0, step.step  # of 255; other machines round otherwise
    assert kept.steps[-1].attention is not None and made.steps[-1].attention is not None
    np.testing.assert_allclose(kept.steps[-1].attention, made.steps[-1].attention, atol=2e-3)
