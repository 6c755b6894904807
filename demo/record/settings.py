"""The lesson's knobs: what they may be, what the model was trained with, and its network under other settings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import nn

from demo.record.texts.table import say
from seps import CrossSparseAggrNet, SEPSModel
from seps.method.aggregation import count_aggregated

DECISIONS = ("top-k", "gumbel")
VARIANTS = ("paper", "released")
LIMITS: dict[str, tuple[float, float]] = {
    "keep_ratio": (0.05, 1.0),
    "aggr_ratio": (0.05, 1.0),
    "beta": (0.0, 0.5),
    "top_k": (1, 10),
    "temperature": (0.1, 5.0),
    "seed": (0, 2**31 - 1),
}
# A knob, its choice, how sentences call it, and the knobs that move nothing then.
IDLE = (
    ("decision", "gumbel", "drawn", ("keep_ratio",)),
    ("decision", "top-k", "top_k", ("temperature", "seed")),
    ("variant", "released", "released", ("beta", "top_k")),
)


@dataclass(frozen=True)
class Knobs:
    """Settings of one forward pass; ValueError for a value of another type or outside its limits."""

    keep_ratio: float  # share of patches kept
    aggr_ratio: float  # aggregated tokens as a share of those
    beta: float  # weight of the attentions
    top_k: int  # K of the relevance MLP
    decision: str = "top-k"  # of DECISIONS
    temperature: float = 1.0  # of a draw
    seed: int = 0
    dense: bool = True  # whether an available dense caption is used
    variant: str = "paper"  # of VARIANTS

    def __post_init__(self) -> None:
        for name, (low, high) in LIMITS.items():
            value, whole = getattr(self, name), name in ("top_k", "seed")
            if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
                raise ValueError(f"{name} is {value!r}, but a {'whole number' if whole else 'number'} is needed.")
            if not low <= value <= high:
                raise ValueError(f"{name} is {str(value)[:20]}, but it must lie between {low:g} and {high:g}.")
        for name, choices in (("decision", DECISIONS), ("variant", VARIANTS), ("dense", (True, False))):
            value = getattr(self, name)
            if not isinstance(value, type(choices[0])) or value not in choices:
                raise ValueError(f"{name} is {value!r}, but it must be {choices[0]!r} or {choices[1]!r}.")


NAMES = tuple(field.name for field in fields(Knobs))


def read_knobs(values: Mapping[str, Any], others: Knobs) -> Knobs:
    """Read knobs as a browser sends them, missing ones from `others`; ValueError as `Knobs`, and for unknown names."""
    unknown = [name for name in values if name not in NAMES]
    if unknown:
        raise ValueError(f"There is no knob {unknown[0]!r}; there are: {', '.join(NAMES)}.")
    whole = {
        name: int(value)
        for name, value in values.items()
        if name in ("top_k", "seed") and isinstance(value, float) and math.isfinite(value) and value == int(value)
    }
    return replace(others, **{**values, **whole})


def trained_knobs(model: SEPSModel) -> Knobs:
    """Return the training settings. A model of the released variant has no beta; 0.25 is reported."""
    net = model.cross_net
    return Knobs(
        keep_ratio=net.sparse_ratio,
        aggr_ratio=net.aggr_ratio,
        beta=net.sparse_net_cap.coefficients["s_st"] if net.use_paper_version else 0.25,
        top_k=net.hrpa.top_k,
        decision="gumbel" if net.use_gumbel_softmax else "top-k",
        temperature=net.sparse_net_cap.gumbel_tau,
        variant="paper" if net.use_paper_version else "released",
    )


def evaluation_knobs(model: SEPSModel) -> Knobs:
    """Return the evaluation settings: as trained, always with the top k."""
    return replace(trained_knobs(model), decision="top-k")


def idle(knobs: Knobs, has_dense: bool = True) -> dict[str, str]:
    """Explain for each knob without effect why. `has_dense`: a dense caption exists."""
    reasons = {row["knob"]: row["why"] for row in idle_choices() if getattr(knobs, row["by"]) == row["choice"]}
    return reasons | ({} if has_dense else {"dense": say("setting.dense_none")})


def idle_choices() -> list[dict[str, str]]:
    """Say which choices make a knob move nothing: the `knob`, the knob `by` which, its `choice`, and `why`."""
    return [
        {"knob": knob, "by": by, "choice": choice, "why": say(f"setting.{knob}_{reason}")}
        for by, choice, reason, knobs in IDLE
        for knob in knobs
    ]


def changes(knobs: Knobs, others: Knobs, has_dense: bool = True) -> list[str]:
    """Names of the knobs that differ and are not idle."""
    still = idle(knobs, has_dense)
    return [name for name in NAMES if getattr(knobs, name) != getattr(others, name) and name not in still]


def untrained(knobs: Knobs, trained: Knobs) -> list[str]:
    """Return the knobs that differ from training, other than the seed and the dense caption. The top k never does,
    since every model is evaluated with it."""
    names = [name for name in changes(knobs, trained) if name not in ("seed", "dense")]
    return [name for name in names if name != "decision" or knobs.decision == "gumbel"]


def limits(model: SEPSModel) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest value of each knob that is a number, for this model."""
    low, high = LIMITS["top_k"]
    return LIMITS | {"top_k": (low, min(high, model.cross_net.hrpa.top_k))}


def fixed(model: SEPSModel) -> dict[str, str]:
    """Say of each knob that cannot move with this model why."""
    trained = model.cross_net
    lacking = () if trained.use_paper_version else ("variant", "beta", "top_k")
    return {"aggr_ratio": say("setting.aggr_ratio_fixed", merged=trained.num_tokens)} | {
        name: say(f"setting.{name}_trained_released") for name in lacking
    }


def network_with(model: SEPSModel, knobs: Knobs) -> CrossSparseAggrNet:
    """Return a network of these settings in evaluation mode, which shares the trained parameters. N_c stays as trained
    whatever share is kept. With K below the trained one the relevance MLP sees zeros in place of the values left out.
    The released variant merges patches by the sparse branch's weight network. ValueError for settings that the
    parameters do not allow, see `fixed` and `limits`."""
    trained = model.cross_net
    paper = knobs.variant == "paper"
    if paper and not trained.use_paper_version:
        raise ValueError(fixed(model)["variant"])
    if count_aggregated(trained.num_patches, trained.sparse_ratio, knobs.aggr_ratio) != trained.num_tokens:
        raise ValueError(fixed(model)["aggr_ratio"])
    if paper and knobs.top_k > trained.hrpa.top_k:
        raise ValueError(
            f"top_k is {knobs.top_k}, but the relevance MLP was trained for {trained.hrpa.top_k} values: take no more."
        )
    with torch.device("meta"):  # without values: the trained parameters take their place
        net = CrossSparseAggrNet(
            trained.embed_size,
            trained.num_patches,
            sparse_ratio=trained.sparse_ratio,
            aggr_ratio=trained.aggr_ratio,
            use_paper_version=paper,
            top_k=trained.hrpa.top_k,
            use_gumbel_softmax=knobs.decision == "gumbel",
            gumbel_tau=knobs.temperature,
            use_dual_aggr=trained.use_dual_aggr,
            beta=knobs.beta,
            detach_selection=trained.detach_selection or trained.use_paper_version,
        )
    values = trained.state_dict()
    if not paper and trained.use_paper_version:  # under the names of the released variant
        names = [name for name in values if name.startswith("aggr_net.") and ".weight_dense." not in name]
        values = {name.replace(".weight_sparse.", ".weight."): values[name] for name in names}
    net.load_state_dict(values, assign=True)
    net.aggr_ratio = knobs.aggr_ratio
    for part in (net, net.sparse_net_cap, net.sparse_net_long):
        part.sparse_ratio = knobs.keep_ratio
    if paper and knobs.top_k < trained.hrpa.top_k:
        first, *rest = net.hrpa.relevance_mlp  # which sees its first `top_k` values, as if the rest were 0
        assert isinstance(first, nn.Linear)
        narrow = nn.Linear(knobs.top_k, first.out_features, device="meta")
        narrow.weight, narrow.bias = nn.Parameter(first.weight[:, : knobs.top_k]), first.bias
        net.hrpa.relevance_mlp = nn.Sequential(narrow, *rest)
        net.hrpa.top_k = knobs.top_k
    return net.eval()
