"""The walk tells what the model does: records, ranks and shapes are those of the library."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from demo.galleries.index import index_gallery, require_in_memory
from demo.record.packing import packed
from demo.record.settings import Knobs, evaluation_knobs, network_with
from demo.record.table import LESSON
from demo.service.retrieval import RetrievalService
from demo.views.lesson.steps import STEPS
from demo.views.lesson.walk import WalkRequest, images_for, walk, walk_value
from seps import ScoringEngine
from seps.explanation.spread import caption_spread
from tests.helpers.tiny import tiny_model_with_classes, write_tiny_bert

CAPTION = "a motorcycle parked indoors"
SETTINGS: list[dict[str, Any]] = [
    {},
    {"keep_ratio": 0.1},
    {"keep_ratio": 1.0},
    {"beta": 0.5},
    {"top_k": 2},
    {"decision": "gumbel", "seed": 3},
    {"dense": False},
    {"variant": "released"},
    {"variant": "released", "dense": False, "keep_ratio": 0.3},
]


@pytest.fixture(scope="module")
def base(service: RetrievalService) -> Knobs:
    return evaluation_knobs(service.model)


@pytest.fixture(scope="module")
def dense(service: RetrievalService) -> str:
    """The photograph's own dense caption."""
    text = service.find("examples").gallery.items[place_of(service)].dense
    assert text is not None
    return text


def place_of(service: RetrievalService) -> int:
    return service.find("examples").gallery.position("motorcycle")


def value_of(service: RetrievalService, dense: str | None, knobs: Knobs, caption: str = CAPTION) -> dict[str, Any]:
    value = walk_value(WalkRequest(service, service.find("examples"), place_of(service), caption, dense, knobs))
    assert json.loads(json.dumps(value)) == value
    return value


def test_with_the_trained_settings_nothing_moved(service: RetrievalService, base: Knobs) -> None:
    value = value_of(service, None, base)
    record = service.explain(service.find("examples"), place_of(service), CAPTION)
    assert value["record"] == packed(record)
    assert (value["before"], value["untrained"]) == (None, [])
    assert value["moved"]["kept"] == {"both": int(record.sparse.kept.sum()), "gained": [], "lost": []}
    assert value["moved"]["score"] == [record.similarity, record.similarity]
    assert value["rank"]["now"] == value["rank"]["before"]
    assert set(value["fixed"]) == {"aggr_ratio", "temperature", "seed", "dense"}
    assert value["lengths"] == {"sparse": len(record.sparse_alignment.words), "dense": None, "denser": None}
    assert value["channels"] == service.model.config.embed_size


def test_every_sentence_of_the_steps_stands_in_the_table(service: RetrievalService, base: Knobs, dense: str) -> None:
    drawn = {"decision": "gumbel"}
    settings: list[dict[str, Any]] = [
        {},
        drawn,
        {"dense": False},
        {"variant": "released"},
        drawn | {"variant": "released"},
    ]
    steps = [
        step
        for text in (None, dense)
        for changed in settings
        for step in value_of(service, text, replace(base, **changed))["steps"]
    ]
    assert [step["title"] for step in steps[:STEPS]] == list(LESSON["step"].values())
    templates = {name: re.sub(r"\\{.*?\\}", ".+", re.escape(text)) for name, text in LESSON["happens"].items()}
    used = {name for step in steps for name in templates if re.fullmatch(templates[name], step["sentence"])}
    assert used == templates.keys() - {"tokens_cls", "what_if_one"}  # no [CLS] here, and never one kept patch alone
    assert all(len(step["sentence"].split()) <= 32 for step in steps)


def test_each_answer_has_a_number_of_its_own(service: RetrievalService, base: Knobs) -> None:
    assert value_of(service, None, base)["key"] != value_of(service, None, base)["key"]


def test_the_dense_caption_is_longer_and_can_be_left_out(service: RetrievalService, base: Knobs, dense: str) -> None:
    value = value_of(service, dense, replace(base, dense=False))
    words = service.model.words(dense, dense=True)
    assert value["dense_words"] == words
    assert value["lengths"]["dense"] == len(words)
    assert value["lengths"]["denser"] == len(words) / value["lengths"]["sparse"] > 1
    assert [branch["name"] for branch in value["record"]["branches"]] == ["sparse"]
    assert [branch["name"] for branch in value["before"]["branches"]] == ["sparse", "dense"]
    assert f"{len(words)}, " in value["steps"][1]["sentence"]


@pytest.mark.parametrize("settings", SETTINGS[1:])
def test_what_moved_is_what_differs(
    service: RetrievalService, base: Knobs, dense: str, settings: dict[str, Any]
) -> None:
    value = value_of(service, dense, replace(base, **settings))
    now, before = (np.array(value[name]["branches"][0]["kept"]) for name in ("record", "before"))
    kept = value["moved"]["kept"]
    assert kept["both"] == (now & before).sum()
    assert now.sum() == kept["both"] + len(kept["gained"])
    assert before.sum() == kept["both"] + len(kept["lost"])
    assert (now[kept["gained"]] == 1).all()
    assert (before[kept["gained"]] == 0).all()
    assert (now[kept["lost"]] == 0).all()
    terms = value["moved"]["terms"]
    for index, name in enumerate(("before", "record")):
        moved = {term: ends[index] for term, ends in terms.items() if ends[index] is not None}
        assert moved == value[name]["terms"]
        assert sum(moved.values()) == pytest.approx(value["moved"]["score"][index], abs=1e-5)


@pytest.mark.parametrize("settings", [setting for setting in SETTINGS if setting.get("decision") != "gumbel"])
@pytest.mark.parametrize("with_dense", [True, False])
def test_ranks_are_those_of_the_networks_own_forward_pass(
    service: RetrievalService, base: Knobs, dense: str, settings: dict[str, Any], with_dense: bool
) -> None:
    knobs = replace(base, **settings)
    indexed, index = service.find("examples"), place_of(service)
    walked = walk(WalkRequest(service, indexed, index, CAPTION, dense if with_dense else None, knobs))
    words, lengths = service.model.encode_captions([CAPTION])
    used = with_dense and knobs.dense
    rest = service.model.encode_captions([dense], dense=True) if used else ()
    with torch.no_grad():
        scores = network_with(service.model, knobs)(require_in_memory(indexed).embeddings, words, lengths, *rest)[
            :, 0
        ]  # (V,)
    assert float(scores[index]) == pytest.approx(walked.record.similarity, abs=1e-5)
    assert walked.rank == 1 + int((scores > scores[index]).sum())


def test_a_harder_caption_moves_in_rank(service: RetrievalService, base: Knobs) -> None:
    indexed = service.find("examples")
    moved = []
    for index, item in enumerate(indexed.gallery.items):
        for caption in item.captions[:3]:
            walked = walk(WalkRequest(service, indexed, index, caption, None, replace(base, variant="released")))
            ranking = service.rank_images(indexed, caption)
            assert walked.rank_before == 1 + ranking.order.index(index)
            moved.append(walked.rank != walked.rank_before)
    assert any(moved)


def test_the_caption_is_ranked_among_the_gallerys(service: RetrievalService, base: Knobs) -> None:
    indexed, index = service.find("examples"), place_of(service)
    caption = indexed.gallery.items[index].captions[0]
    ranking = service.rank_captions(indexed, index, "examples")
    value = value_of(service, None, base, caption)
    assert value["caption_rank"]["before"] == 1 + ranking.captions.index(caption)
    assert (value["caption_rank"]["total"], value["caption_rank"]["gallery"]) == (len(ranking.captions), "examples")
    typed = service.rank_captions(indexed, index, "examples", CAPTION)
    value = value_of(service, None, replace(base, keep_ratio=0.2))
    assert value["caption_rank"]["before"] == 1 + typed.captions.index(CAPTION)
    assert value["caption_rank"]["total"] == len(typed.captions)
    assert 1 <= value["caption_rank"]["now"] <= len(typed.captions)


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_gallerys_index_serves_every_setting(
    service: RetrievalService, base: Knobs, settings: dict[str, Any]
) -> None:
    indexed = require_in_memory(service.find("examples"))
    net = network_with(service.model, replace(base, **settings))
    images, anew = images_for(net, indexed.images), ScoringEngine(net).encode_images(indexed.embeddings)
    assert images.model_key == anew.model_key
    torch.testing.assert_close((images.s_im, images.norms, *images.logits), (anew.s_im, anew.norms, *anew.logits))
    assert [scores is None for scores in images.s_p] == [scores is None for scores in anew.s_p]
    for first, other in zip(images.s_p, anew.s_p, strict=True):
        assert first is None or other is None or torch.equal(first, other)


def test_the_score_says_where_a_dense_caption_counts(service: RetrievalService, base: Knobs, dense: str) -> None:
    assert "The dense caption counts here" in value_of(service, dense, base)["steps"][7]["note"]
    for value in (value_of(service, None, base), value_of(service, dense, replace(base, dense=False))):
        assert value["steps"][7]["note"] == ""


def test_the_first_step_says_that_a_model_adds_classes(service: RetrievalService, tmp_path: Path) -> None:
    model = tiny_model_with_classes(write_tiny_bert(tmp_path))
    indexed = index_gallery(model, service.find("examples").gallery, None)
    tiny = RetrievalService(model, "tiny", [indexed])
    knobs = evaluation_knobs(model)
    value = walk_value(WalkRequest(tiny, indexed, 0, "a dog", None, knobs))
    assert "of its 1,000 classes the most probable ones" in value["steps"][0]["note"]
    assert len(value["record"]["classes"]["names"]) == model.cross_net.num_patches
    assert "classes" not in value_of(service, None, evaluation_knobs(service.model))["steps"][0]["note"]
    moved = walk_value(WalkRequest(tiny, indexed, 0, "a dog", None, replace(knobs, keep_ratio=0.2)))
    assert moved["moved"]["score"][0] == value["moved"]["score"][0] and "classes" not in moved["record"]


def test_a_draw_follows_its_seed_and_has_no_rank(service: RetrievalService, base: Knobs, dense: str) -> None:
    knobs = replace(base, decision="gumbel", seed=1)
    value, again = value_of(service, dense, knobs), value_of(service, dense, knobs)
    other = value_of(service, dense, replace(knobs, seed=2))
    warmer = value_of(service, dense, replace(knobs, temperature=3.0))
    kept = [each["record"]["branches"][0]["kept"] for each in (value, again, other, warmer)]
    assert kept[0] == kept[1] == kept[3] != kept[2]
    assert (value["rank"]["now"], value["caption_rank"]["now"]) == (None, None)
    assert value["rank"]["note"] == value["steps"][7]["note"] != ""
    assert value["untrained"] == ["decision"]
    decision = value["steps"][3]
    assert f"keeps {sum(kept[0])} of 196 patches" in decision["sentence"]
    probability = np.array(decision["keep_probability"])
    score = floats(value["record"]["branches"][0]["score"])
    low, high = service.model.cross_net.sparse_net_cap.score_range
    np.testing.assert_allclose(probability, (score - low) / (high - low), atol=1e-6)
    assert ((probability >= 0) & (probability <= 1)).all()
    gradient = np.array(decision["decision_gradient"])
    assert (gradient > 0).all()
    assert not np.allclose(gradient, warmer["steps"][3]["decision_gradient"])


def test_drawn_shares_follow_the_keep_probabilities(service: RetrievalService, base: Knobs) -> None:
    values = [value_of(service, None, replace(base, decision="gumbel", seed=seed)) for seed in range(20)]
    fraction = np.mean([value["record"]["branches"][0]["kept"] for value in values])
    assert fraction == pytest.approx(np.mean(values[0]["steps"][3]["keep_probability"]), abs=0.03)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("with_dense", [True, False])
def test_steps_have_short_sentences_and_true_shapes(
    service: RetrievalService, base: Knobs, dense: str, settings: dict[str, Any], with_dense: bool
) -> None:
    knobs = replace(base, **settings)
    value = value_of(service, dense if with_dense else None, knobs)
    assert len(value["steps"]) == STEPS == 9
    for step in value["steps"]:
        assert 5 <= len(step["sentence"].split()) <= 30, step["sentence"]
        assert step["sentence"].endswith(".")
        assert step["equation"].startswith("<math")
        assert step["tensors"]
    shapes = {tensor["name"]: tensor["shape"] for step in value["steps"] for tensor in step["tensors"]}
    indexed, model = service.find("examples"), service.model
    words = model.encode_captions([CAPTION])[0][0]
    dense_words = model.encode_captions([dense], dense=True)[0][0] if with_dense else None
    net = network_with(model, knobs)
    patches = indexed.patches(place_of(service))
    with torch.no_grad():
        match = net.match(net.encode_images(patches[None]), words, dense_words if knobs.dense else None)
    expected = {
        "I": model.preprocess([indexed.gallery.items[place_of(service)].photo()])[0],
        "V": patches,
        "T_s": words,
    }
    if dense_words is not None:
        expected["T_d"] = dense_words
    for letter, branch in (("s", match.sparse), ("d", match.dense)):
        if branch is None:
            assert f"D_{letter}" not in shapes
            continue
        assert branch.weights is not None
        expected |= {name: values[0] for name, values in branch.selection.parts.items()}
        expected |= {f"score_{letter}": branch.selection.score[0], f"D_{letter}": branch.selection.mask[0]}
        expected |= {f"W_{letter}": branch.weights[0], f"e_{letter}": branch.selection.extra_weights[0]}
    for letter, tokens, alignment in zip("sd", match.tokens, match.alignments, strict=False):
        matrix = alignment.matrix[0]
        expected |= {f"tokens_{letter}": tokens[0], f"A_{letter}": matrix, f"aggregated_{letter}": tokens[0, :-1]}
        expected |= {f"row maxima_{letter}": matrix.amax(1), f"column maxima_{letter}": matrix.amax(0)}
    expected["D"] = match.sparse.selection.mask[0]
    fixed = {"terms": [len(value["record"]["terms"])], "S": []}
    if knobs.variant == "paper":
        fixed["TopK"] = [2, knobs.top_k]
    assert shapes == {name: list(values.shape) for name, values in expected.items()} | fixed


@pytest.mark.parametrize("settings", [{}, {"beta": 0.5}, {"beta": 0.0}, {"variant": "released"}])
@pytest.mark.parametrize("with_dense", [True, False])
def test_the_third_step_says_how_much_of_the_scores_spread_is_the_captions(
    service: RetrievalService, base: Knobs, dense: str, settings: dict[str, Any], with_dense: bool
) -> None:
    knobs = replace(base, **settings)
    note = value_of(service, dense if with_dense else None, knobs)["steps"][2]["note"]
    indexed, model, net = service.find("examples"), service.model, network_with(service.model, knobs)
    texts, (dense_words,) = service.caption_pool("examples")[0], model.encode_captions([dense], dense=True)[0]
    captions = zip(*model.encode_captions(texts), strict=True)
    with torch.no_grad():
        image = net.encode_images(indexed.patches(place_of(service))[None])
        passes = [net.match(image, words[:length], dense_words if with_dense else None) for words, length in captions]
    scores = torch.stack([each.sparse.selection.score[0] for each in passes])  # (P, N)
    caption_part, whole = caption_spread(scores)
    assert f"spread over the patches {caption_part / whole:.1%} is the caption's" in note
    assert f"any of the {len(texts)} captions tried" in note
    assert ("Move Beta" in note) == (knobs.variant == "paper")
    assert ("the dense caption's with it" in note) == (with_dense and knobs.variant == "paper")
    assert (caption_part / whole < 1e-9) == (
        knobs.beta == 0 and knobs.variant == "paper"
    )  # without beta no caption counts


def test_the_last_sentence_has_the_score_and_the_rank(service: RetrievalService, base: Knobs) -> None:
    value = value_of(service, None, base)
    rank = f"rank {value['rank']['now']} of {value['rank']['total']}"
    assert rank in value["steps"][7]["sentence"]
    assert f"{value['record']['similarity']:.4f}" in value["steps"][7]["sentence"]


def test_what_cannot_be_walked_is_told(service: RetrievalService, base: Knobs) -> None:
    indexed = service.find("examples")
    with pytest.raises(ValueError, match="There is no step 10"):
        walk_value(WalkRequest(service, indexed, 0, CAPTION, None, base), step=10)
    with pytest.raises(ValueError, match="The caption is empty"):
        walk_value(WalkRequest(service, indexed, 0, " ", None, base))
    with pytest.raises(ValueError, match="The parameters make N_c = 39 aggregated tokens"):
        walk_value(WalkRequest(service, indexed, 0, CAPTION, None, replace(base, aggr_ratio=0.1)))


def floats(values: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.frombuffer(b64decode(values["float32"]), "<f4").reshape(values["shape"])
