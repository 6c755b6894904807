"""The plain loop: one caption at a time over all images, computing again what the released code computes again.

It is the yardstick of the benchmark and nothing else. Like the released code it gathers kept and
dropped patches for every caption, runs the weight network on them, repeats the words for every
image and builds every token.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

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

    `score_dtype` is the precision of the significance scores: float32, as in the released code, to be timed;
    float64, as in the module, to be compared: two patches with scores that differ in the eighth digit would
    otherwise change places now and then.
    """
    has_cls = img_embs.shape[1] == model.num_patches + 1
    cls = img_embs[:, :1] if has_cls else None
    patches = img_embs[:, 1:] if has_cls else img_embs  # (B_v, N, C)
    exact = patches.to(score_dtype)
    unit = F.normalize(exact, dim=-1)  # (B_v, N, C)
    s_im = (unit * F.normalize(exact.mean(dim=1, keepdim=True), dim=-1)).sum(dim=-1)  # (B_v, N)
    columns = []
    for i, length in enumerate(cap_lens):
        words = cap_embs[i, :length]
        s_st = attention(unit, words)
        dense_words, s_dt = None, None
        if dense_cap_embs is not None and dense_cap_lens is not None:
            dense_words = dense_cap_embs[i, : dense_cap_lens[i]]
            s_dt = attention(unit, dense_words)
        if model.use_paper_version:
            columns.append(paper_column(model, cls, patches, words, s_im, s_st, s_dt))
        else:
            similarity = released_column(model, cls, patches, words, s_im + s_st)
            if dense_words is not None and s_dt is not None:
                similarity = similarity + released_column(model, cls, patches, dense_words, s_im + s_dt)
            columns.append(similarity)
    return torch.stack(columns, dim=1)


def attention(unit: Tensor, words: Tensor) -> Tensor:
    """Cosines of unit patches (B_v, N, C) with a caption's mean word, multiplied out and summed: (B_v, N)."""
    return (unit * F.normalize(words.to(unit.dtype).mean(dim=0), dim=-1)).sum(dim=-1)


def predict(network: torch.nn.Sequential, patches: Tensor, dtype: torch.dtype) -> Tensor:
    """s^p, (B_v, N), in the precision of the scores."""
    hidden = patches.to(dtype)
    for layer in network:
        if isinstance(layer, torch.nn.Linear):
            hidden = F.linear(hidden, layer.weight.to(dtype), layer.bias.to(dtype))
        else:
            hidden = layer(hidden)
    return hidden.squeeze(-1)


def select(model: CrossSparseAggrNet, patches: Tensor, score: Tensor) -> tuple[Tensor, Tensor]:
    """Kept patches (B_v, N_keep, C) and extra token (B_v, 1, C), gathered."""
    keep = count_kept(model.num_patches, model.sparse_ratio)
    ordered, order = score.sort(dim=1, descending=True, stable=True)
    torch.zeros_like(score).scatter(1, order[:, :keep], 1)  # the decision mask, which the released code returns

    def gathered(index: Tensor) -> Tensor:
        return patches.gather(1, index[..., None].expand(-1, -1, patches.shape[-1]))

    extra_weights = ordered[:, keep:].softmax(dim=1).to(patches.dtype)[..., None]
    return gathered(order[:, :keep]), (gathered(order[:, keep:]) * extra_weights).sum(dim=1, keepdim=True)


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


def released_column(
    model: CrossSparseAggrNet, cls: Tensor | None, patches: Tensor, words: Tensor, score: Tensor
) -> Tensor:
    """One branch of the released variant, (B_v,)."""
    assert isinstance(model.aggr_net, TokenAggregation)
    kept, extra = select(model, patches, score)
    return align(model, cls, aggregate(model, model.aggr_net.weight, kept), extra, words)


def paper_column(
    model: CrossSparseAggrNet,
    cls: Tensor | None,
    patches: Tensor,
    words: Tensor,
    s_im: Tensor,
    s_st: Tensor,
    s_dt: Tensor | None,
) -> Tensor:
    """The paper variant with dual aggregation, (B_v,)."""
    scores = {"s_st": s_st, "s_im": s_im} | ({} if s_dt is None else {"s_dt": s_dt})

    def branch(sparse_net: TokenSparse, network: torch.nn.Module) -> tuple[Tensor, Tensor]:
        score = sparse_net.coefficients["s_p"] * predict(sparse_net.score_predictor, patches, s_st.dtype)
        for name, values in scores.items():
            score = score + sparse_net.coefficients[name] * min_max(values)
        kept, extra = select(model, patches, score)
        return aggregate(model, network, kept), extra

    assert isinstance(model.aggr_net, DualTokenAggregation)
    aggregated, extra = branch(model.sparse_net_cap, model.aggr_net.weight_sparse)
    if s_dt is not None:
        aggregated_dense, extra_dense = branch(model.sparse_net_long, model.aggr_net.weight_dense)
        aggregated, extra = aggregated + aggregated_dense, (extra + extra_dense) / 2
    return align(model, cls, aggregated, extra, words)
