"""The losses of a training step that are not in `seps.method.losses`."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.losses import same_image
from seps.training.batches.phrases import PhraseBox

PHRASE_SCALE = 20.0  # what phrase and pooled cosines are multiplied with before the softmax
MAX_PHRASES = 600  # of a batch, against each other's regions
NO_NEGATIVE = -1e4


def infonce_loss(logits: Tensor, img_ids: Tensor | Sequence[int] | None = None) -> Tensor:
    """Compute the cross-entropy of each row and each column against its diagonal, added, mean over the batch."""
    excluded = same_image(len(logits), img_ids, logits.device) & ~torch.eye(
        len(logits), dtype=torch.bool, device=logits.device
    )
    logits = logits.masked_fill(excluded, NO_NEGATIVE)
    target = torch.arange(len(logits), device=logits.device)
    return F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)


def pooled_loss(images: Tensor, captions: Tensor, img_ids: Tensor) -> Tensor:
    """Compute InfoNCE of pooled embeddings, both (P, C) of unit length, with image numbers (P,)."""
    return infonce_loss(images @ captions.T * PHRASE_SCALE, img_ids)


def word_loss(patches: Tensor, words: Tensor, pairs: Sequence[tuple[int, int, PhraseBox]]) -> Tensor:
    """Compare each word of a phrase, including articles, with patches inside and outside the phrase's boxes."""
    patches, words = F.normalize(patches, dim=-1), F.normalize(words, dim=-1)
    losses = []
    for i, t, phrase in pairs:
        if not phrase.partial:
            continue
        inside = phrase.inside.to(patches.device)  # (N,)
        cosines = words[t, phrase.first : phrase.last] @ patches[i].T * PHRASE_SCALE  # (words, N)
        log_inside = cosines.logsumexp(dim=1) - cosines.masked_fill(~inside, NO_NEGATIVE).logsumexp(dim=1)  # (words,)
        losses.append(log_inside.mean())
    return torch.stack(losses).mean() if losses else words.new_zeros(())


def grounding_loss(
    patches: Tensor, words: Tensor, pairs: Sequence[tuple[int, int, PhraseBox]], order: Tensor
) -> Tensor:
    """Compare phrases of words (B_t, L, C) with patches (B_v, N, C) in and out of their boxes, and other regions."""
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
    cosines = torch.cat([named @ embedded.T for embedded, named, _ in of_image]) * PHRASE_SCALE  # (P, N)
    partly = ~inside.all(dim=1)
    log_inside = cosines.logsumexp(dim=1) - cosines.masked_fill(~inside, NO_NEGATIVE).logsumexp(dim=1)  # (P,)
    within = (log_inside * partly).sum() / partly.sum().clamp(min=1)
    regions = torch.cat([mask.to(embedded.dtype) @ embedded for embedded, _, mask in of_image])  # (P, C)
    chosen = order[:MAX_PHRASES]
    texts = [pairs[i][2].text for i in chosen.tolist()]
    number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    logits = F.normalize(regions[chosen], dim=-1) @ phrases[chosen].T * PHRASE_SCALE  # (P', P')
    return within + infonce_loss(logits, [number[text] for text in texts])
