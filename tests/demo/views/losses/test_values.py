"""The playground's numbers are those of the model and of the library's losses."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import torch

from demo.service.retrieval import RetrievalService
from demo.views.losses.values import BATCH, UNFORESEEN, class_names, classes_naming, playground_value, ratio_curves
from seps import align_loss, ratio_loss


def test_the_matrix_is_the_models_own(service: RetrievalService) -> None:
    value = playground_value(service)
    items = service.find("examples").gallery.items
    for row, column in ((0, 0), (2, 5), (7, 6)):
        item = next(item for item in items if item.key == value["photos"][row]["key"])
        record = service.model.explain(item.photo(), value["captions"][column]["text"])
        assert value["similarity"][row][column] == pytest.approx(record.similarity, abs=1e-5)
    assert [photo["key"] for photo in value["photos"]] == [key for key, _ in BATCH]
    assert len(json.loads(json.dumps(value))["similarity"]) == 8


def test_one_photograph_comes_twice_with_two_captions(service: RetrievalService) -> None:
    value = playground_value(service)
    ids = [photo["img_id"] for photo in value["photos"]]
    assert ids == [caption["img_id"] for caption in value["captions"]]
    assert sorted(ids) == [0, 1, 2, 3, 4, 5, 6, 6]
    assert len({caption["text"] for caption in value["captions"]}) == 8
    assert np.argwhere(value["same_image"]).tolist() == [[6, 7], [7, 6]]
    assert value["similarity"][6] == pytest.approx(value["similarity"][7], abs=1e-6)


@pytest.mark.parametrize("mask_ids", [True, False])
@pytest.mark.parametrize("mining", ["all", "hardest"])
@pytest.mark.parametrize("margin", [0.0, 0.2, 0.7])
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


def test_violations_are_those_of_equation_6(service: RetrievalService) -> None:
    value = playground_value(service, 0.2)
    similarity = np.asarray(value["similarity"])
    for i in range(8):
        for j in range(8):
            alone = value["excluded"][i][j]
            by_row = 0 if alone else max(0.0, 0.2 - similarity[i, i] + similarity[i, j])
            by_column = 0 if alone else max(0.0, 0.2 - similarity[j, j] + similarity[i, j])
            assert value["to_captions"][i][j] == pytest.approx(by_row, abs=1e-5)
            assert value["to_images"][i][j] == pytest.approx(by_column, abs=1e-5)
    assert 0 < value["violating"] < 56


def test_image_ids_mask_the_second_caption_of_a_photograph(service: RetrievalService) -> None:
    masked, unmasked = playground_value(service, mask_ids=True), playground_value(service, mask_ids=False)
    assert masked["excluded"][6][7] and not unmasked["excluded"][6][7]
    assert masked["to_captions"][6][7] == 0 < unmasked["to_captions"][6][7]
    added = sum(pair["to_captions"] + pair["to_images"] for pair in masked["masked"]["pairs"])
    assert [(pair["row"], pair["column"]) for pair in masked["masked"]["pairs"]] == [(6, 7), (7, 6)]
    assert masked["masked"] == unmasked["masked"]
    assert masked["masked"]["with_ids"] == masked["now"]
    assert masked["masked"]["without_ids"] == unmasked["now"]
    assert unmasked["now"] - masked["now"] == pytest.approx(added, abs=1e-4) and added > 0


def test_the_curve_passes_through_the_loss_and_rises(service: RetrievalService) -> None:
    value = playground_value(service, 0.2)
    curve = value["curve"]
    index = int(np.argmin(np.abs(np.asarray(curve["margins"]) - 0.2)))
    assert curve["margins"][index] == pytest.approx(0.2)
    assert (curve["margins"][0], curve["margins"][-1]) == (0.0, 1.0)
    for name in ("all", "hardest"):
        assert curve[name][index] == pytest.approx(value["loss"][name], abs=1e-5)
        assert (np.diff(curve[name]) > 0).all()


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


@pytest.mark.parametrize(
    ("margin", "mining", "message"), [(1.5, "all", "The margin is 1.5"), (0.2, "some", "The mining is 'some'")]
)
def test_what_cannot_be_set_is_told(service: RetrievalService, margin: float, mining: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        playground_value(service, margin, mining)
