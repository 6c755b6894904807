import pytest
import torch
from torch import nn

from seps.encoders.heads import ContextHead, Standardize


def test_standardize_takes_the_training_features_statistics() -> None:
    layer = Standardize(2)
    features = torch.tensor([[0.0, 5.0], [4.0, 5.0]])
    assert torch.equal(layer(features), features)
    layer.fit(features)
    assert layer.mean.tolist() == [2.0, 5.0]
    torch.testing.assert_close(layer(features)[:, 0], torch.tensor([-1.0, 1.0]) / 2**0.5)
    assert float(layer.std[1]) == pytest.approx(1e-3)  # a channel that does not vary is not blown up without bound


def test_context_joins_every_token() -> None:
    head = ContextHead(3, 5, 4, dropout=0.0)
    plain = nn.Linear(3, 4)
    features, summary = torch.randn(2, 6, 3), torch.randn(2, 5)
    tokens = head(plain, features, summary)
    torch.testing.assert_close(tokens, plain(features) + (summary @ head.proj.weight.T)[:, None])


def test_dropout_draws_once_an_image_and_only_in_training() -> None:
    head = ContextHead(64, 5, 64, dropout=0.5)
    identity = nn.Linear(64, 64, bias=False)
    nn.init.eye_(identity.weight)
    nn.init.zeros_(head.proj.weight)
    tokens = head.train()(identity, torch.ones(3, 7, 64), torch.zeros(3, 5))
    assert set(tokens.unique().tolist()) == {0.0, 2.0}
    assert torch.equal(tokens, tokens[:, :1].expand_as(tokens))
    assert not torch.equal(tokens[0], tokens[1])
    assert torch.equal(head.eval()(identity, torch.ones(3, 7, 64), torch.zeros(3, 5)), torch.ones(3, 7, 64))
