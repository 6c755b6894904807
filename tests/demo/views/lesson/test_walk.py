import json
import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from demo.galleries.gallery import load_openings
from demo.galleries.indexes.index import require_in_memory
from demo.record.packing import packed
from demo.record.settings import Knobs, evaluation_knobs, network_with
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.lesson.steps import STEPS
from demo.views.lesson.walk import WalkRequest, walk, walk_value
from seps.explanation.spread import caption_spread
from tests.demo.views.lesson.conftest import CAPTION, asked

SETTINGS: list[dict[str, Any]] = [{}, {"top_k": 2, "dense": False}, {"variant": "released", "keep_ratio": 0.3}]


def value_of(service: RetrievalService, dense: str | None, knobs: Knobs) -> dict[str, Any]:
    value = walk_value(asked(service, dense, knobs))
    assert json.loads(json.dumps(value)) == value
    return value


def test_with_the_trained_settings_nothing_moved(service: RetrievalService, base: Knobs, index: int) -> None:
    value = value_of(service, None, base)
    record = service.explain(service.find("examples"), index, CAPTION)
    assert value["record"] == packed(record)
    assert (value["before"], value["untrained"]) == (None, [])
    assert value["moved"]["kept"] == {"both": int(record.sparse.kept.sum()), "gained": [], "lost": []}
    assert value["moved"]["score"] == [record.similarity, record.similarity]
    assert value["rank"]["now"] == value["rank"]["before"]
    assert value["lengths"] == {"sparse": len(record.sparse_alignment.words), "dense": None, "denser": None}
    assert value["channels"] == service.model.config.embed_size


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
    assert (now[kept["gained"]] > before[kept["gained"]]).all() and (now[kept["lost"]] < before[kept["lost"]]).all()
    terms = value["moved"]["terms"]
    for index, name in enumerate(("before", "record")):
        moved = {term: ends[index] for term, ends in terms.items() if ends[index] is not None}
        assert moved == value[name]["terms"]
        assert sum(moved.values()) == pytest.approx(value["moved"]["score"][index], abs=1e-5)


@pytest.mark.parametrize(("settings", "with_dense"), zip(SETTINGS, (False, True, True), strict=True))
def test_ranks_are_those_of_the_networks_own_forward_pass(
    service: RetrievalService, base: Knobs, index: int, dense: str, settings: dict[str, Any], with_dense: bool
) -> None:
    knobs, indexed = replace(base, **settings), service.find("examples")
    walked = walk(asked(service, dense if with_dense else None, knobs))
    words, lengths = service.model.encode_captions([CAPTION])
    used = with_dense and knobs.dense
    rest = service.model.encode_captions([dense], dense=True) if used else ()
    net, images = network_with(service.model, knobs), require_in_memory(indexed).embeddings
    with torch.no_grad():
        scores = net(images, words, lengths, *rest)[:, 0]  # (V,)
    assert float(scores[index]) == pytest.approx(walked.record.similarity, abs=1e-5)
    assert walked.rank == 1 + int((scores > scores[index]).sum())


def test_the_caption_is_ranked_among_the_gallerys(service: RetrievalService, base: Knobs, index: int) -> None:
    indexed = service.find("examples")
    caption = indexed.gallery.items[index].captions[0]
    ranking = service.rank_captions(indexed, index, "examples")
    rank = walk_value(replace(asked(service, None, base), caption=caption))["caption_rank"]
    expected = (1 + ranking.captions.index(caption), len(ranking.captions), "examples")
    assert (rank["before"], rank["total"], rank["gallery"]) == expected
    typed = service.rank_captions(indexed, index, "examples", CAPTION)
    rank = value_of(service, None, replace(base, keep_ratio=0.2))["caption_rank"]
    assert (rank["before"], rank["total"]) == (1 + typed.captions.index(CAPTION), len(typed.captions))
    assert 1 <= rank["now"] <= len(typed.captions)


def test_a_draw_follows_its_seed_and_has_no_rank(service: RetrievalService, base: Knobs, dense: str) -> None:
    knobs = replace(base, decision="gumbel", seed=1)
    value, again = value_of(service, dense, knobs), value_of(service, dense, knobs)
    other = value_of(service, dense, replace(knobs, seed=2))
    warmer = value_of(service, dense, replace(knobs, temperature=3.0))
    kept = [each["record"]["branches"][0]["kept"] for each in (value, again, other, warmer)]
    assert kept[0] == kept[1] == kept[3] != kept[2]
    assert (value["rank"]["now"], value["caption_rank"]["now"]) == (None, None)
    assert value["untrained"] == ["decision"]
    decision = value["steps"][3]
    assert f"keeps {sum(kept[0])} of 196 patches" in decision["sentence"]
    probability = np.array(decision["keep_probability"])
    score = floats(value["record"]["branches"][0]["score"])
    low, high = service.model.cross_net.sparse_net_cap.score_range
    np.testing.assert_allclose(probability, (score - low) / (high - low), atol=1e-6)
    gradient = np.array(decision["decision_gradient"])
    assert (gradient > 0).all()
    assert not np.allclose(gradient, warmer["steps"][3]["decision_gradient"])


@pytest.mark.parametrize(("settings", "with_dense"), zip(SETTINGS, (False, True, True), strict=True))
def test_steps_have_short_sentences_and_true_shapes(
    service: RetrievalService, base: Knobs, index: int, dense: str, settings: dict[str, Any], with_dense: bool
) -> None:
    knobs = replace(base, **settings)
    value = value_of(service, dense if with_dense else None, knobs)
    assert len(value["steps"]) == STEPS == 9
    for step in value["steps"]:
        assert 5 <= len(step["sentence"].split()) <= 30, step["sentence"]
        assert step["equation"].startswith("<math")
    shapes = {tensor["name"]: tensor["shape"] for step in value["steps"] for tensor in step["tensors"]}
    indexed, model = service.find("examples"), service.model
    words = model.encode_captions([CAPTION])[0][0]
    dense_words = model.encode_captions([dense], dense=True)[0][0] if with_dense else None
    net = network_with(model, knobs)
    patches = indexed.patches(index)
    with torch.no_grad():
        match = net.match(net.encode_images(patches[None]), words, dense_words if knobs.dense else None)
    expected = {
        "I": model.preprocess([indexed.gallery.items[index].photo()])[0],
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


@pytest.mark.parametrize("settings", [{"beta": 0.0}, {"variant": "released"}])
def test_the_third_step_says_how_much_of_the_scores_spread_is_the_captions(
    service: RetrievalService, base: Knobs, index: int, dense: str, settings: dict[str, Any]
) -> None:
    knobs = replace(base, **settings)
    note = value_of(service, dense, knobs)["steps"][2]["note"]
    indexed, model, net = service.find("examples"), service.model, network_with(service.model, knobs)
    texts, (dense_words,) = service.caption_pool("examples")[0], model.encode_captions([dense], dense=True)[0]
    captions = zip(*model.encode_captions(texts), strict=True)
    with torch.no_grad():
        image = net.encode_images(indexed.patches(index)[None])
        passes = [net.match(image, words[:length], dense_words) for words, length in captions]
    scores = torch.stack([each.sparse.selection.score[0] for each in passes])  # (P, N)
    caption_part, whole = caption_spread(scores)
    assert f"spread over the patches {caption_part / whole:.1%} is the caption's" in note
    assert f"any of the {len(texts)} captions tried" in note
    for text in ("Move Beta", "the dense caption's with it"):
        assert (text in note) == (knobs.variant == "paper")
    assert (caption_part / whole < 1e-9) == (knobs.variant == "paper")  # there, with a beta of 0, no caption counts


def test_what_cannot_be_walked_is_told(service: RetrievalService, base: Knobs) -> None:
    for caption, knobs, step, message in (
        (CAPTION, base, 10, "There is no step 10"),
        (" ", base, 1, "The caption is empty"),
        (CAPTION, replace(base, aggr_ratio=0.1), 1, "The parameters make N_c = 39 aggregated tokens"),
    ):
        with pytest.raises(ValueError, match=message):
            walk_value(replace(asked(service, None, knobs), caption=caption), step)


def floats(values: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.frombuffer(b64decode(values["float32"]), "<f4").reshape(values["shape"])


SCRIPT = " ".join((Path(__file__).parents[4] / "assets" / "guide" / "teach.md").read_text().split())


def test_the_script_tells_what_the_slides_do(registry: ModelRegistry) -> None:
    service, indexed = registry.find("examples")
    opening = load_openings()["examples"]["search"]
    index = indexed.gallery.position(opening["photo"])
    dense, knobs = indexed.gallery.items[index].dense, evaluation_knobs(service.model)
    value = walk_value(WalkRequest(service, indexed, index, opening["captions"][0], dense, knobs), 1)
    shapes = {tensor["name"]: tensor["shape"] for step in value["steps"] for tensor in step["tensors"]}
    patches, words, dense = (shapes[name][0] for name in ("V", "T_s", "T_d"))
    sentence = f"a photograph is {patches} patches, this caption {words} word tokens, its dense caption {dense}, "
    assert sentence + f"{dense / words:.1f} times as many" in SCRIPT
    decision = next(step["sentence"] for step in value["steps"] if step["id"] == "decision")
    ((first, second),) = re.findall(r"The (\d+) of (\d+) patches", decision)
    assert f"{first} of the {second} patches stay" in SCRIPT
    merged, tokens = shapes["aggregated_s"][0], shapes["tokens_s"][0]
    assert f"become {merged} aggregated tokens" in SCRIPT
    assert f"a single extra token: {tokens} tokens represent" in SCRIPT
    parts = [name for name in shapes if re.fullmatch(r"s_[a-z]+", name)]
    assert (len(parts), shapes["terms"]) == (4, [4])
    assert "four parts, one weighted sum" in SCRIPT
    assert "two means of maxima and two values of a small network" in SCRIPT
