"""Gather the embeddings of all training processes, so that negatives come from all of them."""

from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor


class _Joined(torch.autograd.Function):
    """Concatenates the tensors of all processes; the gradient is summed over processes.

    `torch.distributed.nn.functional.all_gather` does the same, but torch 2.14 deprecates it for a private module.
    """

    @staticmethod
    def forward(ctx: Any, tensor: Tensor) -> Tensor:
        """Join (B, ...) of each process to (P B, ...)."""
        ctx.rows = len(tensor)
        return joined(tensor)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        """Take this process's rows of the sum over processes."""
        total = gradients[0].contiguous().clone()
        dist.all_reduce(total)
        return total[dist.get_rank() * ctx.rows :][: ctx.rows]


def processes() -> int:
    """Count the processes that train together."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def joined(tensor: Tensor) -> Tensor:
    """Join tensors (B, ...) of the same shape, one of each process, to (P B, ...), without gradient."""
    if processes() == 1:
        return tensor
    parts = [torch.empty_like(tensor, memory_format=torch.contiguous_format) for _ in range(processes())]
    dist.all_gather(parts, tensor.detach().contiguous())
    return torch.cat(parts)


def gather_embeddings(embeddings: Tensor) -> Tensor:
    """Join embeddings (B, ...) of the same shape, one of each process, to (P B, ...), with gradient."""
    if processes() == 1:
        return embeddings
    return _Joined.apply(embeddings)


def gather_captions(words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Join captions (B, L, C) with lengths (B,) of all processes to (P B, L', C), padded, with gradient, and (P B,)."""
    if processes() == 1:
        return words, lengths
    longest = torch.tensor(words.shape[1], device=words.device)
    dist.all_reduce(longest, dist.ReduceOp.MAX)
    padded = F.pad(words, (0, 0, 0, int(longest) - words.shape[1]))
    return gather_embeddings(padded), joined(lengths.to(words.device))


def gather_lists(items: list[Any]) -> list[list[Any]]:
    """Collect a list from each process, in the order of their ranks; what they hold is copied by pickling."""
    if processes() == 1:
        return [items]
    lists: list[Any] = [None] * processes()
    dist.all_gather_object(lists, items)
    return lists
