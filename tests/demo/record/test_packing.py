import json
from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from demo.record.packing import describe_overlap, overlap, pack_other_masks, packed, plain
from demo.service.masks import read_mask
from seps import Explanation
from tests.helpers.models.records import CASES, random_record, record_with_classes

BRANCH_ARRAYS = ("score", "extra_weights", "aggregation_weights")
ALIGNMENT_ARRAYS = ("token_weights", "cosines", "matrix", "word_maps")


@pytest.fixture(params=[CASES[3], CASES[4], "classes"], ids=str)
def record(request: pytest.FixtureRequest) -> Explanation:
    return record_with_classes() if request.param == "classes" else random_record(*request.param)


def unpacked(value: dict[str, Any]) -> NDArray[np.float32]:
    return np.frombuffer(b64decode(value["float32"]), "<f4").reshape(value["shape"])


def pairs(record: Explanation, value: dict[str, Any]) -> list[tuple[Any, NDArray[Any]]]:
    """Every packed array of floats, with the record's."""
    branches = [branch for branch in (record.sparse, record.dense) if branch is not None]
    alignments = [alignment for alignment in (record.sparse_alignment, record.dense_alignment) if alignment is not None]
    assert len(value["branches"]) == len(branches) and len(value["alignments"]) == len(alignments)
    arrays = []
    for branch, told_branch in zip(branches, value["branches"], strict=True):
        arrays += [(told_branch[name], getattr(branch, name)) for name in BRANCH_ARRAYS]
        assert set(told_branch["parts"]) == set(branch.parts)
        arrays += [(told_branch["parts"][name], values) for name, values in branch.parts.items()]
    for alignment, told_alignment in zip(alignments, value["alignments"], strict=True):
        arrays += [(told_alignment[name], getattr(alignment, name)) for name in ALIGNMENT_ARRAYS]
    if record.classes is not None:
        arrays += [(value["classes"][name], getattr(record.classes, name)) for name in ("probability", "word_shares")]
    return arrays


def check_the_rest(record: Explanation, value: dict[str, Any]) -> None:
    """Everything in a packed record that is no array of floats."""
    assert value["variant"] == record.variant and value["has_cls"] is record.has_cls
    assert tuple(value["grid"]) == record.grid
    assert value.get("classes", {}).get("names") == (None if record.classes is None else list(record.classes.names))
    assert value["similarity"] == record.similarity and value["terms"] == record.terms
    for branch, part in zip((record.sparse, record.dense), value["branches"], strict=False):
        assert branch is not None and part["name"] == branch.name
        assert part["kept"] == [int(kept) for kept in branch.kept]
        assert part["rank"] == branch.rank.tolist() and part["coefficients"] == branch.coefficients
    for alignment, part in zip((record.sparse_alignment, record.dense_alignment), value["alignments"], strict=False):
        assert alignment is not None and part["caption"] == alignment.caption
        assert tuple(part["words"]) == alignment.words and tuple(part["tokens"]) == alignment.tokens
        assert part["best_token"] == alignment.best_token.tolist()
        assert part["best_word"] == alignment.best_word.tolist()


def test_packed_arrays_decode_to_the_record(record: Explanation) -> None:
    value = json.loads(json.dumps(packed(record), allow_nan=False))
    check_the_rest(record, value)
    for array, values in pairs(record, value):
        assert np.array_equal(unpacked(array), values.astype(np.float32))


def test_plain_numbers_survive_json_and_every_field_is_described(record: Explanation) -> None:
    value = json.loads(json.dumps(plain(record), allow_nan=False))
    check_the_rest(record, value)
    for array, values in pairs(record, value):
        assert np.array_equal(np.array(array, dtype=values.dtype), values)
    description = value.pop("description")
    assert set(packed(record)) == set(value) == set(description) - {"patches"}
    assert set(value["branches"][0]) == set(description["branches"])
    assert set(value["alignments"][0]) == set(description["alignments"])
    assert set(value.get("classes", {})) == set(description.get("classes", {}))


def with_kept(record: Explanation, places: list[int]) -> Explanation:
    kept = np.isin(np.arange(record.sparse.kept.size), places)
    return replace(record, sparse=replace(record.sparse, kept=kept))


def test_overlap_is_intersection_over_union() -> None:
    record = random_record()
    records = [with_kept(record, places) for places in ([0, 1, 2], [2, 3], [], [])]
    assert overlap(records) == [[1, 1 / 4, 0, 0], [1 / 4, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]


def test_records_of_different_grids_do_not_overlap() -> None:
    with pytest.raises(ValueError, match="The records have different grids, 4 x 7 and 5 x 5"):
        overlap([random_record(grid=(5, 5)), random_record(grid=(4, 7))])


LEFT = np.array([1, 1, 1, 0, 0, 0], dtype=bool)
RIGHT = np.array([0, 0, 1, 1, 0, 0], dtype=bool)


def test_masks_share_what_all_keep_of_what_any_keeps() -> None:
    two = describe_overlap([LEFT, RIGHT])
    assert two == "These masks share 25% of their patches: both keep 1 of the 4 that either keeps."
    assert describe_overlap([LEFT, RIGHT, ~RIGHT]) == (
        "These 3 masks share 0% of their patches: all keep 0 of the 6 that any keeps. Two by two they share 0% to 40%."
    )


def test_other_captions_come_with_their_masks() -> None:
    (row,) = pack_other_masks(LEFT, ["a “red” hat"], [RIGHT])
    assert row["caption"] == "a “red” hat"
    assert (read_mask(row["mask"], 6) == RIGHT).all()  # type: ignore[union-attr]
    assert row["says"].startswith("These masks share 25% of their patches")
    assert row["says"].endswith("This is the mask for “a “red” hat”: press it again to return.")
