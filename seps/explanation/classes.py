"""Output of the image backbone's classifier, for records of models that add class vectors to patches."""

from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.explanation.record import ClassExplanation, Explanation, read_only


@torch.no_grad()
def with_classes(
    record: Explanation,
    names: Sequence[str],
    best: Tensor,
    probability: Tensor,
    added: Tensor,
    patches: Tensor,
    words: Tensor,
) -> Explanation:
    """Return a record of an image, patches (N[+1], C), and a caption, words (L, C), with the classifier's output."""
    patches = patches[-len(best) :].float()  # (N, C)
    shares = F.normalize(words.float(), dim=-1) @ (added.float() / patches.norm(dim=-1, keepdim=True).clamp(1e-12)).T
    classes = ClassExplanation(
        names=tuple(names[number] for number in best.tolist()),
        probability=read_only(probability),
        word_shares=read_only(shares),  # (L, N)
    )
    return replace(record, classes=classes)
