"""The graphs of the static page for dense captions and for the lesson, and the lesson's texts with equations. The page
computes decisions under other settings (assets/js/engine/onnx/tuned.js); two small graphs per variant compute the rest
of the pass: S(I, T) of many pictures, or the record of a pair."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from demo.record.settings import evaluation_knobs, fixed, idle_choices, limits, network_with, trained_knobs
from demo.record.texts.language import in_languages
from demo.record.texts.maths import inner, mathml
from demo.views.lesson.equations import EQUATIONS, LEGENDS
from seps import CrossSparseAggrNet, SEPSModel
from seps.explanation.forward_pass import alignment_arrays, alignment_terms, cosines, selection_arrays, token_weights
from seps.method.network import Branch, ImageFeatures
from seps.method.selection import Selection
from seps.method.tokens import split_cls
from seps.models.export.folder import write_graphs
from seps.models.export.graphs import Graph, exportable

LESSON = "lesson.json"
SECTIONS = ("step", "happens", "note", "legend", "tensor", "setting", "trial")  # parts of the lesson's texts

PREFIXES = ("", "dense_")  # prefixes of names for the sparse and the dense caption


class Decided(nn.Module):
    """The pass after a decision on pictures under one caption; `whole` returns every array of one picture."""

    def __init__(self, network: CrossSparseAggrNet, whole: bool) -> None:
        super().__init__()
        self.network, self.whole = network, whole

    def forward(
        self,
        patches: Tensor,
        words: Tensor,
        logits: Tensor,
        score: Tensor,
        mask: Tensor,
        seen: Tensor | None = None,
        dense_logits: Tensor | None = None,
        dense_score: Tensor | None = None,
        dense_mask: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """Aggregate and align patches (B, N[+1], C) and words (L, C) by logits (B, N_c, N), weights of dropped patches
        and decisions (B, N), also of the dense branch if any. `seen`: (K,), 1 or 0 for each of the K best values in the
        relevance MLP, if the variant has one. Returns S(I, T) (B,); with `whole` also the record's arrays and terms."""
        network = self.network
        cls, plain = split_cls(patches, network.num_patches)
        image = ImageFeatures(
            cls, plain, plain, score, (None, None), (logits, logits if dense_logits is None else dense_logits)
        )
        dense = None
        if dense_score is not None and dense_mask is not None:
            dense = Selection({}, dense_score, dense_mask.to(dense_score))
        match = network.match_selected(image, words, None, Selection({}, score, mask.to(score)), dense)
        alignment = match.alignments[0]
        if seen is not None:
            best = {"patch_relevance": alignment.matrix.amax(dim=2), "word_relevance": alignment.matrix.amax(dim=1)}
            hrpa = network.hrpa
            alignment = replace(
                alignment,
                **{name: hrpa.relevance_mlp(hrpa.highest(values) * seen).squeeze(-1) for name, values in best.items()},
            )
        if not self.whole:
            return {"similarity": alignment.similarity}
        dense_arrays = {} if match.dense is None else merged_arrays(match.dense)
        return {
            **merged_arrays(match.sparse),
            **{f"dense_{name}": values for name, values in dense_arrays.items()},
            **alignment_arrays(alignment, token_weights(match, 0, cls is not None)),
            "patch_cosines": cosines(words, plain[0]),
            **alignment_terms(alignment),
        }


class DenseFeatures(nn.Module):
    """Features of the dense branch of the paper's variant, computed once for all captions."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, patches: Tensor) -> dict[str, Tensor]:
        """Return `logits` (B, N_c, N) and `s_p` (B, N) of (B, N[+1], C)."""
        image = self.network.encode_images(patches)
        s_p = image.s_p[1]
        assert s_p is not None  # in this variant
        return {"logits": image.logits[1], "s_p": s_p}


def merged_arrays(branch: Branch) -> dict[str, Tensor]:
    """Return the merging weights of one image's branch, by the record's names."""
    merged = {} if branch.weights is None else {"aggregation_weights": branch.weights[0]}
    return {"extra_weights": branch.selection.extra_weights[0]} | merged


def lesson_graphs(model: SEPSModel) -> dict[str, Graph]:
    """Return the graphs `lesson_VARIANT_rank` for many pictures and `lesson_VARIANT_pair` for one; with a dual branch
    also `lesson_paper_dense_rank`, `_pair` and `_features`."""
    usual = evaluation_knobs(model)
    variants = ("paper", "released") if usual.variant == "paper" else ("released",)
    graphs = {}
    for variant in variants:
        network = network_with(model, replace(usual, variant=variant))
        count, channels = network.num_patches, network.embed_size
        patches = (count + model.img_enc.has_cls, channels)
        for name, pictures in (("rank", "images"), ("pair", 1)):
            decided: dict[str, tuple[int | str, ...]] = {
                "logits": (pictures, network.num_tokens, count),
                "score": (pictures, count),
                "mask": (pictures, count),
            }
            sizes: dict[str, tuple[int | str, ...]] = {"patches": (pictures, *patches), "words": ("words", channels)}
            sizes |= decided
            if variant == "paper":
                sizes["seen"] = (network.hrpa.top_k,)
            module = Decided(network, name == "pair")
            graphs[f"lesson_{variant}_{name}"] = Graph(module, sizes)
            if network.use_dual_aggr:
                dense = {f"dense_{part}": size for part, size in decided.items()}
                graphs[f"lesson_{variant}_dense_{name}"] = Graph(module, sizes | dense)
        if network.use_dual_aggr:
            features = Graph(DenseFeatures(network), {"patches": ("images", *patches)})
            graphs[f"lesson_{variant}_dense_features"] = features
    return graphs


def write_lesson(model: SEPSModel, folder: Path) -> None:
    """Write a model's lesson into the folder of its graphs; ValueError for a graph that differs from the model."""
    plain = exportable(model)
    write_graphs(plain, lesson_graphs(plain), folder)
    text = json.dumps(in_languages(lambda: lesson_facts(model)), ensure_ascii=False, separators=(",", ":"))
    (folder / LESSON).write_text(text, encoding="utf-8")


def lesson_facts(model: SEPSModel) -> dict[str, Any]:
    """Return a model's facts for the lesson, JSON ready: settings with limits, and equations in MathML."""
    network, config = model.cross_net, model.config
    return {
        "trained": asdict(trained_knobs(model)),
        "usual": asdict(evaluation_knobs(model)),
        "limits": {name: list(ends) for name, ends in limits(model).items()},
        "fixed": fixed(model),
        "idle": idle_choices(),
        "patches": network.num_patches,
        "channels": network.embed_size,
        "pixels": config.vision.image_size,
        "context": [config.vision.context_size > 0, config.text.context],
        "classes": len(model.class_names),
        "trained_k": network.hrpa.top_k,
        "equations": {  # of each step, with its number in the paper or null, and its condition
            step: [
                {"mathml": inner(row["latex"]), "number": row.get("number"), "when": row.get("when", [])}
                for row in rows
            ]
            for step, rows in EQUATIONS.items()
        },
        "legend": {
            step: [row | {"when": row.get("when", []), "symbol": mathml(row["latex"])} for row in rows]
            for step, rows in LEGENDS.items()
        },
    }


class Rank(nn.Module):
    """Scores of many images for one caption and its dense caption."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, patches: Tensor, words: Tensor, dense_words: Tensor) -> dict[str, Tensor]:
        """Return `similarity` (B,) of (B, N[+1], C), (L, C) and (L_d, C)."""
        image = self.network.encode_images(patches)
        return {"similarity": self.network.match(image, words, dense_words).similarity}


class Pair(nn.Module):
    """Explanation of one image, one caption and its dense caption."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, patches: Tensor, words: Tensor, dense_words: Tensor, mask: Tensor | None = None
    ) -> dict[str, Tensor]:
        """Return the record of (N[+1], C), (L, C) and (L_d, C), optionally under a sparse decision `mask` (N,) bool."""
        network = self.network
        match = network.match(network.encode_images(patches[None]), words, dense_words, mask=mask)
        has_cls = len(patches) > network.num_patches
        outputs: dict[str, Tensor] = {}
        for prefix, branch in zip(PREFIXES, (match.sparse, match.dense), strict=True):
            assert branch is not None  # there is a dense caption
            arrays = {name: values[0] for name, values in branch.selection.parts.items()}
            arrays |= selection_arrays(branch.selection) | merged_arrays(branch)
            outputs |= {prefix + name: values for name, values in arrays.items()}
        for index, alignment in enumerate(match.alignments):
            arrays = alignment_arrays(alignment, token_weights(match, index, has_cls))
            arrays |= {"patch_cosines": cosines((words, dense_words)[index], patches[-network.num_patches :])}
            arrays |= {name: values[0] for name, values in alignment_terms(alignment).items()}
            outputs |= {PREFIXES[index] + name: values for name, values in arrays.items()}
        return outputs | {"similarity": match.similarity[0]}


def dense_graphs(model: SEPSModel) -> dict[str, Graph]:
    """Return the graphs of an `exportable` model for a caption with a dense caption.

    | graph | takes | gives |
    |---|---|---|
    | dense_rank | patches (B, N[+1], C), words (L, C), dense_words (L_d, C) | similarity (B,), S(I, T) |
    | dense_pair | patches (N[+1], C), words, dense_words | every array and term of the explanation, see `Pair` |
    | dense_forced | the same and mask (N,) bool | the same with a forced sparse decision |
    """
    network = model.cross_net
    count, channels = network.num_patches, network.embed_size
    patches = (count + model.img_enc.has_cls, channels)
    captions: dict[str, tuple[int | str, ...]] = {"words": ("words", channels), "dense_words": ("dense", channels)}
    return {
        "dense_rank": Graph(Rank(network), {"patches": ("images", *patches)} | captions),
        "dense_pair": Graph(Pair(network), {"patches": patches} | captions),
        "dense_forced": Graph(Pair(network), {"patches": patches} | captions | {"mask": (count,)}),
    }


def write_dense(model: SEPSModel, folder: Path) -> None:
    """Write a model's graphs of dense captions into its folder; ValueError for one that differs from the model."""
    plain = exportable(model)
    write_graphs(plain, dense_graphs(plain), folder)
