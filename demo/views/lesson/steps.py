"""The nine steps of one forward pass: what happens in words, in equations and in tensors with their shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.record.counterfactual import Trial, change, decision_sentence
from demo.record.layers.sentences import branches_of
from demo.record.settings import Knobs
from demo.record.texts.language import phrase
from demo.record.texts.maths import mathml
from demo.record.texts.table import say
from demo.views.lesson.equations import facts_of, legend, page_equation
from seps import Explanation

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
    def patches(self) -> int:
        """N."""
        return self.record.sparse.kept.size

    @property
    def kept(self) -> int:
        """How many patches the sparse branch kept."""
        return int(self.record.sparse.kept.sum())

    @property
    def length(self) -> int:
        """L_s."""
        return len(self.record.sparse_alignment.words)

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
    values, holds = numbers(example), facts(example)
    keys = zip(IDS, sentences(example), tensors(example), note_names(example), strict=True)
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
            "tensors": listed,
            "note": " ".join(say(name, **values) for name in notes),
        }
        for step, sentence, listed, notes in keys
    ]


def numbers(example: Example) -> dict[str, Any]:
    """Everything that the templates of sentences and notes name; None for what this pass does not have."""
    rows, columns = example.record.grid
    rank, total = example.rank or (None, None)
    fraction, captions = example.spread or (None, None)
    return {
        "rows": rows,
        "columns": columns,
        "channels": example.channels,
        "pixels": example.pixels,
        "patches": example.patches,
        "classes": example.classes,
        "kept": example.kept,
        "merged": example.merged,
        "words": example.length,
        "dense_words": example.dense_length,
        "times": None if example.dense_length is None else example.dense_length / example.length,
        **_possible(example),
        "top_k": example.knobs.top_k,
        "trained_k": example.trained_k,
        "similarity": example.record.similarity,
        "rank": rank,
        "total": total,
        "caption_share": fraction,
        "captions": captions,
        **_tried(example.trial),
    }


def _tried(trial: Trial) -> dict[str, Any]:
    """Where the patch is that is dropped to try it, and what that changes; nothing where none is."""
    if trial.patch is None or trial.now is None:
        return {}
    return trial.place | {"change": change(trial.now, trial.decided), "tried_rank": trial.now.rank}


def _possible(example: Example) -> dict[str, float]:
    """The range that a score can have, and where in it this pass's highest and lowest stand, in [0, 1]."""
    lowest, highest = (0.0, 1 + 2 * example.knobs.beta) if example.paper else (-2.0, 2.0)
    score = example.record.sparse.score  # (N,)
    ends = [min(max((float(end) - lowest) / (highest - lowest), 0.0), 1.0) for end in (score.max(), score.min())]
    return {"lowest": lowest, "highest": highest, "likely": ends[0], "unlikely": ends[1]}


def sentences(example: Example) -> list[str]:
    """Tell what happens in each step; in the last, what a decision by hand does where there is one."""
    values, trial = numbers(example), example.trial
    sentences_so_far = [say(f"happens.{name}", **values) for name in sentence_names(example)]
    if trial.by_hand and trial.now is not None:
        return [*sentences_so_far, decision_sentence(trial.now, trial.decided)]
    name = "what_if_one" if trial.now is None else "what_if_ranked" if trial.decided.total else "what_if"
    return [*sentences_so_far, say(f"happens.{name}", **values)]


def sentence_names(example: Example) -> list[str]:
    """Return which of the sentences, of at most 30 words, tells what happens in each step but the last."""
    paper, drawn = example.paper, example.knobs.decision == "gumbel"
    words = "words" if example.dense_length is None else "words_dense" if example.knobs.dense else "words_left_out"
    scores = "scores_dense" if example.record.dense is not None else "scores"
    similarity = "similarity" if paper else "similarity_released"
    return [
        "patches",
        words,
        scores if paper else "scores_released",
        "decision_drawn" if drawn else "decision",
        "aggregation_both" if example.both_merge else "aggregation",
        "tokens_cls" if example.record.has_cls else "tokens",
        "matrix" if paper else "matrix_released",
        similarity if example.rank is None else f"{similarity}_ranked",
    ]


def note_names(example: Example) -> list[list[str]]:
    """Return what else is true of each step, by templates; none where there is nothing to add."""
    patches_context, words_context = example.context
    dense = [] if example.record.dense is None else ["note.similarity_dense"]  # it changes the score
    return [
        [
            "note.patches",
            *(["note.patches_context"] if patches_context else []),
            *(["note.patches_classes"] if example.classes else []),
        ],
        ["note.words", *(["note.words_context"] if words_context else [])],
        score_notes(example),
        ["note.decision_drawn" if example.knobs.decision == "gumbel" else "note.decision"],
        ["note.aggregation", *(["note.aggregation_more"] if example.merged > example.kept else [])],
        extra_notes(example),
        matrix_notes(example),
        ["rank.drawn"] if example.rank is None else dense,
        what_if_notes(example),
    ]


def score_notes(example: Example) -> list[str]:
    """Return how much of the scores' spread is the caption's, and what else holds of their parts."""
    dense = "_dense" if example.paper and example.record.dense is not None else ""
    spread = [] if example.spread is None else [f"note.scores_caption{dense}"]
    if spread and example.paper:
        spread.append("note.scores_beta")
    return [*spread, "note.scores" if example.paper else "note.scores_released"]


def what_if_notes(example: Example) -> list[str]:
    """Return what stays as it is under a decision by hand, and what such a decision has no part in."""
    if example.knobs.decision == "gumbel":
        return ["note.what_if_drawn"]
    dense = [] if example.record.dense is None else ["note.what_if_dense"]
    return ["note.what_if", "note.what_if_ranked", *dense]


def extra_notes(example: Example) -> list[str]:
    """Return what is true of the extra token."""
    if example.kept == example.patches:
        return ["note.tokens_all_kept"]
    if example.both_merge:
        return ["note.tokens_both"]
    return ["note.tokens_own"] if not example.paper and example.record.dense is not None else []


def matrix_notes(example: Example) -> list[str]:
    """Return what a word map shows, and what is true of the relevance MLP."""
    if not example.paper:
        return ["note.matrix_fits", "note.matrix_released"]
    fewer = min(*example.record.sparse_alignment.matrix.shape, example.knobs.top_k) < example.trained_k
    return ["note.matrix_fits", *(["note.matrix_fewer"] if fewer else [])]


def facts(example: Example) -> set[str]:
    """Return what holds for the equations of the pass, see `facts_of`."""
    return facts_of(example.record, example.dense_length is not None, example.knobs.decision == "gumbel")


def tensors(example: Example) -> list[list[dict[str, Any]]]:
    """List the tensors of each step: name, shape, what it is."""
    merged, together = branch_tokens(example)
    aligned, all_tokens, matrices = alignment_tensors(example)
    total = [tensor("terms", (len(example.record.terms),)), tensor("S", ())]
    photo = [tensor("I", (3, example.pixels, example.pixels)), tensor("V", (example.patches, example.channels))]
    cls = [tensor("v_cls", (1, example.channels))] if example.record.has_cls else []
    lengths = {"T_s": example.length, "T_d": example.dense_length}
    return [
        photo + cls,
        [tensor(name, (length, example.channels)) for name, length in lengths.items() if length is not None],
        score_tensors(example),
        [
            tensor(f"D_{branch.name[0]}", branch.kept.shape, "D", branch=branch.name)
            for branch in branches_of(example.record)
        ],
        merged + aligned,
        together + all_tokens,
        matrices,
        total,
        [tensor("D", (example.patches,), "tried"), tensor("S", ())],
    ]


def score_tensors(example: Example) -> list[dict[str, Any]]:
    """Return the parts of the score and the score of each branch."""
    branches = branches_of(example.record)
    parts = dict.fromkeys(name for branch in branches for name in branch.parts)
    return [
        *[{"name": name, "shape": [example.patches], "says": say(f"part.{name}")} for name in parts],
        *[tensor(f"score_{branch.name[0]}", branch.score.shape, "score", branch=branch.name) for branch in branches],
    ]


def branch_tokens(example: Example) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the weights of each branch that merges tokens: of the aggregated ones, and of the extra one."""
    merged, extra = [], []
    for branch in branches_of(example.record):
        if branch.aggregation_weights is not None:
            letter, name = branch.name[0], branch.name
            merged.append(tensor(f"W_{letter}", branch.aggregation_weights.shape, "W", branch=name))
            extra.append(tensor(f"e_{letter}", branch.extra_weights.shape, "e", branch=name))
    return merged, extra


def alignment_tensors(
    example: Example,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """For each alignment: its aggregated tokens, all its tokens, its patch-word matrix with the maxima."""
    merged, together, matrices = [], [], []
    for alignment in (example.record.sparse_alignment, example.record.dense_alignment):
        if alignment is None:
            continue
        rows, columns = alignment.matrix.shape
        letter, words = alignment.caption[0], say(f"tensor.of_{alignment.caption}")
        merged.append(tensor(f"aggregated_{letter}", (example.merged, example.channels), "aggregated", words=words))
        together.append(tensor(f"tokens_{letter}", (rows, example.channels), "tokens", words=words))
        matrices += [
            tensor(f"A_{letter}", (rows, columns), "A", words=words),
            tensor(f"row maxima_{letter}", (rows,), "row maxima"),
            tensor(f"column maxima_{letter}", (columns,), "column maxima"),
        ]
    if example.paper:
        matrices.append(tensor("TopK", (2, example.knobs.top_k)))
    return merged, together, matrices


def tensor(name: str, shape: tuple[int, ...], kind: str = "", **values: str) -> dict[str, Any]:
    """Return one tensor as the browser takes it; `kind` is the template of what it is, the name where left out."""
    named = {key: phrase(value) for key, value in values.items()}
    return {"name": name, "shape": list(shape), "says": say(f"tensor.{kind or name}", **named)}
