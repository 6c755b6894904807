import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from demo.galleries.sources.packaged import load_examples
from seps.judge.data import read_ratings
from seps.judge.evaluate import part
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


def test_spoiling_lowers_quality_as_the_card_says(judge: Judge, results: dict[str, Any]) -> None:
    example = load_examples()[0]
    for kind in SPOILT:
        curves = results["spoilt"][kind]  # by photograph, at strengths 0, 0.2, ..., 1
        assert sum(map(falls, curves.values())) >= 0.9 * len(curves), kind
        spoilt = judge.features([distort(example.photo(), kind, strength) for strength in (0.2, 1.0)])
        expected = [curves[example.name][1], curves[example.name][5]]
        assert [seen.quality.final for seen in spoilt] == pytest.approx(expected, abs=2e-3)


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
    for name in ("final", "base"):
        above, pairs = 0, 0
        for matching, (_, consistency) in zip(is_own, scores, strict=True):
            values = getattr(consistency, name)
            above += int((values[matching][:, None] > values[~matching]).sum())
            pairs += int(matching.sum() * (~matching).sum())
        assert above / pairs == pytest.approx(results["swapped"][name], abs=2e-3)
        assert f"{100 * results['swapped'][name]:.0f}" in card.partition("another photograph")[2].partition(".")[0]


@pytest.mark.slow
def test_agreement_on_the_pictures_of_two_systems_is_the_card_s(judge: Judge, results: dict[str, Any]) -> None:
    if not DATA.is_dir():
        pytest.skip("shared/data, with rated pictures, is missing")
    dev = read_ratings(DATA, "dev", judge.config.data)
    for system in ("AttnGAN_normal", "midjourney_normal"):
        ratings = dev.take([i for i, name in enumerate(dev.generators) if name == system], "dev")
        scores = {name: score.final.double().numpy() for name, score in predict(judge, ratings)._asdict().items()}
        rated = {name: getattr(ratings, name) for name in scores}
        measured, expected = part(scores, rated, np.arange(len(ratings))), results["shipped"]["by_generator"][system]
        assert measured["pictures"] == expected["pictures"]
        for name in scores:
            assert measured[name] == pytest.approx(expected[name], abs=2e-3)
