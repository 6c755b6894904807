"""A pair is explained alike by whoever asks: with words, on the model's device, by the network at hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from demo.record.settings import evaluation_knobs, network_with
from demo.service.explaining import explain_pair
from demo.service.retrieval import RetrievalService

CAPTION = "a motorcycle parked indoors"


def test_a_pair_is_explained_as_the_model_explains_a_photograph(service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("motorcycle")
    item = indexed.gallery.items[index]
    record = explain_pair(service.model, indexed.patches(index), CAPTION, item.dense)
    expected = service.model.explain(item.photo(), CAPTION, item.dense)
    assert record.similarity == pytest.approx(expected.similarity, abs=1e-4)
    assert record.sparse_alignment.words == expected.sparse_alignment.words
    assert record.grid == expected.grid
    assert record.dense is not None
    np.testing.assert_array_equal(record.dense.kept, expected.dense.kept if expected.dense else None)
    alone = explain_pair(service.model, indexed.patches(index), CAPTION, "")
    assert alone.dense is None


def test_another_network_and_its_noise_take_the_place_of_the_models_own(service: RetrievalService) -> None:
    indexed = service.find("examples")
    patches = indexed.patches(indexed.gallery.position("motorcycle"))
    net = network_with(service.model, replace(evaluation_knobs(service.model), decision="gumbel"))
    drawn = [
        explain_pair(service.model, patches, CAPTION, None, net, torch.Generator().manual_seed(seed)).sparse.kept
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()
    released = network_with(service.model, replace(evaluation_knobs(service.model), variant="released"))
    assert explain_pair(service.model, patches, CAPTION, net=released).variant == "released"
