"""The nine steps of one forward pass: what happens in words, in equations and in tensors with their shapes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demo.record.counterfactual import Trial, change, decision_sentence
from demo.record.layers.layers import branches_of
from demo.record.settings import Knobs
from demo.record.texts.language import phrase
from demo.record.texts.maths import mathml
from demo.record.texts.table import say
from demo.views.lesson.equations import facts_of, legend, page_equation
from seps import BranchExplanation, Explanation

IDS = ("patches", "words", "scores", "decision", "aggregation", "tokens", "matrix", "similarity", "what_if")
STEPS = len(IDS)


@dataclass(frozen=True)
class Example:
    """One forward pass, with what its record does not have."""

    record: Explanation
    knobs: Knobs
    channels: int  # C
    pixels: int  # side of the square image
    dense_length: int | None  # L_d of the dense caption that is there, in use or not
    context: tuple[bool, bool]  # whether a patch carries the mean of the photo, and a word that of its caption
    classes: int  # number of class names added to the patches; 0 in a model without them
    trained_k: int  # values that the relevance MLP was trained for
    rank: tuple[int, int] | None  # the photograph's place and how many there are; None for a draw
    spread: tuple[float, int] | None  # the caption's share of the score's spread, and of how many captions
    trial: Trial  # a decision next to that of the pass

    @property
    def paper(self) -> bool:
        """Whether this is the paper's variant."""
        return self.record.variant == "paper"

    @property
    def merged(self) -> int:
        """N_c."""
        weights = self.record.sparse.aggregation_weights
        return 0 if weights is None else len(weights)

    @property
    def both_merge(self) -> bool:
        """Whether each aggregated token adds what both branches kept."""
        return self.paper and self.record.dense is not None and self.record.dense.aggregation_weights is not None


def steps(example: Example) -> list[dict[str, Any]]:
    """Describe the nine steps, in order: id, title, sentence, equation, its symbols, tensors, note."""
    values = _numbers(example)
    holds = facts_of(example.record, example.dense_length is not None, example.knobs.decision == "gumbel")
    parts = zip(IDS, _sentences(example, values), _tensors(example), _notes(example), strict=True)
    return [
        {
            "id": step,
            "title": say(f"step.{step}"),
            "sentence": sentence,
            "equation": page_equation(step, holds),
            "legend": [
                {"latex": latex, "symbol": mathml(latex), "says": say(name, **values)}
                for latex, name in legend(step, holds)
            ],
            "tensors": tensors,
            "note": " ".join(say(name, **values) for name, is_true in notes.items() if is_true),
        }
        for step, sentence, tensors, notes in parts
    ]


def _numbers(example: Example) -> dict[str, Any]:
    """Return every value that a template of sentences or notes names; None for what this pass does not have."""
    record, knobs, trial = example.record, example.knobs, example.trial
    (rows, columns), score, words = record.grid, record.sparse.score, len(record.sparse_alignment.words)
    lowest, highest = (0.0, 1 + 2 * knobs.beta) if example.paper else (-2.0, 2.0)  # that a score can have
    likely, unlikely = (
        min(max((float(end) - lowest) / (highest - lowest), 0.0), 1.0) for end in (score.max(), score.min())
    )
    (rank, total), (fraction, captions) = example.rank or (None, None), example.spread or (None, None)
    values = {
        "rows": rows,
        "columns": columns,
        "channels": example.channels,
        "pixels": example.pixels,
        "patches": record.sparse.kept.size,
        "classes": example.classes,
        "kept": int(record.sparse.kept.sum()),
        "merged": example.merged,
        "words": words,
        "dense_words": example.dense_length,
        "times": None if example.dense_length is None else example.dense_length / words,
        "lowest": lowest,
        "highest": highest,
        "likely": likely,
        "unlikely": unlikely,
        "top_k": knobs.top_k,
        "trained_k": example.trained_k,
        "similarity": record.similarity,
        "rank": rank,
        "total": total,
        "caption_share": fraction,
        "captions": captions,
    }
    if trial.patch is not None and trial.now is not None:  # the patch that is dropped to try it
        values |= trial.place | {"change": change(trial.now, trial.decided), "tried_rank": trial.now.rank}
    return values


def _sentences(example: Example, values: dict[str, Any]) -> list[str]:
    """Return what happens in each step in at most 30 words; in the last, what a decision by hand does, if any."""
    paper, drawn, trial = example.paper, example.knobs.decision == "gumbel", example.trial
    words = "words" if example.dense_length is None else "words_dense" if example.knobs.dense else "words_left_out"
    scores = "scores_dense" if example.record.dense is not None else "scores"
    similarity = "similarity" if paper else "similarity_released"
    names = [
        "patches",
        words,
        scores if paper else "scores_released",
        "decision_drawn" if drawn else "decision",
        "aggregation_both" if example.both_merge else "aggregation",
        "tokens_cls" if example.record.has_cls else "tokens",
        "matrix" if paper else "matrix_released",
        similarity if example.rank is None else f"{similarity}_ranked",
        "what_if_one" if trial.now is None else "what_if_ranked" if trial.decided.total else "what_if",
    ]
    by_hand = trial.by_hand and trial.now is not None
    said = [say(f"happens.{name}", **values) for name in (names[:-1] if by_hand else names)]
    return [*said, decision_sentence(trial.now, trial.decided)] if by_hand and trial.now is not None else said


def _notes(example: Example) -> list[dict[str, bool]]:
    """Return the templates of what else may be true of each step, and whether it is."""
    paper, drawn = example.paper, example.knobs.decision == "gumbel"
    record, has_dense, has_spread = example.record, example.record.dense is not None, example.spread is not None
    known = min(*record.sparse_alignment.matrix.shape, example.knobs.top_k)  # values of the relevance MLP
    all_kept = bool(record.sparse.kept.all())
    return [
        {
            "note.patches": True,
            "note.patches_context": example.context[0],
            "note.patches_classes": bool(example.classes),
        },
        {"note.words": True, "note.words_context": example.context[1]},
        {
            "note.scores_caption_dense": has_spread and paper and has_dense,
            "note.scores_caption": has_spread and not (paper and has_dense),
            "note.scores_beta": has_spread and paper,
            "note.scores": paper,
            "note.scores_released": not paper,
        },
        {"note.decision_drawn": drawn, "note.decision": not drawn},
        {"note.aggregation": True, "note.aggregation_more": example.merged > record.sparse.kept.sum()},
        {
            "note.tokens_all_kept": all_kept,
            "note.tokens_both": example.both_merge and not all_kept,
            "note.tokens_own": not paper and has_dense and not all_kept,
        },
        {
            "note.matrix_fits": True,
            "note.matrix_released": not paper,
            "note.matrix_fewer": paper and known < example.trained_k,
        },
        {"rank.drawn": example.rank is None, "note.similarity_dense": example.rank is not None and has_dense},
        {
            "note.what_if_drawn": drawn,
            "note.what_if": not drawn,
            "note.what_if_ranked": not drawn,
            "note.what_if_dense": not drawn and has_dense,
        },
    ]


def _tensors(example: Example) -> list[list[dict[str, Any]]]:
    record, channels, patches = example.record, example.channels, example.record.sparse.kept.size
    branches = branches_of(record)
    merging = [branch for branch in branches if branch.aggregation_weights is not None]

    def of(branches: Sequence[BranchExplanation], symbol: str, values: str, kind: str) -> list[dict[str, Any]]:
        return [
            _tensor(f"{symbol}_{branch.name[0]}", getattr(branch, values).shape, kind, branch=branch.name)
            for branch in branches
        ]

    aggregated, tokens, matrices = [], [], []
    for alignment in (record.sparse_alignment, record.dense_alignment):
        if alignment is None:
            continue
        rows, columns = alignment.matrix.shape
        letter, words = alignment.caption[0], say(f"tensor.of_{alignment.caption}")
        aggregated.append(_tensor(f"aggregated_{letter}", (example.merged, channels), "aggregated", words=words))
        tokens.append(_tensor(f"tokens_{letter}", (rows, channels), "tokens", words=words))
        matrices += [
            _tensor(f"A_{letter}", (rows, columns), "A", words=words),
            _tensor(f"row maxima_{letter}", (rows,), "row maxima"),
            _tensor(f"column maxima_{letter}", (columns,), "column maxima"),
        ]
    if example.paper:
        matrices.append(_tensor("TopK", (2, example.knobs.top_k)))
    photo = [_tensor("I", (3, example.pixels, example.pixels)), _tensor("V", (patches, channels))]
    lengths = {"T_s": len(record.sparse_alignment.words), "T_d": example.dense_length}
    parts = dict.fromkeys(name for branch in branches for name in branch.parts)
    return [
        [*photo, *([_tensor("v_cls", (1, channels))] if record.has_cls else [])],
        [_tensor(name, (length, channels)) for name, length in lengths.items() if length is not None],
        [
            *({"name": name, "shape": [patches], "says": say(f"part.{name}")} for name in parts),
            *of(branches, "score", "score", "score"),
        ],
        of(branches, "D", "kept", "D"),
        of(merging, "W", "aggregation_weights", "W") + aggregated,
        of(merging, "e", "extra_weights", "e") + tokens,
        matrices,
        [_tensor("terms", (len(record.terms),)), _tensor("S", ())],
        [_tensor("D", (patches,), "tried"), _tensor("S", ())],
    ]


def _tensor(name: str, shape: tuple[int, ...], kind: str = "", **values: str) -> dict[str, Any]:
    """Return one tensor as the browser takes it; `kind` is the template of what it is, the name where left out."""
    named = {key: phrase(value) for key, value in values.items()}
    return {"name": name, "shape": list(shape), "says": say(f"tensor.{kind or name}", **named)}
