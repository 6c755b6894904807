"""Immutable record of one forward pass of one image and one caption; prints as a summary of a dozen lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from seps.common.numbers import written
from seps.notebook import drawn_as

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]
Booleans = NDArray[np.bool_]
WIDTH = 100
MAX_WORDS = 16  # that are listed with the token that each met best


def read_only(values: Tensor | NDArray[Any]) -> NDArray[Any]:
    """Return a copy that cannot be written to or made writable."""
    if isinstance(values, Tensor):
        values = values.detach().cpu()
        values = (values.float() if values.dtype in (torch.bfloat16, torch.float16) else values).numpy()
    array = np.ascontiguousarray(values)
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


class FrozenDict(dict[str, Any]):
    """An immutable dict; `dataclasses.asdict`, copies and pickles do not support `MappingProxyType`."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("this record is read-only: copy it into a dict to change it.")

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = clear = setdefault = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


@dataclass(frozen=True, eq=False)
class BranchExplanation:
    """Selection and aggregation of one branch, sparse or dense. All arrays are read-only.

    Attributes:
        name: "sparse" or "dense".
        parts: the parts of the significance score by name, each (N,): `s_p` in (0, 1), the MLP's score, equation (1);
            `s_st`, `s_dt`, `s_im`, the attentions, equation (2), in [0, 1] (paper) or [-1, 1] (released). Only those
            that the variant, the branch and the call have.
        coefficients: by the same names, the weight of each part in equation (3).
        score: (N,), the sum of coefficients times parts.
        kept: (N,) bool, the decision mask.
        rank: (N,) int, each patch's position by score, 0 is the highest.
        aggregation_weights: (N_c, N) in [0, 1], equation (4): zero for dropped patches, each row summing to 1. None for
            the dense branch of the paper variant without dual aggregation, which merges nothing.
        extra_weights: (N,) in [0, 1], the extra token's weights: zero for kept patches, summing to 1 over the dropped
            ones; all zero if nothing was dropped.
        forced: whether `kept` was forced; the score then only weighs the dropped patches in the extra token.
    """

    name: str
    parts: Mapping[str, Floats]
    coefficients: Mapping[str, float]
    score: Floats
    kept: Booleans
    rank: Integers
    aggregation_weights: Floats | None
    extra_weights: Floats
    forced: bool = False


@dataclass(frozen=True, eq=False)
class AlignmentExplanation:
    """Alignment of one caption's words with the image's tokens, equation (5). All arrays are read-only.

    Attributes:
        caption: "sparse" or "dense".
        words: (L,), the words' labels.
        tokens: (M,), the tokens' labels: "[CLS]" if any, "aggregated 1" to "aggregated N_c", "extra".
        token_weights: (M, N), each token's weights over the patches, before it is scaled to unit length. The [CLS] row
            is zero. With both branches merged (paper variant) an aggregated row sums to 2.
        cosines: (M, L), the patch-word matrix in [-1, 1].
        matrix: (M, L), the same after the leaky ReLU in the released variant; equal to cosines in the paper's.
        best_token: (L,), each word's best token.
        best_word: (M,), each token's best word.
        word_maps: (L, N), for each word the weights over patches of its best token, both branches combined: each row
            sums to 1. Zero if that token is [CLS], which has no place on the grid, or an empty extra token.
        patch_cosines: (L, N), each word's cosine with each patch, in [-1, 1]. Not a part of the score, which uses
            patches only through tokens.
        patch_to_word: mean over tokens of each token's best value.
        word_to_patch: mean over words of each word's best value.
        patch_relevance, word_relevance: the relevance MLP on the K best of each; 0 in the released variant.
        similarity: the sum of the four numbers above.
    """

    caption: str
    words: tuple[str, ...]
    tokens: tuple[str, ...]
    token_weights: Floats
    cosines: Floats
    matrix: Floats
    best_token: Integers
    best_word: Integers
    word_maps: Floats
    patch_cosines: Floats
    patch_to_word: float
    word_to_patch: float
    patch_relevance: float
    word_relevance: float
    similarity: float

    @property
    def terms(self) -> dict[str, float]:
        """The four terms of the similarity by name, in the order of their sum."""
        return {
            "patch-to-word mean": self.patch_to_word,
            "word-to-patch mean": self.word_to_patch,
            "patch relevance": self.patch_relevance,
            "word relevance": self.word_relevance,
        }


@dataclass(frozen=True, eq=False)
class ClassExplanation:
    """Output of the image backbone's classifier, for a model that adds class vectors to patches. All arrays are
    read-only.

    Attributes:
        names: (N,), the name of each patch's most probable class.
        probability: (N,) in [0, 1], of that class.
        word_shares: (L, N), what the class vectors contribute to `patch_cosines` of the sparse alignment: each word's
            cosine with each patch is this plus the contribution of the rest of the patch.
    """

    names: tuple[str, ...]
    probability: Floats
    word_shares: Floats


@dataclass(frozen=True, eq=False)
class Source:
    """The inputs of a record: the photograph itself, captions, each word's first piece, and the model's name."""

    photo: Image.Image
    caption: str
    dense_caption: str | None = None
    word_starts: tuple[int, ...] = ()
    model: str = ""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The complete record of one image and one caption.

    Attributes:
        variant: "paper" or "released".
        grid: (H, W), patches row by row, H * W = N.
        has_cls: whether the image has a [CLS] token.
        sparse, dense: the branches; dense is None without a dense caption.
        sparse_alignment: the caption's words against the tokens.
        dense_alignment: the dense caption's, only in the released variant; the paper's tokens are aligned with the
            sparse caption's words.
        similarity: S(I, T), as returned by the model.
        source: the photograph and the caption, if made by `SEPSModel.explain`; None for a record of embeddings.
        classes: what the image backbone's classifier saw; None for a model without class vectors, and for a record of
            embeddings.
    """

    variant: str
    grid: tuple[int, int]
    has_cls: bool
    sparse: BranchExplanation
    dense: BranchExplanation | None
    sparse_alignment: AlignmentExplanation
    dense_alignment: AlignmentExplanation | None
    similarity: float
    source: Source | None = None
    classes: ClassExplanation | None = None

    @property
    def terms(self) -> dict[str, float]:
        """Every term of S(I, T) by name; they add up to `similarity`."""
        terms = {f"sparse {name}": value for name, value in self.sparse_alignment.terms.items()}
        if self.dense_alignment is not None:
            terms |= {f"dense {name}": value for name, value in self.dense_alignment.terms.items()}
        return terms

    @property
    def forced(self) -> bool:
        """Whether a decision was forced, in either branch."""
        return self.sparse.forced or (self.dense is not None and self.dense.forced)

    def __str__(self) -> str:
        return summarize(self)

    def _repr_html_(self) -> str | None:
        return None if self.source is None else drawn_as("html", self)

    def _repr_png_(self) -> bytes | None:
        return None if self.source is None else drawn_as("png", self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def on_grid(self, values: NDArray[Any]) -> NDArray[Any]:
        """Reshape patch values (..., N) to the grid: (..., H, W)."""
        return values.reshape(*values.shape[:-1], *self.grid)


def summarize(record: Explanation) -> str:
    """Summarize an explanation: the score and its terms, the kept patches, and each word's best token."""
    rows, columns = record.grid
    cls = "with [CLS]" if record.has_cls else "without [CLS]"
    lines = [
        f"S(I, T) = {written(record.similarity, '.4f')} ({record.variant} variant, {rows} x {columns} patches {cls})"
    ]
    terms = " + ".join(f"{written(value, '.4f')} {name}" for name, value in record.terms.items())
    lines += indent_text("= " + terms.replace("+ -", "- "))
    for branch in (record.sparse, record.dense):
        lines += [] if branch is None else branch_lines(branch)
    for alignment in (record.sparse_alignment, record.dense_alignment):
        lines += [] if alignment is None else alignment_lines(alignment)
    fields = [name for name in record.__dataclass_fields__ if name != "classes" or record.classes is not None]
    return "\n".join([*lines, "Fields: " + ", ".join(fields)])


def branch_lines(branch: BranchExplanation) -> list[str]:
    """Describe one branch: its kept patches, its score, and its tokens."""
    kept, total = int(branch.kept.sum()), branch.kept.size
    score = " + ".join(f"{branch.coefficients[name]:g} {name}" for name in branch.parts)
    weights = branch.aggregation_weights
    merged = "merges no tokens" if weights is None else f"merges them into {len(weights)} aggregated tokens"
    forced = ", as requested," if branch.forced else ""
    low, high = (written(float(end), ".3f") for end in (branch.score.min(), branch.score.max()))
    return [
        f"{branch.name} branch: keeps {kept} of {total} patches{forced} and {merged}",
        f"  score = {score}, from {low} to {high}",
    ]


def alignment_lines(alignment: AlignmentExplanation) -> list[str]:
    """Describe each word's best token and their entry in the matrix."""
    met = zip(alignment.words, alignment.best_token, alignment.matrix.max(axis=0), strict=True)
    entries = [f"{word}: {alignment.tokens[token]} ({written(entry, '.2f')})" for word, token, entry in met]
    more = [f"and {len(entries) - MAX_WORDS} more"] if len(entries) > MAX_WORDS else []
    head = f"{alignment.caption} caption: {len(entries)} words and the token that each met best"
    return [head, *indent_text(", ".join(entries[:MAX_WORDS] + more))]


def indent_text(text: str) -> list[str]:
    """Wrap the text into lines of at most WIDTH characters."""
    return wrap(
        text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
