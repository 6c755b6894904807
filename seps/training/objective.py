"""The losses of a training step beside those of `seps.losses`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from seps.data import SentencePhrases
from seps.losses import same_image

PHRASE_SCALE = 20.0  # what phrase and pooled cosines are multiplied with before the softmax
MOST_PHRASES = 600  # of a batch, against each other's regions
NO_NEGATIVE = -1e4


def infonce_loss(logits: Tensor, img_ids: Tensor | Sequence[int] | None = None) -> Tensor:
    """Cross-entropy of each row and each column against its diagonal, added.

    Args:
        logits: (B, B), similarities over the temperature; entry (i, j) is of image i and caption j.
        img_ids: (B,), the image of each caption; pairs of one image are no negatives.

    Returns:
        Scalar, a mean over the batch.
    """
    excluded = same_image(len(logits), img_ids, logits.device) & ~torch.eye(
        len(logits), dtype=torch.bool, device=logits.device
    )
    logits = logits.masked_fill(excluded, NO_NEGATIVE)
    target = torch.arange(len(logits), device=logits.device)
    return F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)


def pool(embeddings: Tensor, lengths: Tensor | None = None) -> Tensor:
    """The unit mean of patches or words: (B, n, C) to (B, C); padding beyond `lengths` (B,) left out."""
    if lengths is None:
        return F.normalize(embeddings.mean(dim=1), dim=-1)
    within = torch.arange(embeddings.shape[1], device=embeddings.device) < lengths.to(embeddings.device)[:, None]
    return F.normalize((embeddings * within[..., None]).sum(dim=1), dim=-1)


class PhraseBox:
    """A phrase of one caption and its place.

    Attributes:
        first, last: the phrase's tokens in the caption, last not included.
        inside: (N,) bool, patches whose centre lies in one of its boxes.
        text: the phrase in lower case.
    """

    def __init__(self, first: int, last: int, inside: NDArray[np.bool_], text: str) -> None:
        self.first, self.last, self.inside, self.text = first, last, torch.from_numpy(inside), text


def phrase_boxes(
    captions: Sequence[str],
    entities: Sequence[Sequence[SentencePhrases]],
    pieces: Sequence[Sequence[list[int]]],
    grid: tuple[int, int],
    captions_per_image: int,
    max_words: int,
) -> list[list[PhraseBox]]:
    """Each caption's phrases with boxes; none where no sentence of its image's entities is that caption.

    Args:
        captions: V * k; entities: V lists of sentences, as `read_entities` gives them.
        pieces: for each caption the number of tokens of each of its space-separated words, as lists of ids.
        grid: (H, W) patches; max_words: longest caption in tokens.
    """
    rows = (np.arange(grid[0]) + 0.5) / grid[0]
    columns = (np.arange(grid[1]) + 0.5) / grid[1]
    y, x = (axis.reshape(-1) for axis in np.meshgrid(rows, columns, indexing="ij"))  # (N,)
    found: list[list[PhraseBox]] = [[] for _ in captions]
    for image, sentences in enumerate(entities):
        own = range(image * captions_per_image, (image + 1) * captions_per_image)
        for sentence in sentences:
            for number in own:
                if captions[number].strip() == sentence.sentence.strip():
                    break
            else:
                continue
            ends = 1 + np.cumsum([0, *(len(ids) for ids in pieces[number])])  # token where each word begins
            for phrase in sentence.phrases:
                stop = min(phrase.first_word + len(phrase.phrase.split()), len(ends) - 1)
                first, last = int(ends[phrase.first_word]), int(ends[stop])
                inside = np.zeros(len(x), dtype=np.bool_)
                for x0, y0, x1, y1 in phrase.boxes:
                    inside |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
                if first < last < max_words and inside.any():
                    found[number].append(PhraseBox(first, last, inside, phrase.phrase.lower()))
    return found


def grounding_loss(patches: Tensor, words: Tensor, pairs: Sequence[tuple[int, int, PhraseBox]]) -> Tensor:
    """Phrases against patches: inside their boxes against outside, and against the regions of other phrases.

    Args:
        patches: (B_v, N, C); words: (B_t, L, C).
        pairs: (image of the batch, caption of the batch, phrase) each, ordered by image; where there are more than
            MOST_PHRASES, a random MOST_PHRASES of them meet each other's regions.

    Returns:
        Scalar: -log of the softmax's share of patches inside the boxes, mean over phrases, plus InfoNCE of phrases
        and their regions' mean patches over the batch, phrases of the same words excepted.
    """
    if not pairs:
        return words.new_zeros(())
    patches, words = F.normalize(patches, dim=-1), F.normalize(words, dim=-1)
    spans = torch.zeros(len(pairs), 1, words.shape[1], dtype=words.dtype)  # (P, 1, L), each row a mean
    for row, (_, _, phrase) in zip(spans, pairs, strict=True):
        row[0, phrase.first : phrase.last] = 1.0 / (phrase.last - phrase.first)
    owners = torch.tensor([t for _, t, _ in pairs], device=words.device)
    phrases = F.normalize((spans.to(words.device) @ words[owners]).squeeze(1), dim=-1)  # (P, C)
    inside = torch.stack([p.inside for _, _, p in pairs]).to(patches.device)  # (P, N)
    counts = torch.bincount(torch.tensor([i for i, _, _ in pairs]), minlength=len(patches)).tolist()
    of_image = list(zip(patches, phrases.split(counts), inside.split(counts), strict=True))
    cosines = torch.cat([named @ own.T for own, named, _ in of_image]) * PHRASE_SCALE  # (P, N)
    partly = ~inside.all(dim=1)
    shares = cosines.logsumexp(dim=1) - cosines.masked_fill(~inside, NO_NEGATIVE).logsumexp(dim=1)  # (P,)
    within = (shares * partly).sum() / partly.sum().clamp(min=1)
    regions = torch.cat([mask.to(own.dtype) @ own for own, _, mask in of_image])  # (P, C)
    chosen = torch.randperm(len(pairs))[:MOST_PHRASES]
    texts = [pairs[i][2].text for i in chosen.tolist()]
    number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    logits = F.normalize(regions[chosen], dim=-1) @ phrases[chosen].T * PHRASE_SCALE  # (P', P')
    return within + infonce_loss(logits, [number[text] for text in texts])
