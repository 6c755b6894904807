"""How much of the score's spread over a photograph's patches is the caption's; under any other the rest is the same."""

from __future__ import annotations

from seps import CaptionIndex, CrossSparseAggrNet, ImageIndex
from seps.explanation.spread import caption_spread
from seps.method.selection import normalise_patches, text_attention


def caption_share(
    net: CrossSparseAggrNet, image: ImageIndex, captions: CaptionIndex, dense: CaptionIndex | None
) -> float | None:
    """Return the caption's share of the spread of the sparse branch's score, see `caption_spread`, in [0, 1].

    Args:
        net: whose beta it is; image: one photograph, as an engine on `net` takes it.
        captions: P captions, each in turn the photograph's.
        dense: one whose dense caption stays beside each of them; None without any.

    Returns:
        None where the score is the same on every patch.
    """
    unit = normalise_patches(image.patches)[0]  # (N, C)
    s_st = text_attention(unit, captions.sparse.direction.T).T  # (P, N)
    attentions = {"s_st": s_st, "s_im": image.s_im.expand_as(s_st)}
    if dense is not None and dense.dense is not None and net.use_paper_version:
        attentions["s_dt"] = text_attention(unit, dense.dense.direction[0]).expand_as(s_st)
    s_p = image.s_p[0]
    _, scores = net.sparse_net_cap.combine(None if s_p is None else s_p.expand_as(s_st), attentions)
    of_caption, whole = caption_spread(scores)
    return of_caption / whole if whole > 0 else None
