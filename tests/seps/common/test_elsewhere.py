from argparse import Namespace
from collections.abc import Callable
from typing import Any

import pytest
import torch

from seps import CrossSparseAggrNet, TokenAggregation, TokenSparse


def calls_elsewhere() -> dict[str, Callable[[], Any]]:
    """Options of other programs, by their spelling there."""
    network: Any = CrossSparseAggrNet(8, 9)
    sparse: Any = TokenSparse(8)
    aggregation: Any = TokenAggregation(8, 3)
    image, words, attention = torch.randn(2, 9, 8), torch.randn(2, 4, 8), torch.rand(2, 9)
    make: Any = CrossSparseAggrNet
    build: Any = TokenAggregation
    return {
        "forward(long_cap_embs=)": lambda: network(image, words, [4, 4], long_cap_embs=words),
        "CrossSparseAggrNet(opt)": lambda: make(Namespace(embed_size=8, sparse_ratio=0.5)),
        "CrossSparseAggrNet(opt=)": lambda: make(opt={"embed_size": 8}),
        "TokenSparse(...)(tokens, attention_x, attention_y)": lambda: sparse(image, attention, attention),
        "TokenSparse(...)(attention_x=)": lambda: sparse(image, attention_x=attention, attention_y=attention),
        "TokenAggregation(keeped_patches=)": lambda: build(dim=8, keeped_patches=3),
        "TokenAggregation(...)(x)": lambda: aggregation(image),
        "TokenAggregation(...)(x, keep_policy)": lambda: aggregation(image, attention),
        "TokenAggregation(...)(x, keep_policy=)": lambda: aggregation(image, keep_policy=attention),
    }


@pytest.mark.parametrize("call", calls_elsewhere())
def test_a_call_as_elsewhere_says_the_name_here(call: str) -> None:
    with pytest.raises(TypeError, match=r" is .* here") as error:
        calls_elsewhere()[call]()
    assert str(error.value).count(". ") == 0  # a sentence
