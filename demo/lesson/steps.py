"""The eight steps of one forward pass: what happens in words, in equations and in tensors with their shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.explain.equations import facts_of, page_equation
from demo.explain.table import say
from demo.explain.words import counted
from demo.lesson.settings import Knobs
from seps import Explanation

IDS = ("patches", "words", "scores", "decision", "aggregation", "tokens", "matrix", "similarity")
TITLES = (
    "From photo to patches",
    "From caption to words",
    "The significance score",
    "The decision",
    "Aggregation",
    "All tokens together",
    "Patches meet words",
    "S(I, T) and the rank",
)


@dataclass(frozen=True)
class Example:
    """One forward pass, with what its record does not tell.

    Attributes:
        record: the pass; knobs: its settings.
        channels: C; pixels: side of the square image.
        dense_length: L_d of the dense caption that is there, in use or not; None without one.
        context: whether every patch carries the mean of the whole photo, and whether every word that of its caption.
        trained_k: how many values the relevance MLP was trained for.
        rank: the photograph's place in its gallery for this caption and how many there are; None for a drawn decision.
    """

    record: Explanation
    knobs: Knobs
    channels: int
    pixels: int
    dense_length: int | None
    context: tuple[bool, bool]
    trained_k: int
    rank: tuple[int, int] | None

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
    """The eight steps, in order: id, title, sentence, equation, tensors, note."""
    names = ("id", "title", "sentence", "equation", "tensors", "note")
    told = zip(IDS, TITLES, sentences(example), equations(example), tensors(example), notes(example), strict=True)
    return [dict(zip(names, step, strict=True)) for step in told]


def sentences(example: Example) -> list[str]:
    """What happens in each step, in at most 30 words."""
    rows, columns = example.record.grid
    return [
        f"The image encoder turns each patch of a {rows} x {columns} grid over the photo into a token of "
        f"{example.channels} numbers.",
        _caption_sentence(example),
        _score_sentence(example),
        _decision_sentence(example),
        _aggregation_sentence(example),
        f"{'[CLS], the' if example.record.has_cls else 'The'} aggregated tokens and one extra token, the mean of the "
        "dropped patches weighted by score, now stand for the image.",
        _matrix_sentence(example),
        _similarity_sentence(example),
    ]


def _caption_sentence(example: Example) -> str:
    caption = f"The caption becomes {counted(example.length, 'word token')}"
    if example.dense_length is None:
        return f"{caption} of {example.channels} numbers each; a dense caption may stand beside it, and none does here."
    times = f"{example.dense_length / example.length:.1f} times as many"
    left_out = "" if example.knobs.dense else ", and is left out now"
    return f"{caption}; the dense caption, a long description, makes {example.dense_length}, {times}{left_out}."


def _score_sentence(example: Example) -> str:
    if not example.paper:
        return "Each patch is compared with the caption (s_st) and with the whole image (s_im); the sum is its score."
    others = "the caption (s_st) and the whole image (s_im)"
    if example.record.dense is not None:
        others = "the caption (s_st), the dense caption (s_dt) and the whole image (s_im)"
    return f"Each patch has a learned score (s_p) and likenesses to {others}; their weighted sum is its score."


def _decision_sentence(example: Example) -> str:
    kept = f"{example.kept} of {example.patches} patches"
    if example.knobs.decision == "gumbel":
        return f"Each patch is drawn by its own keep probability: this draw keeps {kept}, another seed others."
    return f"The {kept} with the highest scores stay: the share kept is fixed beforehand."


def _aggregation_sentence(example: Example) -> str:
    merged = counted(example.merged, "aggregated token")
    if example.both_merge:
        return f"Each of {merged} adds two weighted means: of what the sparse and what the dense branch kept."
    return (
        f"{counted(example.kept, 'kept patch')} become {merged}, each a weighted mean whose weights a small network "
        "reads from the patches."
    )


def _matrix_sentence(example: Example) -> str:
    meeting = "Every token meets every word: each token keeps its best word, each word its best token"
    if not example.paper:
        return f"{meeting}."
    return f"{meeting}, and a small network reads the {example.knobs.top_k} highest of both."


def _similarity_sentence(example: Example) -> str:
    terms = "Two means and two relevance values add up" if example.paper else "The means of both directions add up"
    rank = "" if example.rank is None else f": rank {example.rank[0]} of {example.rank[1]} photos for this caption"
    return f"{terms} to S(I, T) = {example.record.similarity:.4f}{rank}."


def notes(example: Example) -> list[str]:
    """What else is true of each step; empty where there is nothing to add."""
    photo = f"Whatever its shape, the photo is squashed to {example.pixels} x {example.pixels} pixels first."
    words = "Word pieces count, [CLS] and [SEP] among them."
    if example.context[0]:
        photo += " In this model every patch also carries means over the whole photo."
    if example.context[1]:
        words += " In this model every word also carries the mean of its caption."
    merged = f"N_c = {example.merged} is set by the parameters, whatever share is kept."
    if example.merged > example.kept:
        merged += f" That is more than the {counted(example.kept, 'patch')} kept."
    return [
        photo,
        words,
        _score_note(example),
        _decision_note(example),
        merged,
        _extra_note(example),
        _matrix_note(example),
        say("rank.drawn") if example.rank is None else "",
    ]


def _score_note(example: Example) -> str:
    score = example.record.sparse.score
    span = f"Scores here run from {score.min():.3f} to {score.max():.3f}."
    if example.paper:
        return f"Each attention is stretched to the range from 0 to 1 over the patches, and carries no gradient. {span}"
    return f"The released code takes cosines as they are and has no s_p; its dense branch takes s_dt for s_st. {span}"


def _decision_note(example: Example) -> str:
    if example.knobs.decision == "gumbel":
        return "A keep probability is a score's place in its possible range. The temperature shapes the gradient alone."
    return "Of equal scores the earlier patch stays. Gumbel-Softmax is for training: evaluation takes the top k."


def _extra_note(example: Example) -> str:
    if example.kept == example.patches:
        return "The sparse branch dropped nothing, so that its extra token is empty."
    if example.both_merge:
        return "The extra token is the mean of both branches' extra tokens."
    if not example.paper and example.record.dense is not None:
        return "The dense branch makes tokens of its own, which meet the dense caption's words."
    return ""


def _matrix_note(example: Example) -> str:
    if not example.paper:
        return "The released code has no relevance MLP; its leaky ReLU shrinks negative cosines to a tenth."
    if min(*example.record.sparse_alignment.matrix.shape, example.knobs.top_k) < example.trained_k:
        return f"The relevance MLP was trained for {example.trained_k} values: zeros take the place of missing ones."
    return ""


def equations(example: Example) -> list[str]:
    """The MathML of each step, of the variant and the branches of the pass."""
    facts = facts_of(example.record, example.dense_length is not None, example.knobs.decision == "gumbel")
    return [page_equation(step, facts) for step in IDS]


def tensors(example: Example) -> list[list[dict[str, Any]]]:
    """The tensors of each step: name, shape, what it is."""
    record, channels = example.record, example.channels
    photo = [
        tensor("I", (3, example.pixels, example.pixels), "pixels, normalised"),
        tensor("V", (example.patches, channels), "patches"),
    ]
    if record.has_cls:
        photo.append(tensor("v_cls", (1, channels), "[CLS] of the image encoder"))
    captions = [tensor("T_s", (example.length, channels), "words of the caption")]
    if example.dense_length is not None:
        captions.append(tensor("T_d", (example.dense_length, channels), "words of the dense caption"))
    branches = [(branch, branch.name[0]) for branch in (record.sparse, record.dense) if branch is not None]
    names = dict.fromkeys(name for branch, _ in branches for name in branch.parts)
    scores = [tensor(name, (example.patches,), say(f"part.{name}")) for name in names]
    decisions, merged, together = [], [], []
    for branch, letter in branches:
        whose = f"{branch.name} branch"
        scores.append(tensor(f"score_{letter}", branch.score.shape, f"significance score, {whose}"))
        decisions.append(tensor(f"D_{letter}", branch.kept.shape, f"decision mask, {whose}"))
        if branch.aggregation_weights is not None:
            merged.append(tensor(f"W_{letter}", branch.aggregation_weights.shape, f"aggregation weights, {whose}"))
            together.append(tensor(f"e_{letter}", branch.extra_weights.shape, f"weights of the extra token, {whose}"))
    matrices = []
    for alignment in (record.sparse_alignment, record.dense_alignment):
        if alignment is None:
            continue
        rows, columns = alignment.matrix.shape
        letter, words = alignment.caption[0], "words" if alignment.caption == "sparse" else "dense words"
        merged.append(tensor(f"aggregated_{letter}", (example.merged, channels), f"aggregated tokens for the {words}"))
        together.append(tensor(f"tokens_{letter}", (rows, channels), f"all tokens for the {words}"))
        matrices.append(tensor(f"A_{letter}", (rows, columns), f"patch-word matrix, tokens by {words}"))
        matrices.append(tensor(f"row maxima_{letter}", (rows,), "best word of each token"))
        matrices.append(tensor(f"column maxima_{letter}", (columns,), "best token of each word"))
    if example.paper:
        matrices.append(tensor("TopK", (2, example.knobs.top_k), "what the relevance MLP reads, rows and columns"))
    total = [tensor("terms", (len(record.terms),), "terms of the sum"), tensor("S", (), "similarity")]
    return [photo, captions, scores, decisions, merged, together, matrices, total]


def tensor(name: str, shape: tuple[int, ...], says: str) -> dict[str, Any]:
    """One tensor as the browser takes it."""
    return {"name": name, "shape": list(shape), "says": says}
