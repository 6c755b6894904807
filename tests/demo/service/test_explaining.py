"""A pair is explained alike by whoever asks: with words, on the model's device, by the network at hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from demo.page.values import explained, ranked
from demo.record.settings import evaluation_knobs, network_with
from demo.service.counterfactual import Forcing
from demo.service.encoded import encode_caption
from demo.service.explaining import explain_pair
from demo.service.retrieval import RetrievalService
from demo.views.state import ViewState
from seps import CrossSparseAggrNet
from seps.method.network import ImageFeatures

CAPTION = "a motorcycle parked indoors"


def test_a_pair_is_explained_as_the_model_explains_a_photograph(service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("motorcycle")
    item = indexed.gallery.items[index]
    encoded = encode_caption(service.model, CAPTION, item.dense)
    record = explain_pair(service.model, indexed.patches(index), encoded)
    expected = service.model.explain(item.photo(), CAPTION, item.dense)
    assert record.similarity == pytest.approx(expected.similarity, abs=1e-4)
    assert record.sparse_alignment.words == expected.sparse_alignment.words
    assert record.grid == expected.grid
    assert record.dense is not None
    np.testing.assert_array_equal(record.dense.kept, expected.dense.kept if expected.dense else None)
    alone = explain_pair(service.model, indexed.patches(index), encoded.alone)
    assert alone.dense is None


def test_another_network_and_its_noise_take_the_place_of_the_models_own(service: RetrievalService) -> None:
    indexed = service.find("examples")
    patches = indexed.patches(indexed.gallery.position("motorcycle"))
    net = network_with(service.model, replace(evaluation_knobs(service.model), decision="gumbel"))
    encoded = encode_caption(service.model, CAPTION)
    drawn = [
        explain_pair(service.model, patches, encoded, net, torch.Generator().manual_seed(seed)).sparse.kept
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()
    released = network_with(service.model, replace(evaluation_knobs(service.model), variant="released"))
    assert explain_pair(service.model, patches, encoded, net=released).variant == "released"


@pytest.mark.parametrize("dense", [None, "A motorcycle stands in a room, beside a wall."])
def test_what_a_ranking_encoded_is_not_encoded_again(
    service: RetrievalService, dense: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, passes, encoded_images = service.model, list[list[int]](), list[torch.Tensor]()
    encode_images = CrossSparseAggrNet.encode_images

    def passed(_: nn.Module, inputs: tuple[()], named: dict[str, torch.Tensor]) -> None:
        passes.extend(named["input_ids"].tolist())

    def counted(net: CrossSparseAggrNet, patches: torch.Tensor) -> ImageFeatures:
        encoded_images.append(patches)
        return encode_images(net, patches)

    monkeypatch.setattr(CrossSparseAggrNet, "encode_images", counted)
    indexed, caption = service.find("examples"), "a motorcycle, not ranked by another test"
    index = indexed.gallery.position("motorcycle")
    with model.txt_enc.bert.register_forward_pre_hook(passed, with_kwargs=True):
        state = ViewState("examples", index, caption, dense)
        ranked(service, indexed, state)
        explained(service, indexed, state)
        texts = [model.tokenizer.encode(text, 200) for text in (caption, dense) if text]
        assert [passes.count(ids) for ids in texts] == [1] * len(texts)
        forcing = Forcing(service, indexed, index, caption, dense)
        passes.clear()
        for patch in (3, 7):
            mask = forcing.decided.record.sparse.kept.copy()
            mask[patch] = ~mask[patch]
            assert forcing.attempt(mask).record.forced
    assert not passes and not encoded_images
