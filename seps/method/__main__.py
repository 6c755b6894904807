"""Print the network step by step: `python -m seps.method --embed-size 32 --num-patches 16 --aggr-ratio 0.5`."""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn

from seps.common.cli import Parser, errors_in_one_line, finite_number, whole_number
from seps.method.network import CrossSparseAggrNet

HEADS = ("step", "equation", "what it is", "shape", "parameters")


class Step(NamedTuple):
    """A step of the network: its number of the paper's equation, what is computed, the result's shape, and how many
    parameters learn it."""

    name: str
    equation: str
    formula: str
    shape: tuple[int, ...]
    parameters: int


def steps(network: CrossSparseAggrNet, words: int = 12, dense_words: int = 40) -> list[Step]:
    """Pass one image and one caption through a network and describe the result of each step.

    Args:
        network: of either variant; its weights do not matter.
        words, dense_words: L_s and L_d, tokens of the caption and of its dense caption, each at least 1.
    """
    paper, size = network.use_paper_version, network.embed_size
    patches = torch.randn(1, network.num_patches + 1, size)  # [CLS] first
    network.eval()
    with torch.no_grad():
        image = network.encode_images(patches)
        match = network.match(image, torch.randn(words, size), torch.randn(dense_words, size))
    sparse, alignment, tokens = match.sparse, match.alignments[0], match.tokens[0]
    selectors = network.sparse_net_cap, network.sparse_net_long
    branches = "each branch" if paper else "each caption"
    both = "Ws, Wd: a network each" if network.use_dual_aggr else "one W for both"
    score = "(1 - 2 beta) s^p + beta (s^st + s^dt + 2 s^im)" if paper else "s^im + s^st, and s^im + s^dt"
    result = [
        Step("patches", "", "v_1 ... v_N, [CLS] apart", tuple(image.patches.shape), 0),
        Step("attentions", "2", "cosines with the mean of the image, of the words", tuple(image.s_im.shape), 0),
        Step("score", "3", score, tuple(sparse.selection.score.shape), 0),
        Step("decision", "", f"D = 1 on the N_keep highest, {branches}", tuple(sparse.selection.mask.shape), 0),
        Step("extra token", "", "sum over the dropped of softmax(s) v", (1, 1, size), 0),
        Step(
            "aggregation",
            "4",
            f"v_j = sum_i W_ji v_i, {both}",
            (1, network.num_tokens, size),
            count(network.aggr_net),
        ),
        Step("tokens", "", "[CLS], aggregated, extra, to unit length", tuple(tokens.shape), 0),
        Step(
            "cosines",
            "5",
            f"each token with each word{'' if paper else ', leaky ReLU'}",
            tuple(alignment.matrix.shape),
            0,
        ),
    ]
    if paper:
        hidden = sum(count(selector) for selector in selectors)
        result.insert(1, Step("s^p", "1", "sigmoid(MLP(v)), each branch", tuple(image.s_im.shape), hidden))
        result.append(Step("relevance", "5", "MLP(TopK of the maxima), both ways", (1,), count(network.hrpa)))
    terms = "mean over tokens + mean over words" + (" + relevance" if paper else ", of both captions added")
    return [*result, Step("S(I, T)", "5", terms, tuple(match.similarity.shape), 0)]


def count(module: nn.Module) -> int:
    """Return the number of a module's parameters."""
    return sum(parameter.numel() for parameter in module.parameters())


def as_table(rows: Sequence[Step]) -> str:
    """Steps as a Markdown table, with a last row of all parameters."""
    cells = [
        (row.name, row.equation, row.formula, " x ".join(map(str, row.shape)), f"{row.parameters:,}") for row in rows
    ]
    total = ("all", "", "", "", f"{sum(row.parameters for row in rows):,}")
    table = [HEADS, ("---",) * len(HEADS), *cells, total]
    return "\n".join(f"| {' | '.join(row)} |" for row in table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both variants' steps; returns the program's exit code."""
    parser = Parser(prog="python -m seps.method", description=(__doc__ or "").partition(":")[0] + ".")
    parser.add_argument("--embed-size", type=whole_number, default=512, metavar="C", help="channels (512)")
    parser.add_argument("--num-patches", type=whole_number, default=196, metavar="N", help="patches an image (196)")
    parser.add_argument("--sparse-ratio", type=finite_number, default=0.5, help="patches that are kept (0.5)")
    parser.add_argument("--aggr-ratio", type=finite_number, default=0.4, help="tokens for each kept patch (0.4)")
    parser.add_argument("--variant", choices=("paper", "released"), help="only this one; default: both")
    options = parser.parse_args(arguments)
    sizes = options.embed_size, options.num_patches, options.sparse_ratio, options.aggr_ratio
    with errors_in_one_line():
        for variant in ("released", "paper"):
            if options.variant in (None, variant):
                network = CrossSparseAggrNet(*sizes, use_paper_version=variant == "paper")
                print(f"{variant}: one image, one caption of 12 tokens, a dense one of 40\n")
                print(as_table(steps(network)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
