import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from demo.galleries.sources.packaged import load_examples
from seps import ImageIndex, ScoringEngine, retrieval_metrics
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.training.settings import read_recipe
from tests.helpers.cards import recalls

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "models" / "photos"
SHORT = (  # two captions of each example photograph, in their order
    ("an astronaut", "a spacesuit"),
    ("a cat", "a tabby cat"),
    ("coffee", "a cup of coffee"),
    ("a rocket", "a rocket on its launch pad"),
    ("a motorcycle", "a motorcycle in a garage"),
    ("galaxies", "stars in space"),
    ("a pagoda", "a pagoda by a lake"),
    ("a flower", "a dahlia"),
    ("an old woman", "a navy uniform"),
    ("a running cheetah", "a cheetah running across grass"),
    ("the face of a cheetah", "a cheetah looking at the camera"),
    ("a cheetah cub", "a baby cheetah"),
    ("a lion", "a lion on a rock"),
    ("the Eiffel Tower", "a tower at night"),
)
CAPTIONS = 5  # an image, the first of each example's


@pytest.fixture(scope="module")
def model() -> SEPSModel:
    return load_model("photos")


@pytest.fixture(scope="module")
def images(model: SEPSModel) -> ImageIndex:
    return ScoringEngine(model.cross_net).encode_images(
        model.encode_photos([example.photo() for example in load_examples()])
    )


def scores_of(model: SEPSModel, images: ImageIndex, captions: list[str]) -> torch.Tensor:
    engine = ScoringEngine(model.cross_net)
    return engine.score(images, engine.encode_captions(*model.encode_captions(captions)))


def test_is_the_paper_variant_on_a_fine_grid(model: SEPSModel) -> None:
    assert model.cross_net.use_paper_version
    assert model.grid == (14, 14)
    steps = {step: read_recipe(FOLDER / f"recipe{step}.json") for step in ("", "-3", "-4", "-5")}
    assert steps["-4"][1].frozen
    first = steps[""][0]
    without_dropout = replace(first, vision=replace(first.vision, dropout=0.0), text=replace(first.text, dropout=0.0))
    assert steps["-4"][0] == without_dropout
    assert steps["-3"][0] == first
    with_classes = steps["-5"][0]
    classes = replace(with_classes.vision.classes, dropout=0.0)
    shipped = replace(
        without_dropout,
        vision=replace(without_dropout.vision, classes=classes),
        saved=(*first.saved, "img_enc.classes.vectors"),
    )
    assert model.config == shipped
    assert model.img_enc.classes is not None
    assert model.img_enc.classes.vectors.norm(dim=-1).allclose(torch.ones(1000), atol=1e-2)


@pytest.mark.slow
def test_recall_on_the_example_photographs_is_the_measured_one(model: SEPSModel, images: ImageIndex) -> None:
    captions = [caption for example in load_examples() for caption in example.captions[:CAPTIONS]]
    metrics = retrieval_metrics(scores_of(model, images, captions), CAPTIONS)
    written = json.loads((FOLDER / "results-examples.json").read_text())["examples"]
    assert (written["images"], written["captions"]) == (len(images), len(captions))
    assert recalls(asdict(metrics)) == recalls(written)
    assert f"{metrics.rsum:.1f}" == f"{written['rsum']:.1f}"


@pytest.mark.slow
def test_as_many_short_captions_rank_their_photograph_first_as_was_measured(
    model: SEPSModel, images: ImageIndex
) -> None:
    classes = model.config.vision.classes
    measured = next(
        row
        for row in json.loads((FOLDER / "results-classes.json").read_text())["selection"]["weights"]
        if (row["local"], row["image"]) == (classes.local_weight, classes.image_weight)
    )
    best = scores_of(model, images, [caption for pair in SHORT for caption in pair]).argmax(dim=0)
    right = sum(int(best[number]) == number // 2 for number in range(len(best)))
    assert (right, len(best), len(images)) == (measured["short_captions"], 28, 14)


def test_a_photograph_finds_its_caption_and_the_explanation_adds_up(model: SEPSModel) -> None:
    examples = load_examples()
    example = examples[2]
    image = ScoringEngine(model.cross_net).encode_images(model.encode_photos([example.photo()]))
    assert int(scores_of(model, image, [each.captions[0] for each in examples]).argmax()) == 2
    record = model.explain(example.photo(), example.captions[0], example.dense)
    assert sum(record.terms.values()) == pytest.approx(record.similarity, abs=1e-5)
    assert int(record.sparse.kept.sum()) == 98
    assert record.sparse_alignment.words[0] == "[CLS]"
