"""Paper, code, and what is known: differences on one example, published results, our own beside them, never mixed."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from demo.galleries.indexes.index import IndexedGallery
from demo.record.settings import VARIANTS, evaluation_knobs, network_with
from demo.record.texts.language import phrase
from demo.record.texts.table import rich, say
from demo.service.explaining import EncodedCaption, explain_pair
from demo.service.results import dense_protocol, our_effects, our_results
from demo.service.retrieval import RetrievalService
from demo.views.tables import grounding_table, number, results, table
from seps import AlignmentExplanation, CrossSparseAggrNet, DualTokenAggregation, Explanation

ROOT = Path(__file__).resolve().parents[3]
CODE = re.compile(r"`([^`]*)`")
LIST_ITEM = re.compile(r"^- (.*(?:\n  .*)*)", re.MULTILINE)
NAMES_FILE = ROOT / "assets" / "guide" / "names.md"
PUBLISHED_FILE = ROOT / "assets" / "lesson" / "published.json"
PROTOCOL = (
    "In the published protocol every test query carries a dense caption made from its own image, so a query knows more "
    "than its words. On the split with dense captions by a multimodal LLM, our model measures:"
)

NAMES = (
    "Names of the paper, of its released code and of guides to it, and what has their place in the library. Called by "
    "the former, it answers with the latter."
)
PUBLISHED = "Recall in per cent, as the sources give it; empty where they give none."
OURS = "Small models on frozen backbones, on other data: not to be compared with the table above."


@dataclass(frozen=True)
class Run:
    """One variant on the example; `kept_alone`: patches the other drops; `slope`: the gradient's norm at them."""

    net: CrossSparseAggrNet
    record: Explanation
    kept_alone: int
    slope: float


def _alignments(run: Run) -> list[AlignmentExplanation]:
    both = (run.record.sparse_alignment, run.record.dense_alignment)
    return [alignment for alignment in both if alignment is not None]


def _of_paper(name: str) -> Callable[[Run], float | None]:
    """Read a term of the relevance MLP, which the released variant does not have."""
    return lambda run: getattr(run.record.sparse_alignment, name) if run.net.use_paper_version else None


# What is compared, by topic and by name in the table of words; None where a variant has no such thing.
NUMBERS: dict[str, dict[str, Callable[[Run], float | None]]] = {
    "score": {
        "weight_of_s_p": lambda run: run.record.sparse.coefficients.get("s_p"),
        "lowest_score": lambda run: float(run.record.sparse.score.min()),
        "highest_score": lambda run: float(run.record.sparse.score.max()),
        "kept": lambda run: int(run.record.sparse.kept.sum()),
        "kept_alone": lambda run: run.kept_alone,
    },
    "dense": {
        "alignments": lambda run: len(_alignments(run)),
        "from_words": lambda run: run.record.sparse_alignment.similarity,
        "from_dense_words": lambda run: _alignments(run)[1].similarity if len(_alignments(run)) > 1 else None,
    },
    "aggregation": {
        "weight_networks": lambda run: 2 if isinstance(run.net.aggr_net, DualTokenAggregation) else 1,
        "aggregated": lambda run: run.net.num_tokens,
        "first_token": lambda run: (
            float(run.record.sparse_alignment.token_weights[int(run.record.has_cls)].sum())
            if run.net.num_tokens
            else None
        ),
    },
    "matrix": {
        "lowest_cosine": lambda run: float(run.record.sparse_alignment.cosines.min()),
        "lowest_entry": lambda run: float(run.record.sparse_alignment.matrix.min()),
        "highest_entry": lambda run: float(run.record.sparse_alignment.matrix.max()),
    },
    "relevance": {
        "top_k": lambda run: run.net.hrpa.top_k if run.net.use_paper_version else None,
        "patch_relevance": _of_paper("patch_relevance"),
        "word_relevance": _of_paper("word_relevance"),
    },
    "gradient": {"gradient": lambda run: run.slope},
    "similarity": {
        "terms": lambda run: len(run.record.terms) // (1 if run.net.use_paper_version else 2),
        "similarity": lambda run: run.record.similarity,
    },
}


def differences(
    service: RetrievalService, indexed: IndexedGallery, index: int, caption: str, dense: str | None = None
) -> list[dict[str, Any]]:
    """Return how the paper and its released code differ, with both variants' numbers on one photograph and caption;
    ValueError for a model without parameters of the paper's variant."""
    runs = _run_variants(service, indexed, index, caption, dense or None)
    notes = {} if dense else dict.fromkeys(("dense", "aggregation"), say("differs.no_dense"))
    if min(run.record.sparse_alignment.cosines.min() for run in runs.values()) >= 0:
        notes["matrix"] = say("differs.no_negative")
    return [
        {
            "id": topic,
            "topic": say(f"topic.{topic}"),
            "paper": say(f"paper.{topic}"),
            "released": say(f"released.{topic}"),
            "numbers": [
                {"name": say(f"compared.{name}")} | {variant: read(run) for variant, run in runs.items()}
                for name, read in readings.items()
            ],
            "note": notes.get(topic, ""),
        }
        for topic, readings in NUMBERS.items()
    ]


def _run_variants(
    service: RetrievalService, indexed: IndexedGallery, index: int, caption: str, dense: str | None
) -> dict[str, Run]:
    """Run both variants on one photograph and caption, by name."""
    knobs = evaluation_knobs(service.model)
    nets = [network_with(service.model, replace(knobs, variant=name)) for name in VARIANTS]
    patches = indexed.patches(index)  # (N[+1], C)
    encoded = service.encode_caption(caption, dense)
    records = [explain_pair(service.model, patches, encoded, net) for net in nets]
    kept = [record.sparse.kept for record in records]
    alone = [int((mine & ~other).sum()) for mine, other in zip(kept, reversed(kept), strict=True)]
    slopes = [_slope(net, patches, encoded) for net in nets]
    runs = map(Run, nets, records, alone, slopes)
    return dict(zip(VARIANTS, runs, strict=True))


def _slope(net: CrossSparseAggrNet, image: Tensor, caption: EncodedCaption) -> float:
    """Return the norm of the gradient of S(I, T) at an image's patches (N[+1], C), [CLS] left out."""
    image = image[None].detach()  # (1, N[+1], C)
    patches = image[:, -net.num_patches :].clone().requires_grad_()
    texts = [words for words in (caption.words, caption.dense_words) if words is not None]  # (L, C) each
    captions = [argument for words in texts for argument in (words[None], [len(words)])]
    with torch.enable_grad():
        similarity = net(torch.cat([image[:, : -net.num_patches], patches], dim=1), *captions)
    (gradient,) = torch.autograd.grad(similarity.sum(), [patches], allow_unused=True)
    return 0.0 if gradient is None else float(gradient.norm())


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """Read results that others published, from assets/lesson/published.json. Recalls are R@1, R@5 and R@10 in per cent,
    None where the source has none; `summed`: the rSum was added up here."""
    data = json.loads(PUBLISHED_FILE.read_text(encoding="utf-8"))
    sources = {source["id"]: source for source in data["sources"]}
    rows = []
    for row in data["rows"]:
        recalls = [*row["image_to_text"], *row["text_to_image"]]
        summed = row["rsum"] is None and None not in recalls
        rsum, source = round(sum(recalls), 1) if summed else row["rsum"], sources[row["source"]]
        facts = {"rsum": rsum, "summed": summed, "source": source["source"], "what": source["what"]}
        rows.append({"note": ""} | row | facts)
    return {"rows": rows, "sources": data["sources"], "missing": data["missing"]}


@lru_cache(maxsize=1)
def names_elsewhere() -> tuple[tuple[str, str, str], ...]:
    """Rows of names: of the paper, its code and guides, what has that place here, and what differs, from names.md."""
    text = NAMES_FILE.read_text(encoding="utf-8").partition("\n## ")[0]
    rows = []
    for item in LIST_ITEM.findall(text):
        there, _, here = CODE.sub(r"\1", " ".join(item.split())).partition(": ")
        name, _, differs = here.partition("; ")
        rows.append((there, name, differs))
    return tuple(rows)


def page(service: RetrievalService) -> str:
    """Return the whole page as HTML."""
    indexed = service.open("examples")
    index = indexed.gallery.position("cat")
    item, known = indexed.gallery.items[index], published()
    caption = item.captions[0]
    rows = []
    for row in known["rows"]:
        values = [value for way in ("image_to_text", "text_to_image") for value in row[way] or [None] * 3]
        total = number(row["rsum"], 1) + (f" {phrase('(added up here)')}" if row["summed"] else "")
        rows.append((row["method"], row["encoders"], row["test"], *(number(value, 1) for value in values), total))
    return "".join(
        [
            f"<h3>{phrase('The paper and its released code differ')}</h3>",
            f"<p>{escape(say('differs.note'))} {escape(say('differs.example', caption=caption))}</p>",
            *[_difference(row) for row in differences(service, indexed, index, caption, item.dense)],
            f"<h3>{phrase('What it is called elsewhere')}</h3>",
            f"<p>{phrase(NAMES)}</p>",
            table(("there", "here", "what differs"), names_elsewhere()),
            f"<h3>{phrase('Published results')}</h3>",
            f"<p>{phrase(PUBLISHED)}</p>",
            table(
                ("method", "encoders", "test", "R@1", "R@5", "R@10", "R@1", "R@5", "R@10", "rSum"),
                rows,
                ("", "", "", "image to text", "text to image", ""),
            ),
            "<ul>",
            *[
                f'<li><a href="{escape(row["source"])}" rel="noreferrer">{escape(row["what"])}</a>. '
                f"{escape(row['note'] or '')}</li>"
                for row in known["sources"]
            ],
            "</ul>",
            *[f"<p>{escape(sentence)}</p>" for sentence in known["missing"]],
            f"<h3>{phrase('Our models, measured here')}</h3>",
            f"<p>{phrase(OURS)}</p>",
            results(our_results()),
            f"<h3>{phrase('Dense captions at test time')}</h3><p>{phrase(PROTOCOL)}</p>",
            results(dense_protocol()),
            f"<h3>{escape(say('maps.title'))}</h3>",
            *[f"<p>{escape(say(f'maps.{name}'))}</p>" for name in ("weights", "effects", "gradients", "measured")],
            grounding_table(our_effects()),
        ]
    )


def _difference(row: dict[str, Any]) -> str:
    """Return one difference: what the paper says, what the code does, and both variants' numbers."""
    numbers = [(entry["name"], number(entry["paper"], 2), number(entry["released"], 2)) for entry in row["numbers"]]
    rows = [("", row["paper"], row["released"]), *numbers]
    note = f"<p>{rich(row['note'])}</p>" if row["note"] else ""
    return f"<h4>{rich(row['topic'])}</h4>{table(('', 'paper', 'released code'), rows)}{note}"
