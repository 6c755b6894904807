import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch

from demo.galleries.sources.packaged import Example, load_examples
from seps.judge.data import read_ratings
from seps.judge.evaluate import evaluate
from seps.judge.judge import Judge, load_judge
from seps.judge.spoil import distort
from seps.judge.training.loop import predict
from tests.helpers.cards import SPOILT, falls

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "assets" / "models" / "judge"
DATA = ROOT.parent / "shared" / "data" / "agiqa3k"


@pytest.fixture(scope="module")
def judge() -> Judge:
    return load_judge("judge")


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    values: dict[str, Any] = json.loads((FOLDER / "results-dev.json").read_text())
    return values


def test_is_what_its_recipe_makes(judge: Judge) -> None:
    recipe = json.loads((FOLDER / "recipe.json").read_text())
    recipe.pop("training")
    assert recipe == json.loads((FOLDER / "judge.json").read_text())
    assert judge.config.residual and judge.config.encoder.name == "judge/encoders" and not judge.training


def test_quality_does_not_move_with_the_prompt(judge: Judge) -> None:
    example = load_examples()[1]
    first, second = (judge.score(example.photo(), prompt) for prompt in (example.captions[0], "a red car"))
    assert first.quality == second.quality
    assert first.consistency.final > second.consistency.final
    assert first.attributions is not None and first.grid == (14, 14)
    assert float(first.attributions.sum()) == pytest.approx(first.logit, abs=1e-4)


def qualities(judge: Judge, example: Example, kind: str, strengths: Iterable[float]) -> list[float]:
    spoilt = [distort(example.photo(), kind, strength) for strength in strengths]
    return [seen.quality.final for seen in judge.features(spoilt)]


def test_a_spoilt_photograph_scores_as_the_card_says(judge: Judge, results: dict[str, Any]) -> None:
    example = load_examples()[0]
    for kind in SPOILT:
        measured = results["spoilt"][kind][example.name]
        assert qualities(judge, example, kind, (0.2, 1.0)) == pytest.approx([measured[1], measured[5]], abs=2e-3)


@pytest.mark.slow
def test_captions_of_other_photographs_fit_worse_as_the_card_says(judge: Judge, results: dict[str, Any]) -> None:
    card = (FOLDER / "README.md").read_text()
    examples = load_examples()
    captions = [caption for example in examples for caption in example.captions]
    owners = [example.name for example in examples for _ in example.captions]
    is_own = torch.tensor([[name == example.name for name in owners] for example in examples])
    pictures, texts = judge.encode([example.photo() for example in examples]), judge.encode_prompts(captions)
    with torch.no_grad():
        scores = [
            judge.network(
                pictures.quality[[i]].expand(len(texts), -1), pictures.image[[i]].expand(len(texts), -1), texts
            )
            for i in range(len(examples))
        ]
    for part in ("final", "base"):
        above, pairs = 0, 0
        for matching, (_, consistency) in zip(is_own, scores, strict=True):
            values = getattr(consistency, part)
            above += int((values[matching][:, None] > values[~matching]).sum())
            pairs += int(matching.sum() * (~matching).sum())
        assert above / pairs == pytest.approx(results["swapped"][part], abs=2e-3)
        assert f"{100 * results['swapped'][part]:.0f}" in card.partition("another photograph")[2].partition(".")[0]


@pytest.mark.slow
def test_spoiling_lowers_quality_on_nine_of_ten_photographs(judge: Judge) -> None:
    examples, strengths = load_examples(), (0, 0.2, 0.4, 0.6, 0.8, 1)
    for kind in SPOILT:
        falling = sum(falls(qualities(judge, example, kind, strengths)) for example in examples)
        assert falling >= 0.9 * len(examples), kind


@pytest.mark.slow
def test_evaluation_on_dev_reproduces_the_card(judge: Judge, results: dict[str, Any]) -> None:
    if not DATA.is_dir():
        pytest.skip("shared/data, with rated pictures, is missing")
    ratings = read_ratings(DATA, "dev", judge.config.data)
    result = evaluate(predict(judge, ratings), ratings)
    for score in ("quality", "consistency"):
        for figure in ("srocc", "plcc", "krcc"):
            assert result[score][figure] == pytest.approx(results["shipped"][score][figure], abs=2e-3)
        assert result["within_prompt"][score]["value"] == pytest.approx(
            results["shipped"]["within_prompt"][score]["value"], abs=1e-2
        )
