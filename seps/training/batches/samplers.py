"""Which captions and images meet in a batch, and which batches a process takes."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class ProcessShard:
    """One of several processes that train together: its rank among them, from 0, and how many they are."""

    rank: int = 0
    processes: int = 1

    def common(self, generator: torch.Generator) -> torch.Generator:
        """Return the generator for draws that must be equal in all processes, before `of` splits the batches."""
        if self.processes == 1:
            return generator
        return torch.Generator().manual_seed(generator.initial_seed())

    def of(self, batches: list[Tensor], generator: torch.Generator) -> list[Tensor]:
        """Return this process's share of equally drawn batches; later draws differ between processes."""
        if self.processes == 1:
            return batches
        generator.manual_seed(generator.initial_seed() * self.processes + self.rank)
        return batches[self.rank : self.count(len(batches)) * self.processes : self.processes]

    def span(self, items: int) -> range:
        """Give this process's shard of so many items, in order; shards differ by one at most, and may be empty."""
        return range(items * self.rank // self.processes, items * (self.rank + 1) // self.processes)

    def count(self, batches: int) -> int:
        """Count the batches that a process has: the same for each, so that none waits for another."""
        return batches // self.processes


def shuffle_batches(captions: int, batch_size: int, generator: torch.Generator) -> list[Tensor]:
    """Shuffle an epoch's caption indices into batches, each (B,); what does not fill a batch is left out."""
    order = torch.randperm(captions, generator=generator)
    return list(order[: captions // batch_size * batch_size].view(-1, batch_size))


def sample_captions(images: Tensor, captions_per_image: int, taken: int, generator: torch.Generator) -> list[Tensor]:
    """Draw `taken` rounds (1 to k) of captions, each (V,): one caption per image, none twice."""
    sampled = [torch.randperm(captions_per_image, generator=generator) for _ in range(len(images))]
    captions = images[:, None] * captions_per_image + torch.stack(sampled)  # (V, k)
    return list(captions.T[:taken])


def group_batches(pooled: Tensor, group: int, batch_size: int, generator: torch.Generator) -> list[Tensor]:
    """Build batches of groups of neighbours: hard negatives within a group, easy ones between groups."""
    free = torch.ones(len(pooled), dtype=torch.bool)
    groups = []
    for row in torch.randperm(len(pooled), generator=generator).tolist():
        if not free[row] or int(free.sum()) < group:
            continue
        near = (pooled @ pooled[row]).masked_fill(~free, -2.0)  # (V,)
        near[row] = 2.0
        members = near.topk(group).indices
        free[members] = False
        groups.append(members)
    order = torch.stack(groups)[torch.randperm(len(groups), generator=generator)].flatten()
    return list(order[: len(order) // batch_size * batch_size].view(-1, batch_size))


def similar_batches(
    pooled: Tensor, captions_per_image: int, taken: int, batch_size: int, noise: float, generator: torch.Generator
) -> list[Tensor]:
    """Return an epoch's batches (B,) of caption indices with similar images, no image twice in a batch."""
    along = pooled.float() @ torch.randn(pooled.shape[1], generator=generator)  # (V,)
    along = along + noise * along.std() * torch.randn(len(along), generator=generator)
    images = along.argsort()  # (V,)
    turns = torch.stack([torch.randperm(captions_per_image, generator=generator) for _ in range(len(images))])  # (V, k)
    batches = []
    for turn in turns.T[:taken]:  # one caption of every image at a time
        captions = images * captions_per_image + turn[images]  # (V,)
        batches += list(captions[: len(captions) // batch_size * batch_size].view(-1, batch_size))
    return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]
