from argparse import Namespace
from typing import Any

import pytest
import torch

from seps import CrossSparseAggrNet, TokenAggregation, TokenSparse

NETWORK: Any = CrossSparseAggrNet
AGGREGATION: Any = TokenAggregation
IMAGE, WORDS, ATTENTION = torch.randn(2, 9, 8), torch.randn(2, 4, 8), torch.rand(2, 9)


@pytest.mark.parametrize(
    ("function", "arguments", "options"),
    [
        (NETWORK(8, 9), (IMAGE, WORDS, [4, 4]), {"long_cap_embs": WORDS}),
        (NETWORK, (Namespace(embed_size=8, sparse_ratio=0.5),), {}),
        (NETWORK, (), {"opt": {"embed_size": 8}}),
        (TokenSparse(8), (IMAGE, ATTENTION, ATTENTION), {}),
        (TokenSparse(8), (IMAGE,), {"attention_x": ATTENTION, "attention_y": ATTENTION}),
        (AGGREGATION, (8,), {"keeped_patches": 3}),
        (AGGREGATION(8, 3), (IMAGE, ATTENTION), {}),
        (AGGREGATION(8, 3), (IMAGE,), {"keep_policy": ATTENTION}),
    ],
)
def test_a_call_with_the_names_of_the_released_code_says_the_name_here(
    function: Any, arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    with pytest.raises(TypeError, match=r"^[^.]* is .* here"):
        function(*arguments, **options)
