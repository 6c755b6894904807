"""The plain loop: one caption at a time over all images, repeating every computation that the released code repeats.

It is only the baseline of the benchmark. Like the released code it gathers kept and dropped patches for every caption,
runs the weight network on them, repeats the words for every image and builds every token.
"""

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.func import functional_call

from seps import CrossSparseAggrNet, DualTokenAggregation, TokenAggregation, TokenSparse
from seps.method.selection import count_kept, min_max


@torch.inference_mode()
def plain_similarity(
    model: CrossSparseAggrNet,
    img_embs: Tensor,
    cap_embs: Tensor,
    cap_lens: list[int],
    dense_cap_embs: Tensor | None = None,
    dense_cap_lens: list[int] | None = None,
    score_dtype: torch.dtype = torch.float32,
) -> Tensor:
    """S(I, T) of every pair, (B_v, B_t); arguments as the model's forward.

    `score_dtype` is the precision of the significance scores: float32, as in the released code, for timing; float64, as
    in the module, for comparison: two patches with scores that differ in the eighth digit would otherwise change places
    now and then.
    """
    has_cls = img_embs.shape[1] == model.num_patches + 1
    cls = img_embs[:, :1] if has_cls else None
    patches = img_embs[:, has_cls:]  # (B_v, N, C)
    unit = F.normalize(patches.to(score_dtype), dim=-1)  # (B_v, N, C)
    s_im = attention(unit, patches)
    columns = []
    for i, length in enumerate(cap_lens):
        texts = [cap_embs[i, :length]]
        if dense_cap_embs is not None and dense_cap_lens is not None:
            texts.append(dense_cap_embs[i, : dense_cap_lens[i]])
        attentions = [attention(unit, text) for text in texts]  # s^st and s^dt, (B_v, N) each
        if model.use_paper_version:
            aggregated, extra = paper_tokens(model, patches, s_im, attentions)
            columns.append(align(model, cls, aggregated, extra, texts[0]))
            continue
        assert isinstance(model.aggr_net, TokenAggregation)
        branches = []
        for text, values in zip(texts, attentions, strict=True):
            kept, extra = select(model, patches, s_im + values)
            branches.append(align(model, cls, aggregate(model, model.aggr_net.weight, kept), extra, text))
        columns.append(torch.stack(branches).sum(dim=0))
    return torch.stack(columns, dim=1)


def attention(unit: Tensor, others: Tensor) -> Tensor:
    """Cosines of unit patches (B_v, N, C) with the mean of others (..., L, C), multiplied out and summed: (B_v, N)."""
    return (unit * F.normalize(others.to(unit.dtype).mean(dim=-2, keepdim=True), dim=-1)).sum(dim=-1)


def select(model: CrossSparseAggrNet, patches: Tensor, score: Tensor) -> tuple[Tensor, Tensor]:
    """Gather kept patches (B_v, N_keep, C) and the extra token (B_v, 1, C)."""
    keep = count_kept(model.num_patches, model.sparse_ratio)
    ordered, order = score.sort(dim=1, descending=True, stable=True)
    torch.zeros_like(score).scatter(1, order[:, :keep], 1)  # the decision mask, which the released code returns
    kept, dropped = (
        patches.gather(1, index[..., None].expand(-1, -1, patches.shape[-1]))
        for index in (order[:, :keep], order[:, keep:])
    )
    weights = ordered[:, keep:].softmax(dim=1).to(patches.dtype)[..., None]
    return kept, (dropped * weights).sum(dim=1, keepdim=True)


def aggregate(model: CrossSparseAggrNet, network: torch.nn.Module, kept: Tensor) -> Tensor:
    """Aggregated tokens (B_v, N_c, C) of the kept patches."""
    weights = (network(kept).transpose(1, 2) * model.aggr_net.scale).softmax(dim=2)
    return torch.bmm(weights, kept)


def align(model: CrossSparseAggrNet, cls: Tensor | None, aggregated: Tensor, extra: Tensor, words: Tensor) -> Tensor:
    """S of the tokens and one caption, (B_v,)."""
    spatial = torch.cat([aggregated, extra], dim=1)  # joined in two steps, as the released code does
    tokens = F.normalize(spatial if cls is None else torch.cat([cls, spatial], dim=1), dim=-1)  # (B_v, M, C)
    repeated = F.normalize(words, dim=-1).unsqueeze(0).repeat(len(tokens), 1, 1)  # (B_v, L, C)
    matrix = model.hrpa.activate(torch.bmm(repeated, tokens.transpose(1, 2)))  # (B_v, L, M)
    rows, columns = matrix.max(dim=2)[0], matrix.max(dim=1)[0]
    return rows.mean(dim=1) + columns.mean(dim=1) + model.hrpa.relevance(rows) + model.hrpa.relevance(columns)


def paper_tokens(
    model: CrossSparseAggrNet, patches: Tensor, s_im: Tensor, attentions: list[Tensor]
) -> tuple[Tensor, Tensor]:
    """Aggregated tokens (B_v, N_c, C) and extra token (B_v, 1, C) of the paper variant with dual aggregation."""
    assert isinstance(model.aggr_net, DualTokenAggregation)
    scores = {"s_st": attentions[0], "s_im": s_im} | dict(zip(("s_dt",), attentions[1:], strict=False))
    branches: list[tuple[TokenSparse, torch.nn.Module]] = [
        (model.sparse_net_cap, model.aggr_net.weight_sparse),
        (model.sparse_net_long, model.aggr_net.weight_dense),
    ]
    aggregated, extras = [], []
    for sparse_net, network in branches[: len(attentions)]:
        predictor = sparse_net.score_predictor
        weights = {name: weight.to(s_im.dtype) for name, weight in predictor.named_parameters()}
        s_p = functional_call(predictor, weights, patches.to(s_im.dtype)).squeeze(-1)  # (B_v, N)
        score = sparse_net.coefficients["s_p"] * s_p
        for name, values in scores.items():
            score = score + sparse_net.coefficients[name] * min_max(values)
        kept, extra = select(model, patches, score)
        aggregated.append(aggregate(model, network, kept))
        extras.append(extra)
    return torch.stack(aggregated).sum(dim=0), torch.stack(extras).mean(dim=0)
