"""S(I, T) in shares: all of it is there, and each is what it is said to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from seps import explain
from seps.method.alignment import HRPA
from seps.method.shares import relevance_mlp, relevance_shares, split_similarity, word_shares
from tests.helpers.cases import Case, cases, one_pair
from tests.helpers.examples import number_of_examples
from tests.helpers.forced import random_masks


@given(cases)
@settings(max_examples=number_of_examples(100))
def test_shares_add_up_to_the_similarity(case: Case) -> None:
    model, inputs = case.build()
    pair = one_pair(inputs, 0, 0)
    for masks in ({}, random_masks(case.seed, case.side**2, bool(case.dense_words))):
        record = explain(model, **pair, **masks)
        parts = split_similarity(model, record)
        assert len(parts) == 1 + (record.dense_alignment is not None)
        alignments = (record.sparse_alignment, record.dense_alignment)
        for shares, alignment in zip(parts, alignments, strict=False):
            assert alignment is not None
            assert (shares.caption, shares.words, shares.tokens) == (
                alignment.caption,
                alignment.words,
                alignment.tokens,
            )
            size = 1e-5 * max(1.0, abs(alignment.similarity))
            assert abs(shares.of_words.sum() + shares.of_tokens.sum() + shares.left_over - shares.similarity) < 1e-9
            assert abs(shares.similarity - alignment.similarity) < size
            # Each term of the record splits for itself.
            assert abs(shares.word_means.sum() - alignment.word_to_patch) < 1e-5
            assert abs(shares.token_means.sum() - alignment.patch_to_word) < 1e-5
            assert abs(shares.word_relevance.sum() + shares.word_left_over - alignment.word_relevance) < size
            assert abs(shares.token_relevance.sum() + shares.token_left_over - alignment.patch_relevance) < size
            assert abs(alignment.matrix.max(axis=0) / len(shares.words) - shares.word_means).max() < 1e-6
        assert abs(sum(one.similarity for one in parts) - record.similarity) < 1e-5 * max(1.0, abs(record.similarity))


def test_no_more_than_k_values_have_a_share_of_the_relevance() -> None:
    model, inputs = Case(words=9, top_k=3, seed=2).build()
    inputs["cap_lens"][0] = 9
    (shares,) = split_similarity(model, explain(model, **one_pair(inputs, 0, 0)))
    best = set(np.argsort(-shares.word_means)[:3].tolist())
    assert set(shares.word_relevance.nonzero()[0].tolist()) == best
    assert (shares.token_relevance != 0).sum() == 3


def test_the_released_variant_has_means_alone() -> None:
    model, inputs = Case(paper=False, dense_words=9).build()
    parts = split_similarity(model, explain(model, **one_pair(inputs, 0, 0)))
    assert [shares.caption for shares in parts] == ["sparse", "dense"]
    for shares in parts:
        assert not shares.word_relevance.any() and not shares.token_relevance.any() and shares.left_over == 0
    other, _ = Case(paper=True).build()
    with pytest.raises(ValueError, match="the record is one of the released variant, but the model is of the paper"):
        split_similarity(other, explain(model, **one_pair(inputs, 0, 0)))


def test_what_is_left_over_is_what_the_mlp_says_of_nothing() -> None:
    torch.manual_seed(1)
    hrpa: Any = HRPA(top_k=4, use_paper_version=True).double()
    best = torch.rand(7, 6, dtype=torch.float64) * 2 - 0.5
    shares, left_over = relevance_shares(hrpa, best)
    nothing = hrpa.relevance(torch.zeros(1, dtype=torch.float64))
    torch.testing.assert_close(left_over, nothing.expand(7), atol=1e-9, rtol=0)
    torch.testing.assert_close(shares.sum(dim=-1) + left_over, hrpa.relevance(best), atol=1e-9, rtol=0)
    # Of an MLP that is a plain product each share is the value times its weight.
    with torch.no_grad():
        hrpa.relevance_mlp[0].weight.zero_()[:4] = torch.eye(4) * 1e-3
        hrpa.relevance_mlp[0].bias.fill_(50.0)  # GELU is the identity there
        hrpa.relevance_mlp[2].weight[0, :4] = torch.tensor([1.0, 2, 3, 4], dtype=torch.float64) * 1e3
    shares, _ = relevance_shares(hrpa, torch.tensor([0.1, 0.9, 0.5, 0.2, 0.7], dtype=torch.float64))
    torch.testing.assert_close(shares, torch.tensor([0.0, 0.9, 1.5, 0.8, 1.4], dtype=torch.float64))


def test_slopes_are_the_mlps_own() -> None:
    hrpa: Any = HRPA(top_k=3, use_paper_version=True).double()
    seen = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    value, slopes = relevance_mlp(hrpa, seen)
    torch.testing.assert_close(value, hrpa.relevance_mlp(seen).squeeze(-1))
    (expected,) = torch.autograd.grad(hrpa.relevance_mlp(seen).sum(), seen)
    torch.testing.assert_close(slopes, expected)


def test_word_shares_of_many_matrices_are_those_of_each() -> None:
    model, inputs = Case(images=1, words=7).build()
    record = explain(model, **one_pair(inputs, 0, 0))
    (shares,) = split_similarity(model, record)
    many = word_shares(torch.tensor(record.sparse_alignment.matrix).expand(4, 2, -1, -1))
    assert many.shape == (4, 2, len(shares.words))
    np.testing.assert_allclose(many[3, 1], shares.word_means, atol=1e-6)
