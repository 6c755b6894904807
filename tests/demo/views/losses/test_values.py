import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from demo.record.settings import network_with, trained_knobs
from demo.record.texts.table import LESSON
from demo.service.retrieval import RetrievalService
from demo.views.losses.claims import CLAIMS, claims_value, run_claim
from demo.views.losses.page import PANEL, RATIO_FILE, guide_page, ratio_experiment
from demo.views.losses.values import (
    UNFORESEEN,
    class_names,
    classes_naming,
    playground_value,
    ratio_curves,
    read_batch,
)
from seps import align_loss, ratio_loss
from seps.runs.recipe import recipe_files
from seps.training.guide import CLAIMED_KEPT


def test_the_matrix_is_the_models_own(service: RetrievalService) -> None:
    value = playground_value(service)
    indexed = service.find("examples")
    titles = [item.title for item in indexed.gallery.items]
    for row, column in ((0, 0), (7, 6)):
        index = titles.index(value["photos"][row]["title"])
        record = service.explain(indexed, index, value["captions"][column]["text"])
        assert value["similarity"][row][column] == pytest.approx(record.similarity, abs=1e-5)
    assert len(json.loads(json.dumps(value))["similarity"]) == 8


@pytest.mark.parametrize(("margin", "mining", "mask_ids"), [(0.0, "hardest", True), (0.7, "all", False)])
def test_what_is_counted_adds_up_to_the_loss(
    service: RetrievalService, margin: float, mining: str, mask_ids: bool
) -> None:
    value = playground_value(service, margin, mining, mask_ids)
    ids = [photo["img_id"] for photo in value["photos"]] if mask_ids else None
    loss = float(align_loss(torch.tensor(value["similarity"]), margin, mining == "hardest", ids))
    terms = sum(
        np.asarray(value[f"to_{name}"])[np.asarray(value[f"counted_{name}"])].sum() for name in ("captions", "images")
    )
    assert value["now"] == pytest.approx(loss, abs=1e-5)
    assert value["loss"][mining] == value["now"]
    assert terms == pytest.approx(loss, abs=1e-4)
    assert value["counted"] == np.sum(value["counted_captions"]) + np.sum(value["counted_images"])
    assert value["loss"]["hardest"] <= value["loss"]["all"]
    if mining == "hardest":
        assert np.sum(value["counted_captions"], axis=1).max() == np.sum(value["counted_images"], axis=0).max() == 1


def test_image_ids_mask_the_second_caption_of_a_photograph(service: RetrievalService) -> None:
    masked, unmasked = playground_value(service, mask_ids=True), playground_value(service, mask_ids=False)
    assert masked["excluded"][6][7] and not unmasked["excluded"][6][7]
    assert masked["to_captions"][6][7] == 0 < unmasked["to_captions"][6][7]
    added = sum(unmasked[to][row][column] for to in ("to_captions", "to_images") for row, column in ((6, 7), (7, 6)))
    assert [(pair["row"], pair["column"]) for pair in masked["masked"]["pairs"]] == [(6, 7), (7, 6)]
    assert masked["masked"] == unmasked["masked"]
    assert masked["masked"]["with_ids"] == masked["now"]
    assert masked["masked"]["without_ids"] == unmasked["now"]
    assert unmasked["now"] - masked["now"] == pytest.approx(added, abs=1e-4) and added > 0


def test_ratio_losses_and_their_gradients() -> None:
    curves = ratio_curves(0.4)
    fractions = np.asarray(curves["shares"])
    mse, mae, huber = (curves["losses"][name] for name in ("mse", "mae", "huber"))
    for index in (0, 10, 40, 90):
        mask = (torch.arange(100) < round(100 * fractions[index])).double()
        assert mse["value"][index] == pytest.approx(float(ratio_loss((mask,), 0.4)))
    np.testing.assert_allclose(mse["gradient"], 2 * (fractions - 0.4), atol=1e-12)
    np.testing.assert_allclose(mae["value"], np.abs(fractions - 0.4), atol=1e-12)
    away = np.abs(fractions - 0.4) > 1e-9
    np.testing.assert_array_equal(np.asarray(mae["gradient"])[away], np.sign(fractions - 0.4)[away])
    np.testing.assert_allclose(huber["gradient"], np.clip(fractions - 0.4, -0.1, 0.1), atol=1e-12)
    assert curves["target"] == 0.4


def test_a_caption_that_no_class_foresaw_still_finds_its_photograph(service: RetrievalService) -> None:
    ranking = playground_value(service)["ranking"]
    assert ranking["classes"] == len(class_names()) == 1000
    assert len(ranking["examples"]) == len(UNFORESEEN)
    for example in ranking["examples"]:
        assert example["subject"].lower() in example["caption"].lower()
        assert not any(example["subject"].lower() in name.lower() for name in class_names())
        assert (example["named_by"], example["total"]) == ([], 14)
        order = service.rank_images(service.find("examples"), example["caption"]).order
        titles = [service.find("examples").gallery.items[index].title for index in order]
        assert example["rank"] == 1 + titles.index(example["title"])
        assert (example["score"] > example["other_score"]) == (example["rank"] == 1)
        assert example["best_other"] == next(title for title in titles if title != example["title"])
    assert sum(example["rank"] == 1 for example in ranking["examples"]) >= 3
    assert classes_naming("cheetah") and classes_naming("tabby")


def test_what_cannot_be_set_is_told(service: RetrievalService) -> None:
    with pytest.raises(ValueError, match=r"The margin is 1\.5"):
        playground_value(service, 1.5, "all")
    with pytest.raises(ValueError, match="The mining is 'some'"):
        playground_value(service, 0.2, "some")


SAME = "the same patches for every caption"


@pytest.fixture(scope="module")
def results(service: RetrievalService) -> dict[str, dict[str, Any]]:
    """Each claim's result; the model is as it was before."""
    before = {key: value.clone() for key, value in service.model.cross_net.state_dict().items()}
    results = {name: json.loads(json.dumps(run_claim(service, name))) for name in CLAIMS}
    assert all(torch.equal(value, before[key]) for key, value in service.model.cross_net.state_dict().items())
    assert all(values.grad is None for values in service.model.parameters())
    assert not service.model.cross_net.training and not service.model.cross_net.use_gumbel_softmax
    return results


def test_the_numbers_say_what_the_claims_say(results: dict[str, dict[str, Any]]) -> None:
    assert [result["holds"] for result in results.values()] == [True] * 4
    fixed, drawn, cut = (results[name]["measured"] for name in ("top-k", "gumbel", "cut-gradient"))
    assert fixed["smallest kept share"] == fixed["largest kept share"] == 0.5
    assert fixed["L_ratio for a target of 0.3"] == pytest.approx(0.08, abs=1e-6)
    assert fixed["its gradient, target 0.3"] == fixed["its gradient, target 0.5"] == 0
    assert drawn["smallest kept share"] < 0.5 < drawn["largest kept share"]
    assert drawn["L_ratio, seed 0"] > 0 and drawn["gradient of L_ratio at the score networks"] > 0
    assert cut["released, without [CLS]: at the patches"] == 0
    assert cut["released, without [CLS]: at the image encoder's head"] == 0
    assert cut["released, with [CLS]: at [CLS]"] > 0 == cut["released, with [CLS]: at the patches"]
    assert cut["paper, without [CLS]: at the image encoder's head"] > 0


def test_a_selector_that_cheats_is_seen_by_the_ratio_loss_alone(
    service: RetrievalService, results: dict[str, dict[str, Any]]
) -> None:
    measured = results["cheats"]["measured"]
    align, ratio = (
        {name: measured[f"{kind}, {name}"] for name in ("its own decision", "all patches", "one patch", SAME)}
        for kind in ("L_align", "L_ratio")
    )
    assert ratio["all patches"] == pytest.approx(0.5) and ratio["one patch"] == pytest.approx(2 * (0.5 - 1 / 196) ** 2)
    assert ratio["its own decision"] == ratio[SAME] == 0
    batch = read_batch(service)
    net = network_with(service.model, trained_knobs(service.model))
    with torch.no_grad():
        dense = batch.dense_words, batch.dense_lengths
        similarity = net(batch.images, batch.words, batch.lengths, *dense)
    assert align["its own decision"] == pytest.approx(float(align_loss(similarity, img_ids=batch.img_ids)), abs=1e-4)
    assert min(align["one patch"], align[SAME]) < align["its own decision"]


def test_the_page_gets_every_claim_with_what_was_measured(
    service: RetrievalService, results: dict[str, dict[str, Any]]
) -> None:
    claims = claims_value({"top-k": results["top-k"]})["claims"]
    assert [(claim["name"], claim["claim"], claim["how"]) for claim in claims] == [
        (name, LESSON["claim"][name], LESSON["how"][name]) for name in CLAIMS
    ]
    assert [claim["result"] for claim in claims] == [results["top-k"], None, None, None]
    with pytest.raises(ValueError, match="There is no claim 'moon'"):
        run_claim(service, "moon")


ROOT = Path(__file__).parents[4]


def test_each_weight_s_curve_stands_beside_its_claim() -> None:
    experiment, measured = ratio_experiment(), json.loads(RATIO_FILE.read_text())
    page = guide_page()
    text = unescape(re.sub(r"<[^>]*>", "", page))
    assert [run["ratio_weight"] for run in experiment["runs"]] == list(CLAIMED_KEPT)
    curves = re.findall(r'<polyline[^>]* points="([^"]*)"', page)
    for run, curve in zip(measured["runs"], curves, strict=True):
        points = [point.split(",") for point in curve.split()]
        assert [PANEL[1] * (1 - kept) for kept in run["kept"]] == pytest.approx([float(y) for _, y in points], abs=0.06)
        assert float(points[-1][0]) == PANEL[0]
        late = run["kept"][len(run["kept"]) // 2 :]
        assert (min(late), max(late)) == (run["low"], run["high"])
        assert f"measured {run['low']:.2f} to {run['high']:.2f}, on average {run['mean']:.2f}" in text
    for claim in ("0.20 to 0.80", "0.45 to 0.55", "0.48 to 0.52", "about 0.50"):
        assert f"claimed {claim}" in text
    means = {run["ratio_weight"]: f"{run['mean']:.2f}" for run in measured["runs"]}
    assert f"Without the ratio loss the kept share is {means.pop(0.0)} on average" in text
    assert f"with it, {min(means.values())} to {max(means.values())}" in text
    assert all(abs(float(mean) - measured["target_ratio"]) < 0.02 for mean in means.values())  # as the page says
    assert f"{sum(run['holds'] for run in experiment['runs'])} of 4 runs stay inside" in text
    assert measured["command"] in text
    assert (ROOT / measured["recipe"]).resolve() == recipe_files("configs/recipes")["ratio"].resolve()
