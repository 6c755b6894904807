"""Records of a random network on any grid, and the cases that tests of pictures and layers run over."""

import torch

from seps import CrossSparseAggrNet, Explanation, explain
from seps.explanation.classes import with_classes

CHANNELS = 16
WORDS = ("[CLS]", "a", "dog", "##s", "$", "[SEP]")
CLASSES = ("espresso", "coffee mug", "tabby")
CASES = [
    (variant, dense, grid)
    for variant, dense in (("paper", False), ("paper", True), ("released", False), ("released", True))
    for grid in ((5, 5), (4, 7))
]


def random_record(
    variant: str = "paper",
    dense: bool = False,
    grid: tuple[int, int] = (4, 7),
    seed: int = 0,
    sparse_ratio: float = 0.5,
    **options: bool,
) -> Explanation:
    """The record of a random network on random embeddings; the same arguments give the same record."""
    torch.manual_seed(seed)
    patches = grid[0] * grid[1]
    network = CrossSparseAggrNet(CHANNELS, patches, sparse_ratio, 0.4, variant == "paper", **options).eval()
    return explain(
        network,
        torch.randn(patches, CHANNELS),
        torch.randn(len(WORDS), CHANNELS),
        torch.randn(9, CHANNELS) if dense else None,
        words=WORDS,
        grid=grid,
    )


def record_with_classes(seed: int = 0) -> Explanation:
    """A record as `random_record` makes it, with random classes of CLASSES."""
    record = random_record(seed=seed)
    count = record.sparse.kept.size
    best, probability = torch.randint(len(CLASSES), (count,)), torch.rand(count)
    patches, words = torch.randn(count, CHANNELS), torch.randn(len(WORDS), CHANNELS)
    return with_classes(record, CLASSES, best, probability, torch.randn(count, CHANNELS), patches, words)
