"""Paper, code and what is known: both variants on one example, published results, and our models' own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from demo.galleries.index import IndexedGallery
from demo.lesson.settings import evaluation_knobs, network_with
from demo.service.own import results_files
from demo.service.retrieval import RetrievalService
from seps import CrossSparseAggrNet, DualTokenAggregation, Explanation, explain
from seps.checks import read_json_file
from seps.models.hub import shipped_models

PUBLISHED_FILE = Path(__file__).resolve().parents[2] / "assets" / "lesson" / "published.json"
VARIANTS = ("paper", "released")
NOTE = (
    "The model was trained as the paper has it. As the released code has it, it runs with the weight network of its "
    "sparse branch and was not trained so: what is compared here is the equations, not how well they rank."
)
NO_DENSE = "There is no dense caption: add one to see more of this difference."
NO_NEGATIVE = "No cosine of this pair is below 0, so that the leaky ReLU changes nothing here."
DENSE_PROTOCOLS = {"captions_only": "none", "own_dense": "own", "other_dense": "other"}
DENSE_SPLIT = "mllm"
RECALLS = {"r1", "r5", "r10"}
DIRECTIONS = ("image_to_text", "text_to_image")
RECALL_KEYS = {"split", "images", "captions", "rsum", "image_to_text", "text_to_image"}
MEASURES = (
    "weight_inside",
    "pointing_game",
    "kept_mentioned",
    "kept_unmentioned",
    "kept_background",
    "mentioned_to_background",
    "deletion",
    "insertion",
)

OwnModels = Mapping[str, Path | None]
Reading = Callable[[CrossSparseAggrNet, Explanation], float | None]


def differences(
    service: RetrievalService, indexed: IndexedGallery, index: int, caption: str, dense: str | None = None
) -> list[dict[str, Any]]:
    """How the paper and its released code differ, with both variants' numbers on one photograph and caption.

    Args:
        service: its model is of the paper's variant.
        indexed, place: the gallery and the photograph in it.
        caption, dense: as read by `read_caption`.

    Returns:
        For each difference `id`, `topic`, what the `paper` and the `released` code do, `numbers`, each with a `name`
        and its value for `paper` and `released` (None where the variant has no such thing), and a `note` or "".

    Raises:
        ValueError: the model has no parameters of the paper's variant.
    """
    dense = dense or None
    nets = [network_with(service.model, replace(evaluation_knobs(service.model), variant=name)) for name in VARIANTS]
    runs = [(net, record_with(service, net, indexed, index, caption, dense)) for net in nets]
    slopes = [slope(service, net, indexed, index, caption, dense) for net in nets]
    kept = [record.sparse.kept for _, record in runs]
    notes = dict.fromkeys(("dense", "aggregation"), NO_DENSE) if dense is None else {}
    if min(record.sparse_alignment.cosines.min() for _, record in runs) >= 0:
        notes["matrix"] = NO_NEGATIVE

    def row(name: str, read: Reading) -> dict[str, Any]:
        paper, released = (read(net, record) for net, record in runs)
        return {"name": name, "paper": paper, "released": released}

    def difference(id_: str, topic: str, paper: str, released: str, *numbers: dict[str, Any]) -> dict[str, Any]:
        told = {"id": id_, "topic": topic, "paper": paper, "released": released, "numbers": list(numbers)}
        return told | {"note": notes.get(id_, "")}

    return [
        difference(
            "score",
            "Significance score",
            "(1 - 2β) s_p + β (s_st + s_dt + 2 s_im), attentions stretched to [0, 1]",
            "s_im plus the caption's own attention, as cosines",
            row("weight of s_p", lambda _, record: record.sparse.coefficients.get("s_p")),
            row("lowest score", lambda _, record: float(record.sparse.score.min())),
            row("highest score", lambda _, record: float(record.sparse.score.max())),
            row("patches kept", lambda _, record: int(record.sparse.kept.sum())),
            {"name": "kept by this one alone"}
            | {
                name: int((mine & ~other).sum())
                for name, mine, other in zip(VARIANTS, kept, reversed(kept), strict=True)
            },
        ),
        difference(
            "dense",
            "Dense caption",
            "scores patches in both branches; only the caption's words meet the tokens",
            "a second alignment with its own words, added to the first",
            row("alignments", lambda _, record: 1 if record.dense_alignment is None else 2),
            row("from the caption's words", lambda _, record: record.sparse_alignment.similarity),
            row("from the dense caption's words", dense_part),
        ),
        difference(
            "aggregation",
            "Aggregation",
            "a weight network for each branch, tokens added",
            "one weight network for both branches",
            row("weight networks", lambda net, _: 2 if isinstance(net.aggr_net, DualTokenAggregation) else 1),
            row("aggregated tokens", lambda net, _: net.num_tokens),
            row(
                "weights of the first token, added",
                lambda net, record: (
                    float(record.sparse_alignment.token_weights[int(record.has_cls)].sum()) if net.num_tokens else None
                ),
            ),
        ),
        difference(
            "matrix",
            "Patch-word matrix",
            "cosines",
            "leaky ReLU (0.1) of cosines",
            row("lowest cosine", lambda _, record: float(record.sparse_alignment.cosines.min())),
            row("lowest entry", lambda _, record: float(record.sparse_alignment.matrix.min())),
            row("highest entry", lambda _, record: float(record.sparse_alignment.matrix.max())),
        ),
        difference(
            "relevance",
            "Relevance MLP on the K best",
            "yes, for tokens and for words",
            "no",
            row("K", lambda net, _: net.hrpa.top_k if net.use_paper_version else None),
            row("patch relevance", relevance("patch_relevance")),
            row("word relevance", relevance("word_relevance")),
        ),
        difference(
            "gradient",
            "Gradient from tokens to patches",
            "yes",
            "no: selection runs without gradient, the image is reached through [CLS] alone",
            {"name": "norm of S's gradient at the patches", "paper": slopes[0], "released": slopes[1]},
        ),
        difference(
            "similarity",
            "S(I, T)",
            "four terms",
            "two terms an alignment",
            row("terms", lambda net, record: len(record.terms) // (1 if net.use_paper_version else 2)),
            row("S(I, T)", lambda _, record: record.similarity),
        ),
    ]


def dense_part(_: CrossSparseAggrNet, record: Explanation) -> float | None:
    """What the dense caption's words add to S."""
    return None if record.dense_alignment is None else record.dense_alignment.similarity


def relevance(term: str) -> Reading:
    """Reads a term of the relevance MLP, which the released variant does not have."""
    return lambda net, record: getattr(record.sparse_alignment, term) if net.use_paper_version else None


def record_with(
    service: RetrievalService,
    net: CrossSparseAggrNet,
    indexed: IndexedGallery,
    index: int,
    caption: str,
    dense: str | None,
) -> Explanation:
    """What a network makes of the photograph and the captions, which the service's model encodes."""
    words = service.model.encode_captions([caption])[0][0]  # (L_s, C)
    dense_words = None if dense is None else service.model.encode_captions([dense], dense=True)[0][0]  # (L_d, C)
    return explain(net, indexed.patches(index), words, dense_words, grid=service.model.grid)


def slope(
    service: RetrievalService,
    net: CrossSparseAggrNet,
    indexed: IndexedGallery,
    index: int,
    caption: str,
    dense: str | None,
) -> float:
    """The norm of the gradient of S(I, T) at the photograph's patches, [CLS] left out."""
    image = indexed.patches(index)[None].detach()  # (1, N[+1], C)
    patches = image[:, -net.num_patches :].clone().requires_grad_()
    captions = service.model.encode_captions([caption])
    dense_captions = () if dense is None else service.model.encode_captions([dense], dense=True)
    with torch.enable_grad():
        similarity = net(torch.cat([image[:, : -net.num_patches], patches], dim=1), *captions, *dense_captions)
    (gradient,) = torch.autograd.grad(similarity.sum(), [patches], allow_unused=True)
    return 0.0 if gradient is None else float(gradient.norm())


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """Results that others published, from assets/lesson/published.json.

    Returns:
        `rows`, each with `method`, `encoders`, `test`, `image_to_text` and `text_to_image` (R@1, R@5, R@10 in per cent;
        None where the source has none), `rsum` (or None), `summed` (True where the source has no rSum and it was added
        up here from its six recalls), `note`, and of its source the address as `source` and `what` it is;
        `sources` with `id`, `source`, `what` and `note`; `missing`, a sentence for each table that was not found.
    """
    told = json.loads(PUBLISHED_FILE.read_text(encoding="utf-8"))
    sources = {source["id"]: source for source in told["sources"]}
    rows = []
    for row in told["rows"]:
        recalls = [*row["image_to_text"], *row["text_to_image"]]
        summed = row["rsum"] is None and None not in recalls
        source = sources[row["source"]]
        rows.append(
            {"note": ""}
            | row
            | {"rsum": round(sum(recalls), 1) if summed else row["rsum"], "summed": summed}
            | {"source": source["source"], "what": source["what"]}
        )
    return {"rows": rows, "sources": told["sources"], "missing": told["missing"]}


def our_results(own: OwnModels | None = None) -> list[dict[str, Any]]:
    """Our shipped models' measured results, from assets/models/*/results-*.json.

    Args:
        own: models of one's own, whose results follow: folders by name, None where one is not on this machine.

    Returns:
        Rows with `model`, `split`, `dense` ("none", "own": the image's own dense caption, or "other": a wrong image's),
        `images`, `captions`, `image_to_text` and `text_to_image` (R@1, R@5, R@10 in per cent), `rsum` and `file`.
    """
    return [
        result_row(model, dense, measured[protocol], file)
        for model, file, measured in measurements(own)
        for protocol, dense in DENSE_PROTOCOLS.items()
        if is_whole(measured.get(protocol))
    ]


def is_whole(found: Any) -> bool:
    """Whether a measurement has all that a row tells."""
    return (
        isinstance(found, dict)
        and found.keys() >= RECALL_KEYS
        and all(
            isinstance(found[direction], dict) and found[direction].keys() >= RECALLS
            for direction in ("image_to_text", "text_to_image")
        )
    )


def our_grounding(own: OwnModels | None = None) -> list[dict[str, Any]]:
    """Where our shipped models' pictures point, from the same files; `own` as for `our_results`.

    Returns:
        Rows with `model`, `split`, `phrases` (how many, or None), `method` and `measures`: for each of MEASURES that
        the file has, its mean and its 95% interval [low, high] (None where it has none).
    """
    rows = []
    for model, _, measured in measurements(own):
        found: dict[str, Any] = measured.get("grounding") or {}
        for method, values in found.get("methods", {}).items():
            measures = {name: estimate(values[name]) for name in MEASURES if estimate(values.get(name)) is not None}
            told = {"model": model, "split": found.get("split", ""), "phrases": found.get("phrases")}
            rows.append(told | {"method": method, "measures": measures})
    return rows


def estimate(value: Any) -> tuple[float, float | None, float | None] | None:
    """A mean with the ends of its interval, where there is one."""
    if isinstance(value, dict) and isinstance(value.get("mean"), int | float):
        return value["mean"], value.get("low"), value.get("high")
    return None


def measurements(own: OwnModels | None = None) -> list[tuple[str, str, dict[str, Any]]]:
    """Each file of results of a shipped model, and of models of one's own: the model, "model/file", what it holds."""
    shipped = [
        (model, file) for model, folder in shipped_models().items() for file in sorted(folder.glob("results-*.json"))
    ]
    found = [(model, f"{model}/{file.name}", json.loads(file.read_text(encoding="utf-8"))) for model, file in shipped]
    for model, folder in (own or {}).items():
        for file in [] if folder is None else results_files(folder):
            with suppress(ValueError):  # not written by our programs
                measured = read_json_file(file)
                found += [(model, f"{model}/{file.name}", measured)] if isinstance(measured, dict) else []
    return found


def result_row(model: str, dense: str, found: dict[str, Any], file: str) -> dict[str, Any]:
    """One measurement of `seps.evaluate`."""
    recalls = {
        direction: [found[direction][name] for name in ("r1", "r5", "r10")]
        for direction in ("image_to_text", "text_to_image")
    }
    told = {name: found[name] for name in ("split", "images", "captions", "rsum")}
    return {"model": model, "dense": dense, **told, **recalls, "file": file}


def dense_protocol() -> list[dict[str, Any]]:
    """The rows of `our_results` on the split that has dense captions of a multimodal LLM: with none, with the image's
    own, with a wrong image's; each with `change`, its rSum less that with none."""
    rows = [row for row in our_results() if row["split"] == DENSE_SPLIT]
    alone = {row["model"]: row["rsum"] for row in rows if row["dense"] == "none"}
    return [row | {"change": row["rsum"] - alone[row["model"]]} for row in rows if row["model"] in alone]
