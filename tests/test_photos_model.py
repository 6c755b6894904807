"""The shipped model of photographs: it is what its card says, and scores what its card says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.galleries.packaged import load_examples
from seps import ScoringEngine, retrieval_metrics
from seps.models.hub import load_model, shipped_models
from seps.models.model import SEPSModel
from seps.training.settings import read_recipe
from tests.helpers.cards import contrast_rows, contrast_sentence

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "models" / "photos"
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


def test_recall_on_the_example_photographs_is_the_cards(model: SEPSModel) -> None:
    examples = load_examples()
    assert len(examples) >= 10
    photos = [example.photo() for example in examples]
    captions = [caption for example in examples for caption in example.captions[:CAPTIONS]]
    engine = ScoringEngine(model.cross_net)
    scores = engine.score(
        engine.encode_images(model.encode_photos(photos)), engine.encode_captions(*model.encode_captions(captions))
    )
    metrics = retrieval_metrics(scores, CAPTIONS)
    recalls = [
        f"{recall.r1:.1f} / {recall.r5:.1f} / {recall.r10:.1f}"
        for recall in (metrics.image_to_text, metrics.text_to_image)
    ]
    title = f"{len(photos)} example photographs, {len(captions)} captions"
    row = f"| {title} | {recalls[0]} | {recalls[1]} | {metrics.rsum:.1f} |"
    assert row in (FOLDER / "README.md").read_text()


def test_an_explanation_adds_up(model: SEPSModel) -> None:
    example = load_examples()[0]
    record = model.explain(example.photo(), example.captions[0], example.dense)
    assert sum(record.terms.values()) == pytest.approx(record.similarity, abs=1e-5)
    assert int(record.sparse.kept.sum()) == 98
    assert record.sparse_alignment.words[0] == "[CLS]"


def test_the_further_step_s_figures_are_the_measured_ones() -> None:
    card = (FOLDER / "README.md").read_text()
    results = json.loads((FOLDER / "results-step-2.json").read_text())
    for rival in ("seps", "seps_pooled", "seps_added", "pooled", "all_patches"):
        rsums = [entry["rsum"] if isinstance(entry, dict) else entry for entry in results[rival]]
        assert len(rsums) == 3
        row = f"| {' / '.join(f'{rsum:.1f}' for rsum in rsums)} | {sum(rsums) / len(rsums):.1f} |"
        assert row in card, rival
    for rival in ("seps", "all_patches"):
        pointing = results[f"{rival}_pointing_by_centres"]
        assert f"{sum(pointing) / len(pointing):.3f}" in card


SEED_ROWS = {  # of the card: the row's title, and where its figures stand in the results
    "dev, rSum: SEPS, S(I, T)": ("dev", "seps"),
    "dev: pooled embeddings": ("dev", "pooled"),
    "dev: both added": ("dev", "added"),
    "open_photos, rSum: SEPS": ("open_photos", "seps"),
    "open_photos: pooled embeddings": ("open_photos", "pooled"),
    "open_photos: both added": ("open_photos", "added"),
    "14 example photographs, rSum: SEPS": ("examples", "seps"),
    "pointing game, dev: word map": ("pointing_game", "seps"),
    "pointing game: effects": ("pointing_game", "effect"),
    "pointing game: plain cosine": ("pointing_game", "cosine"),
    "energy inside, dev: word map": ("energy_inside", "seps"),
    "energy inside: effects": ("energy_inside", "effect"),
    "energy inside: plain cosine": ("energy_inside", "cosine"),
    "kept on mentioned objects / on the background": ("mentioned_to_background", "seps"),
}


def test_the_figures_of_three_seeds_are_the_measured_ones() -> None:
    card = (FOLDER / "README.md").read_text()
    results = json.loads((FOLDER / "results-seeds.json").read_text())
    for title, (measure, reading) in SEED_ROWS.items():
        values = results[measure][reading]
        digits = 1 if measure in ("dev", "open_photos", "examples") else 3
        assert len(values) == 3
        row = f"{' / '.join(f'{value:.{digits}f}' for value in values)} | {sum(values) / 3:.{digits}f}"
        assert f"| {title} | {row} |" in card, title


DECISION_ROWS = {  # of the card: the recipe's title in the results
    "before": "after step 2, as it shipped before",
    "network_alone": "network alone, heads as they are, blind 2, decision 0.3",
    "heads_too": "step 3: heads too, and all phrase losses",
    "class_names": "step 3 with 32 class names a step, blind 3",
    "network_and_s_p": "step 4 with the whole network learning and the loss on word maps",
    "shipped": "step 4: s^p alone (ships)",
}


def test_what_was_tried_for_the_decision_has_the_measured_figures() -> None:
    card = (FOLDER / "README.md").read_text()
    recipes = json.loads((FOLDER / "results-decision.json").read_text())["recipes"]
    assert recipes.keys() == DECISION_ROWS.keys()
    for name, title in DECISION_ROWS.items():
        mask, ranked, named = (recipes[name][measure] for measure in ("contrast", "dev_300", "labelled"))
        row = (
            f"| {title} | {mask['contrast']:.3f} | {mask['own']:.3f} / {mask['other']:.3f} | {mask['iou']:.3f} | "
            f"{ranked['seps']:.1f} | {ranked['pooled']:.1f} | {named['seps']:.1f} | {named['pooled']:.1f} |"
        )
        assert row in card, name


def test_both_scores_of_other_splits_are_the_measured_ones() -> None:
    card = (FOLDER / "README.md").read_text()
    open_photos = json.loads((FOLDER / "results-open-photos.json").read_text())["pooled"]
    labelled = json.loads((FOLDER / "results-labelled.json").read_text())["labelled"]
    rsums = [f"{open_photos[name]['rsum']:.1f}" for name in ("seps", "pooled", "added")]
    assert f"| open_photos | {' | '.join(rsums)} |" in card
    named = [f"{labelled[name]['rsum']:.1f}" for name in ("seps", "pooled", "added")]
    assert f"| labelled, 455 photographs | {' | '.join(named)} |" in card


def test_the_contrast_of_captions_is_the_measured_one() -> None:
    card = (FOLDER / "README.md").read_text()
    contrast = json.loads((FOLDER / "results-dev.json").read_text())["contrast"]
    assert contrast_sentence(contrast) in card
    for row in contrast_rows(contrast):
        assert row in card


def test_the_figures_of_word_maps_are_the_measured_ones() -> None:
    card = (FOLDER / "README.md").read_text()
    grounding = json.loads((FOLDER / "results-dev.json").read_text())["grounding"]
    assert f"{grounding['phrases']:,} on {grounding['images']} photographs" in card
    for method, figures in grounding["methods"].items():
        for names in (
            ("energy_inside", "pointing_game", "deletion", "insertion"),
            ("kept_mentioned", "kept_unmentioned", "kept_background", "mentioned_to_background"),
        ):
            cells = ("{mean:.3f} [{low:.3f}, {high:.3f}]".format(**figures[name]) for name in names)
            assert f" | {' | '.join(cells)} |" in card, method


TRIED_ROWS = {  # of the card: the row's title, and where its figures stand in the results
    "dev: SEPS": ("dev", "seps"),
    "dev: pooled embeddings": ("dev", "pooled"),
    "dev: both added": ("dev", "added"),
    "first 300 of dev: SEPS": ("dev_300", "seps"),
    "first 300 of dev: pooled embeddings": ("dev_300", "pooled"),
    "open_photos: SEPS": ("open_photos", "seps"),
    "open_photos: pooled embeddings": ("open_photos", "pooled"),
    "open_photos: both added": ("open_photos", "added"),
    "14 example photographs: SEPS": ("examples", "seps"),
}


def test_what_was_tried_has_the_measured_figures() -> None:
    card = (FOLDER / "README.md").read_text()
    results = json.loads((FOLDER / "results-tried.json").read_text())
    seeds = json.loads((FOLDER / "results-seeds.json").read_text())
    usual, named, cropped = (results[name] for name in ("as_it_is", "class_names_64", "random_crops"))
    for title, (measure, reading) in TRIED_ROWS.items():
        values = [entry[measure][reading] if measure in entry else None for entry in (usual, named, cropped)]
        row = " | ".join("not measured" if rsum is None else f"{rsum:.1f}" for rsum in values)
        assert f"| {title} | {row} |" in card, title
    for measure in ("dev", "open_photos", "examples"):
        assert usual[measure] == {reading: values[results["seed"]] for reading, values in seeds[measure].items()}
    gained = named["open_photos"]["seps"] - usual["open_photos"]["seps"]
    lost = usual["dev"]["seps"] - named["dev"]["seps"]
    assert f"by {gained:.1f} and {lost:.1f} for SEPS" in card
