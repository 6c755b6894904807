"""The explanation record on its way out: packed for the browser, plain for a JSON file, and how decisions overlap."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.record.layers.layers import branches_of
from demo.record.texts.table import say
from demo.service.masks import mask_text, overlap_of
from demo.service.measuring.measured import MeasuredExplanation, PatchEffects, measures_of
from demo.service.measuring.measures import MEASURES
from seps import Explanation, MinimalSet

Floats = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]

MEASURED = {
    PatchEffects: ("values", "words"),
    MinimalSet: ("kept", "dropped", "added", "count", "similarity", "rank", "rank_before"),
}
CLASSES = {
    "names": "(N), the name of each patch's most probable class, as the image backbone's own classifier sees it",
    "probability": "(N), of that class",
    "word_shares": "(L, N), what the class vectors contribute to patch_cosines",
}
DESCRIPTION = {
    "patches": "N = H * W patches, row by row of the grid, over the photo stretched to its whole width and height",
    "variant": "paper or released equations",
    "grid": "[H, W], rows and columns of patches",
    "has_cls": "whether the image came with a [CLS] token besides its patches",
    "similarity": "S(I, T), the sum of the terms",
    "terms": "every term of S(I, T) by name",
    "branches": {
        "name": "sparse or dense: the caption of this decision",
        "kept": "(N), the decision mask: 1 kept, 0 dropped",
        "forced": "whether the mask was given from outside; the score then decided nothing",
        "rank": "(N), the place of each patch by score; 0 is the highest",
        "score": "(N), the total significance score: the sum of coefficients times parts",
        "parts": "(N) each, the parts of the score by name: s_p the score MLP, s_st the caption's attention, "
        "s_dt the dense caption's attention, s_im the image's own attention",
        "coefficients": "the weight of each part in the total",
        "aggregation_weights": "(N_c, N), what each aggregated token takes of each patch, each row summing to 1; "
        "null where the branch merges nothing",
        "extra_weights": "(N), what the extra token takes of each dropped patch",
    },
    "alignments": {
        "caption": "sparse or dense: the caption of the words",
        "words": "(L), the caption's words; ## continues the word before",
        "tokens": "(M), the labels of the image's tokens",
        "token_weights": "(M, N), what each token takes of each patch",
        "cosines": "(M, L), the patch-word matrix",
        "matrix": "(M, L), the same as it enters S(I, T): after the leaky ReLU in the released variant",
        "best_token": "(L), the place among the tokens of the one that each word met best, from 0",
        "best_word": "(M), the place among the words of the one that each token met best, from 0",
        "word_maps": "(L, N), the weights over patches of each word's best token, each row summing to 1 or zero",
        "patch_cosines": "(L, N), each word's cosine with each patch itself: where it fits best, no part of the score",
    },
}


def packed(record: Explanation) -> dict[str, Any]:
    """Return the record with every array of floats as {"shape": [...], "float32": base64, little-endian}; JSON ready.
    The page fills in the sentences (assets/js/record/sentences.js)."""
    fields = _fields(record, pack_array)
    for name, measured in measures_of(record).items():
        if isinstance(measured, PatchEffects):
            fields["measures"][name]["region"] = None if measured.region is None else asdict(measured.region)
    return fields


def plain(record: Explanation) -> dict[str, Any]:
    """Return the record with plain lists and, under "description", each field's meaning and shape; JSON ready."""
    described: dict[str, Any] = dict(DESCRIPTION)
    if record.classes is not None:
        described["classes"] = CLASSES
    if measures_of(record):
        described["measures"] = {measure.name: measure.meaning for measure in MEASURES}
    return {"description": described, **_fields(record, lambda values: values.tolist())}


def overlap(records: Sequence[Explanation]) -> list[list[float]]:
    """Return the intersection over union of the sparse branches' kept sets, each with each; 1 for two empty ones.
    ValueError for different grids."""
    grids = {record.grid for record in records}
    if len(grids) > 1:
        sizes = " and ".join(f"{rows} x {columns}" for rows, columns in sorted(grids))
        raise ValueError(f"The records have different grids, {sizes}: explain every caption with one model.")
    sets = [record.sparse.kept for record in records]
    return [[overlap_of(mask, other) for other in sets] for mask in sets]


def describe_overlap(masks: Sequence[Mask]) -> str:
    """Describe the overlap of masks (N,): of the patches that any keeps, the share that all keep. For more than two,
    add the smallest and largest pairwise overlap."""
    common, kept = np.logical_and.reduce(masks), np.logical_or.reduce(masks)
    numbers = {"count": len(masks), "common": int(common.sum()), "kept": int(kept.sum())}
    percent = 100 * numbers["common"] / max(numbers["kept"], 1)
    if len(masks) == 2:
        return say("shared.two", share=percent, **numbers)
    pairs = [100 * overlap_of(mask, other) for mask, other in combinations(masks, 2)]
    return say("shared.more", share=percent, **numbers, least=min(pairs), most=max(pairs))


def pack_other_masks(shown: Mask, captions: Sequence[str], masks: Sequence[Mask]) -> list[dict[str, str]]:
    """Return each other caption, its mask as text, and a sentence on its overlap with the `shown` one, (N,)."""
    return [
        {
            "caption": caption,
            "mask": mask_text(mask),
            "says": say("shared.other", caption=caption, sentence=describe_overlap([shown, mask])),
        }
        for caption, mask in zip(captions, masks, strict=True)
    ]


def _fields(record: Explanation, floats: Callable[[Floats], Any]) -> dict[str, Any]:
    """Every field of the record, arrays of floats as `floats` writes them."""
    alignments = [alignment for alignment in (record.sparse_alignment, record.dense_alignment) if alignment is not None]
    fields = {
        **_written(record, ("variant", "grid", "has_cls", "similarity", "terms"), floats),
        "branches": [_written(branch, DESCRIPTION["branches"], floats) for branch in branches_of(record)],
        "alignments": [_written(alignment, DESCRIPTION["alignments"], floats) for alignment in alignments],
    }
    if record.classes is not None:
        fields["classes"] = _written(record.classes, CLASSES, floats)
    if isinstance(record, MeasuredExplanation):
        fields["measures"] = {
            name: None if measured is None else _written(measured, MEASURED[type(measured)], floats)
            for name, measured in record.measures.items()
        }
    return fields


def _written(part: Any, names: Iterable[str], floats: Callable[[Floats], Any]) -> dict[str, Any]:
    return {name: _plain(getattr(part, name), floats) for name in names}


def _plain(value: Any, floats: Callable[[Floats], Any]) -> Any:
    """A value with lists in place of tuples, and numbers in place of booleans in arrays."""
    if isinstance(value, np.ndarray):
        return floats(value) if value.dtype.kind == "f" else value.astype(int).tolist()
    if isinstance(value, Mapping):
        return {name: _plain(part, floats) for name, part in value.items()}
    return list(value) if isinstance(value, tuple) else value


def pack_array(values: NDArray[Any]) -> dict[str, Any]:
    """Floats of any shape as little-endian float32, as assets/js/base/numbers.js reads them."""
    return {"shape": list(values.shape), "float32": b64encode(values.astype("<f4").tobytes()).decode()}
