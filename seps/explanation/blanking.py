"""Blanking: replace each patch's embedding by the mean patch, one at a time, and repeat the pass."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.checks import Mask, check_embeddings
from seps.common.precision import exact_precision
from seps.explanation.attribution import attribute_word_mean
from seps.explanation.forward_pass import check_single
from seps.explanation.record import Floats, read_only
from seps.method.network import CrossSparseAggrNet, ImageFeatures, Match
from seps.method.selection import caption_direction, normalise_patches

MAX_ELEMENTS = 2**23  # patch embedding values held at a time


@dataclass(frozen=True, eq=False)
class Blanked:
    """Effect of each patch's content (its embedding or its pixels) on S(I, T), in the units of S.

    All arrays are read-only, float64.

    Attributes:
        similarity: S(I, T) of the unchanged image.
        effects: (N,), S(I, T) minus S(I, T) with this patch replaced: positive if the patch raises S.
        word_effects: (L_s, N), the same for each word's contribution to the word-to-patch mean, see
            `Attribution.word_means`.
    """

    similarity: float
    effects: Floats
    word_effects: Floats


@torch.no_grad()
def measure_blanked(
    model: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    dense_cap_embs: Tensor | None = None,
    *,
    mask: Mask | None = None,
    dense_mask: Mask | None = None,
    neutral: Tensor | None = None,
) -> Blanked:
    """Measure the effect on S(I, T) of replacing each patch's embedding by the mean patch: N passes in batches.

    The model decides again for each variant, unless its decision is forced. [CLS], if any, is unchanged: information
    that the encoder mixed into it and into other patches is not removed.
    """
    check_single(model, img_embs, cap_embs, dense_cap_embs)
    if neutral is None:
        neutral = img_embs[-model.num_patches :].mean(dim=0)
    check_embeddings("neutral", neutral.reshape(1, 1, -1), model.embed_size, model.dtype)
    with exact_precision(img_embs.device):
        image = model.encode_images(img_embs[None])
        masks = model.forced_masks(mask, dense_mask, 1, dense_cap_embs is not None)
        whole = model.match(image, cap_embs, dense_cap_embs, mask=mask, dense_mask=dense_mask)
        variants = Variants(model, image, neutral.to(image.patches))
        matches = [
            variants.match(rows, cap_embs, dense_cap_embs, masks)
            for rows in torch.arange(model.num_patches, device=img_embs.device).split(variants.batch_size)
        ]
    return measure_blanked_batch(whole, matches)


def measure_blanked_batch(whole: Match, variants: Sequence[Match]) -> Blanked:
    """Compare the match of an image with its N variants (in batches), each with one patch replaced."""
    similarity = whole.similarity[0]
    words = torch.cat([attribute_word_mean(match.alignments[0].matrix) for match in variants])  # (N, L)
    base = attribute_word_mean(whole.alignments[0].matrix)[0]  # (L,)
    return Blanked(
        similarity=float(similarity),
        effects=read_only((similarity - torch.cat([match.similarity for match in variants])).double().cpu()),
        word_effects=read_only((base[:, None] - words.T).double().cpu()),
    )


class Variants:
    """N variants of one image, from `encode_images`, each with one patch replaced by `neutral` (C,)."""

    def __init__(self, model: CrossSparseAggrNet, image: ImageFeatures, neutral: Tensor) -> None:
        self.model, self.image = model, image
        n, channels = image.patches.shape[1:]
        self.batch_size = max(1, MAX_ELEMENTS // (n * channels))
        patches = torch.cat([image.patches[0], neutral[None]])  # the neutral patch last
        self.patches = patches
        self.unit = normalise_patches(patches[None])[0]  # (N + 1, C)
        exact = patches.to(self.unit)
        means = F.normalize(exact[:-1].mean(dim=0) + (exact[-1] - exact[:-1]) / n, dim=-1)  # (N, C), each variant
        self.s_im = means @ self.unit.T  # (N, N + 1), equation (2)
        predicted = [net.predict(patches[None]) for net in (model.sparse_net_cap, model.sparse_net_long)]
        self.s_p = [None if score is None else score[0] for score in predicted]  # (N + 1,), equation (1)
        logits = model.aggr_net.logits(patches[None])
        self.logits = [part[0] for part in (logits if isinstance(logits, tuple) else (logits, logits))]  # (N_c, N + 1)

    def match(
        self, rows: Tensor, words: Tensor, dense_words: Tensor | None, masks: tuple[Tensor | None, Tensor | None]
    ) -> Match:
        """Match a batch of variants, given by their numbers (V,), with the caption."""
        n = len(self.patches) - 1
        where = torch.arange(n, device=rows.device).repeat(len(rows), 1)  # indices into the N + 1 patches
        where[torch.arange(len(rows), device=rows.device), rows] = n
        s_st = (self.unit @ caption_direction(words))[where]  # (V, N)
        s_dt = None if dense_words is None else (self.unit @ caption_direction(dense_words))[where]
        s_p = [None if score is None else score[where] for score in self.s_p]
        selections = self.model.select((s_p[0], s_p[1]), self.s_im[rows].gather(1, where), s_st, s_dt, masks=masks)
        return self.model.match_selected(self.features(where), words, dense_words, *selections)

    def features(self, where: Tensor) -> ImageFeatures:
        """Gather the inputs of aggregation and alignment for variants with the patches `where`, (V, N)."""
        first, second = (part[:, where].transpose(0, 1) for part in self.logits)  # (V, N_c, N)
        cls = None if self.image.cls is None else self.image.cls.expand(len(where), -1, -1)  # (V, 1, C)
        return replace(self.image, cls=cls, patches=self.patches[where], logits=(first, second))
