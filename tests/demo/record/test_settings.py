import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from demo.record.settings import (
    Knobs,
    changes,
    evaluation_knobs,
    fixed,
    idle,
    limits,
    network_with,
    read_knobs,
    trained_knobs,
    untrained,
)
from demo.service.retrieval import RetrievalService
from seps import CrossSparseAggrNet, explain

CAPTION = "a motorcycle parked indoors"
KNOBS = Knobs(0.5, 0.4, 0.25, 5)


@pytest.fixture(scope="module")
def pair(service: RetrievalService) -> tuple[Tensor, Tensor]:
    """A photograph's patches and a caption's words."""
    indexed = service.find("examples")
    patches = indexed.patches(indexed.gallery.position("motorcycle"))
    return patches, service.model.encode_captions([CAPTION])[0][0]


def test_trained_settings_give_the_trained_network(service: RetrievalService, pair: tuple[Tensor, Tensor]) -> None:
    trained, options = trained_knobs(service.model), service.model.config.network
    values = (options["sparse_ratio"], options["aggr_ratio"], options["beta"], options["top_k"])
    assert trained == Knobs(*values) == evaluation_knobs(service.model)
    net = network_with(service.model, trained)
    assert not net.training
    assert explain(net, *pair).similarity == explain(service.model.cross_net, *pair).similarity
    parameters = dict(service.model.cross_net.named_parameters())
    for name, parameter in net.named_parameters():
        assert parameter.data_ptr() == parameters[name].data_ptr(), name  # shared, not copied


@pytest.mark.parametrize(("ratio", "kept"), [(0.05, 10), (1.0, 196)])
def test_the_keep_ratio_moves_the_kept_count_alone(
    service: RetrievalService, pair: tuple[Tensor, Tensor], ratio: float, kept: int
) -> None:
    net = network_with(service.model, replace(trained_knobs(service.model), keep_ratio=ratio))
    record = explain(net, *pair)
    trained = explain(service.model.cross_net, *pair)
    assert record.sparse.kept.sum() == kept
    assert record.sparse.aggregation_weights is not None
    assert len(record.sparse.aggregation_weights) == net.num_tokens == service.model.cross_net.num_tokens
    assert (record.sparse.score == trained.sparse.score).all()
    assert (record.sparse.rank[record.sparse.kept] < kept).all()


def test_beta_weighs_the_parts(service: RetrievalService, pair: tuple[Tensor, Tensor]) -> None:
    record = explain(network_with(service.model, replace(trained_knobs(service.model), beta=0.1)), *pair)
    assert record.sparse.coefficients == pytest.approx({"s_p": 0.8, "s_st": 0.1, "s_im": 0.2})


def test_a_smaller_k_shows_the_relevance_mlp_zeros(service: RetrievalService, pair: tuple[Tensor, Tensor]) -> None:
    net = network_with(service.model, replace(trained_knobs(service.model), top_k=3))
    trained = service.model.cross_net.hrpa
    best = torch.tensor([[0.9, -0.2, 0.7, 0.1, 0.5, 0.3]])
    seen = torch.zeros(1, trained.top_k)
    seen[0, :3] = best.sort(descending=True).values[0, :3]
    torch.testing.assert_close(net.hrpa.relevance(best), trained.relevance_mlp(seen)[:, 0])
    assert trained.top_k == trained_knobs(service.model).top_k  # the model's own is as it was
    assert explain(net, *pair).terms["sparse patch relevance"] != pytest.approx(
        explain(service.model.cross_net, *pair).terms["sparse patch relevance"], abs=1e-4
    )


def test_what_the_parameters_fix_is_refused_and_told(service: RetrievalService) -> None:
    trained = trained_knobs(service.model)
    assert list(fixed(service.model)) == ["aggr_ratio"]
    with pytest.raises(ValueError, match="The parameters make N_c = 39 aggregated tokens"):
        network_with(service.model, replace(trained, aggr_ratio=0.2))
    assert network_with(service.model, replace(trained, aggr_ratio=0.4)).num_tokens == 39
    assert limits(service.model)["top_k"] == (1, 5)
    with pytest.raises(ValueError, match="top_k is 6, but the relevance MLP was trained for 5 values"):
        network_with(service.model, replace(trained, top_k=6))


def test_a_model_of_the_released_code_cannot_become_the_papers() -> None:
    model: Any = SimpleNamespace(cross_net=CrossSparseAggrNet(16, 16))
    assert {"variant", "beta", "top_k", "aggr_ratio"} == set(fixed(model))
    with pytest.raises(ValueError, match="This model was trained as the released code"):
        network_with(model, replace(trained_knobs(model), variant="paper"))


def test_only_what_training_did_not_see_is_marked(service: RetrievalService) -> None:
    trained = trained_knobs(service.model)
    assert untrained(replace(trained, seed=7, dense=False), trained) == []
    assert untrained(replace(trained, keep_ratio=0.2, top_k=3), trained) == ["keep_ratio", "top_k"]
    assert untrained(replace(trained, decision="gumbel", keep_ratio=0.2), trained) == ["decision"]
    assert untrained(replace(trained, variant="released", beta=0.0), trained) == ["variant"]


def test_a_knob_without_effect_counts_for_nothing(service: RetrievalService) -> None:
    trained = trained_knobs(service.model)
    assert set(idle(trained)) == {"temperature", "seed"}
    assert set(idle(replace(trained, decision="gumbel", variant="released"), has_dense=False)) == {
        "keep_ratio",
        "beta",
        "top_k",
        "dense",
    }
    assert changes(replace(trained, seed=3, temperature=2.0), trained) == []
    assert changes(replace(trained, seed=3, decision="gumbel"), trained) == ["decision", "seed"]
    assert changes(replace(trained, dense=False), trained) == ["dense"]
    assert changes(replace(trained, dense=False), trained, has_dense=False) == []


def test_knobs_come_from_a_browser() -> None:
    read = read_knobs({"keep_ratio": 1, "top_k": 3.0, "dense": False, "decision": "gumbel"}, KNOBS)
    assert read == replace(KNOBS, keep_ratio=1.0, top_k=3, dense=False, decision="gumbel")
    assert isinstance(read.top_k, int)


def test_bad_knobs_are_told() -> None:
    for knob, value, message in (
        ("colour", 1, "There is no knob 'colour'"),
        ("beta", float("nan"), "beta is nan, but it must lie between 0 and 0.5"),
        ("beta", "0.2", "beta is '0.2', but a number is needed"),
        ("top_k", 2.5, "top_k is 2.5, but a whole number is needed"),
        ("decision", [], "decision is [], but it must be 'top-k' or 'gumbel'"),
        ("dense", 1, "dense is 1, but it must be True or False"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            read_knobs({knob: value}, KNOBS)
