"""The shipped model of photographs: it matches its card, and its scores match its results."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from demo.galleries.packaged import load_examples
from seps import ScoringEngine, retrieval_metrics
from seps.encoders.config import ClassConfig
from seps.models.hub import load_model, shipped_models
from seps.models.model import SEPSModel
from seps.training.settings import read_recipe
from tests.helpers.cards.cells import recalls

SPLITS = ("dev", "open_photos", "labelled")
FOLDER = Path(__file__).resolve().parents[1] / "assets" / "models" / "photos"
EXPERIMENTS = FOLDER.parents[1] / "guide" / "experiments.md"
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


def test_ships_small_and_without_pickles() -> None:
    assert shipped_models()["photos"] == FOLDER
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= 10_000_000
    assert {file.suffix for file in FOLDER.iterdir()} <= {".json", ".safetensors", ".md"}


def test_is_the_paper_variant_on_a_fine_grid(model: SEPSModel) -> None:
    assert model.cross_net.use_paper_version
    assert model.grid == (14, 14)
    assert not model.training
    last = json.loads((FOLDER / "recipe-4.json").read_text())
    assert last.pop("training")["frozen"]
    config: dict[str, Any] = json.loads((FOLDER / "config.json").read_text())
    assert last == config
    first, _ = read_recipe(FOLDER / "recipe.json")
    without_dropout = replace(first, vision=replace(first.vision, dropout=0.0), text=replace(first.text, dropout=0.0))
    assert read_recipe(FOLDER / "recipe-4.json")[0] == without_dropout
    assert read_recipe(FOLDER / "recipe-3.json")[0] == first


def test_the_rivals_of_the_further_step_were_trained_alike() -> None:
    config, training = read_recipe(FOLDER / "recipe-2.json")
    first, _ = read_recipe(FOLDER / "recipe.json")
    assert replace(first, network=config.network) == config
    all_patches, same = read_recipe(FOLDER / "recipe-2-all-patches.json")
    assert same == training
    assert replace(all_patches, network=config.network) == config
    assert SEPSModel(all_patches).cross_net.num_tokens == SEPSModel(config).cross_net.num_tokens
    pooled, alone = read_recipe(FOLDER / "recipe-2-pooled.json")
    assert pooled == config
    assert alone == replace(training, align_weight=0.0, map_weight=0.0, significance_weight=0.0, dense="none")


def test_the_rival_of_the_decision_s_steps_was_trained_alike_but_for_the_network() -> None:
    config, training = read_recipe(FOLDER / "recipe-3.json")
    rival, alone = read_recipe(FOLDER / "recipe-3-pooled.json")
    nothing = dict.fromkeys(("align_weight", "map_weight", "decision_weight", "blind_weight"), 0.0)
    assert rival == config
    assert alone == replace(training, **nothing, dense="none", join_captions=False)  # type: ignore[arg-type]


def test_the_decision_s_other_rivals_were_trained_alike_but_for_what_they_are_named_after() -> None:
    config, training = read_recipe(FOLDER / "recipe-3.json")
    untaught = replace(training, decision_weight=0.0, blind_weight=0.0)
    assert read_recipe(FOLDER / "recipe-3-as-it-was.json") == (config, untaught)
    every = replace(config, network={**config.network, "sparse_ratio": 1.0, "aggr_ratio": 0.2})
    assert read_recipe(FOLDER / "recipe-3-all-patches.json") == (every, untaught)


def test_the_step_with_class_vectors_differs_from_that_of_the_decision_by_these_alone() -> None:
    config, training = read_recipe(FOLDER / "recipe-5.json")
    first, third = read_recipe(FOLDER / "recipe-3.json")
    assert replace(training, epochs=third.epochs, mirrored=third.mirrored) == third
    assert (training.epochs, training.mirrored) == (2, False)
    assert config.vision.classes.names == "imagenet-1k" and 0 < config.vision.classes.dropout < 1
    plain = replace(config.vision, classes=ClassConfig())
    assert replace(config, vision=plain, saved=config.saved[:-1]) == first
    assert config.saved[-1] == "img_enc.classes.vectors"


def test_what_seeds_of_the_decision_come_to_agrees_with_the_guide() -> None:
    figures = json.loads((FOLDER / "results-seeds-decision.json").read_text())
    page = " ".join(EXPERIMENTS.read_text(encoding="utf-8").split())
    mean = {split: {name: sum(values) / len(values) for name, values in figures[split].items()} for split in SPLITS}
    behind = [mean[split]["rival"] - mean[split]["seps"] for split in ("dev", "open_photos")]
    assert f"by {behind[0]:.1f} rSum on dev and {behind[1]:.1f} on `open_photos`" in page
    masks = {name: sum(values) / len(values) for name, values in figures["masks"].items()}
    assert f"contrast 0.35 ({masks['contrast']:.3f}), own region kept 0.88 ({masks['own']:.3f})" in page
    assert f"IoU 0.45 ({masks['iou']:.3f}), dev 370 ({mean['dev']['seps']:.1f})" in page
    assert f"465 ({mean['open_photos']['seps']:.1f}), labelled 250 ({mean['labelled']['seps']:.1f})" in page
    early = {name: sum(values) / 3 for name, values in figures["after_two_epochs"].items() if name != "images"}
    gained = [early["seps"] - early[rival] for rival in ("as_it_was", "all_patches")]
    assert f"as it was, by {gained[0]:.1f}, and than keeping every patch, by {gained[1]:.1f}" in page
    assert f"lies {early['rival'] - early['seps']:.1f} above it" in page
    apart = max(max(values) - min(values) for name, values in figures["after_two_epochs"].items() if name != "images")
    assert f"seeds lie up to {apart:.1f} apart" in page
    maps = json.loads((FOLDER / "results-dev.json").read_text())["grounding"]["methods"]
    below = maps["cosine"]["pointing_game"]["mean"] - maps["seps"]["pointing_game"]["mean"]
    assert f"({maps['seps']['pointing_game']['mean']:.3f} with seed 0, {below:.3f} below plain cosine)" in page
    assert f"energy inside 0.63 ({maps['seps']['energy_inside']['mean']:.3f} with seed 0)" in page


def test_recall_on_the_example_photographs_is_the_measured_one(model: SEPSModel) -> None:
    examples = load_examples()
    assert len(examples) >= 10
    photos = [example.photo() for example in examples]
    captions = [caption for example in examples for caption in example.captions[:CAPTIONS]]
    engine = ScoringEngine(model.cross_net)
    scores = engine.score(
        engine.encode_images(model.encode_photos(photos)), engine.encode_captions(*model.encode_captions(captions))
    )
    metrics = retrieval_metrics(scores, CAPTIONS)
    written = json.loads((FOLDER / "results-examples.json").read_text())["examples"]
    assert (written["images"], written["captions"]) == (len(photos), len(captions))
    assert recalls(asdict(metrics)) == recalls(written)
    assert f"{metrics.rsum:.1f}" == f"{written['rsum']:.1f}"


def test_what_class_vectors_do_agrees_with_the_guide() -> None:
    page = " ".join(EXPERIMENTS.read_text(encoding="utf-8").split())
    results = json.loads((FOLDER / "results-classes.json").read_text())
    without, light, usual, _ = results["weights"]
    run = results["short_run"]
    assert (light["local"], light["image"]) == (0.15, 0.15)
    gained = light["coco_dev"]["seps"] - without["coco_dev"]["seps"]
    lost = without["dev_200"]["seps"] - light["dev_200"]["seps"]
    assert f"gain {gained:.1f} on `coco_dev` at 0.15 / 0.15 and cost {lost:.1f} on dev" in page
    assert (usual["local"], usual["image"]) == (run["local"], run["image"])
    back = run["dev_200"]["seps"] - usual["dev_200"]["seps"]
    before = without["dev_200"]["seps"] - usual["dev_200"]["seps"]
    assert f"recovers {back:.1f} of the {before:.1f} lost on dev" in page
    assert f"loses {usual['agiqa3k']['seps'] - run['agiqa3k']['seps']:.1f} on `agiqa3k`" in page
    full, probable = results["full_run"], results["by_probability"]
    assert f"seed {full['seed']}, end at {full['dev_300']['seps']} on the first 300 of dev" in page
    assert f"against {full['without']['seps']} without classes" in page
    plain = probable["without"]
    best = next(row for row in probable["weights"] if (row["local"], row["image"]) == (0.75, 0.75))
    gained = {split: best[split]["seps"] - plain[split]["seps"] for split in ("dev_150", "coco_dev", "agiqa3k")}
    assert f"gain {gained['coco_dev']:.1f} on `coco_dev` and {gained['agiqa3k']:.1f} on `agiqa3k`" in page
    assert f"rank {best['short_captions']} of 28 short captions first instead of {plain['short_captions']}" in page
    assert f"cost {-gained['dev_150']:.1f} on the first 150 of dev" in page


def test_as_many_short_captions_rank_their_photograph_first_as_was_measured(model: SEPSModel) -> None:
    measured = json.loads((FOLDER / "results-classes.json").read_text())["weights"][0]
    assert (measured["local"], measured["image"]) == (0, 0)  # the shipped model
    photos = [example.photo() for example in load_examples()]
    captions = [caption for pair in SHORT for caption in pair]
    engine = ScoringEngine(model.cross_net)
    images = engine.encode_images(model.encode_photos(photos))
    best = engine.score(images, engine.encode_captions(*model.encode_captions(captions))).argmax(dim=0)
    right = sum(int(best[number]) == number // 2 for number in range(len(captions)))
    assert (right, len(captions), len(photos)) == (measured["short_captions"], 28, 14)


def test_an_explanation_adds_up(model: SEPSModel) -> None:
    example = load_examples()[0]
    record = model.explain(example.photo(), example.captions[0], example.dense)
    assert sum(record.terms.values()) == pytest.approx(record.similarity, abs=1e-5)
    assert int(record.sparse.kept.sum()) == 98
    assert record.sparse_alignment.words[0] == "[CLS]"


def test_word_maps_after_the_further_step_point_as_the_guide_reports() -> None:
    page = " ".join(EXPERIMENTS.read_text(encoding="utf-8").split())
    results = json.loads((FOLDER / "results-step-2.json").read_text())
    for rival, sentence in (
        ("all_patches", "of all patches point right for {} of the phrases with {}"),
        ("seps", "for {} with {}"),
    ):
        measured = (fmean(results[f"{rival}_{measure}_by_centres"]) for measure in ("pointing", "energy"))
        assert sentence.format(*(f"{value:.3f}" for value in measured)) in page, rival


def test_what_was_tried_is_set_beside_its_seed() -> None:
    page = " ".join(EXPERIMENTS.read_text(encoding="utf-8").split())
    results = json.loads((FOLDER / "results-tried.json").read_text())
    seeds = json.loads((FOLDER / "results-seeds.json").read_text())
    usual, named = results["as_it_is"], results["class_names_64"]
    for measure in ("dev", "open_photos", "examples"):
        assert usual[measure] == {reading: values[results["seed"]] for reading, values in seeds[measure].items()}
    gained = named["open_photos"]["seps"] - usual["open_photos"]["seps"]
    lost = usual["dev"]["seps"] - named["dev"]["seps"]
    assert f"by {gained:.1f} and {lost:.1f} for SEPS" in page


def test_both_scores_were_measured_on_the_same_split() -> None:
    results = json.loads((FOLDER / "results-dev.json").read_text())
    assert results["pooled"]["seps"]["rsum"] == pytest.approx(results["captions_only"]["rsum"])
