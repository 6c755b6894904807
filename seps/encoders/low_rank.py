"""Low-rank weight differences (LoRA, arXiv 2106.09685), which store what a large layer learned in a small file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrize import register_parametrization

from seps.encoders.tails import text_layers

ADDED: ContextVar[bool] = ContextVar("low-rank differences are added", default=True)  # separate for each thread


class LowRank(nn.Module):
    """A low-rank difference added to a weight (rows, columns); 0 at initialisation.

    Args:
        rank: r, of `up` (rows, r) times `down` (r, columns).
    """

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.zeros(rows, rank))
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5)

    def forward(self, weight: Tensor) -> Tensor:
        """Add the difference."""
        return weight + self.up @ self.down if ADDED.get() else weight


@contextmanager
def disable_differences() -> Iterator[None]:
    """Disable low-rank differences in this thread: models compute as before fine-tuning."""
    token = ADDED.set(False)
    try:
        yield
    finally:
        ADDED.reset(token)


def add_low_rank(bert: nn.Module, rank: int, layers: int) -> None:
    """Add a difference of this rank to every linear layer in the last layers of a BERT.

    Raises:
        ValueError: an encoder without such layers, or with fewer.
    """
    whole = text_layers(bert, 0)
    if layers > len(whole):
        raise ValueError(f"text.low_rank_layers is {layers}, but the text encoder has {len(whole)} layers.")
    for layer in whole[-layers:]:
        for part in [module for module in layer.modules() if isinstance(module, nn.Linear)]:
            register_parametrization(part, "weight", LowRank(part.out_features, part.in_features, rank))
