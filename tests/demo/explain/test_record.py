from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from demo.explain.record import overlap, packed, plain
from seps import Explanation
from tests.helpers.records import CASES, random_record

BRANCH_ARRAYS = ("score", "extra_weights", "aggregation_weights")
ALIGNMENT_ARRAYS = ("token_weights", "cosines", "matrix", "word_maps")


@pytest.fixture(params=CASES, ids=str)
def record(request: pytest.FixtureRequest) -> Explanation:
    return random_record(*request.param)


def unpacked(value: dict[str, Any]) -> NDArray[np.float32]:
    return np.frombuffer(b64decode(value["float32"]), "<f4").reshape(value["shape"])


def pairs(record: Explanation, told: dict[str, Any]) -> list[tuple[Any, NDArray[Any]]]:
    """Every array of floats as it is told, with the record's own."""
    branches = [branch for branch in (record.sparse, record.dense) if branch is not None]
    alignments = [found for found in (record.sparse_alignment, record.dense_alignment) if found is not None]
    assert len(told["branches"]) == len(branches) and len(told["alignments"]) == len(alignments)
    found = []
    for branch, told_branch in zip(branches, told["branches"], strict=True):
        found += [(told_branch[name], getattr(branch, name)) for name in BRANCH_ARRAYS]
        assert set(told_branch["parts"]) == set(branch.parts)
        found += [(told_branch["parts"][name], values) for name, values in branch.parts.items()]
    for alignment, told_alignment in zip(alignments, told["alignments"], strict=True):
        found += [(told_alignment[name], getattr(alignment, name)) for name in ALIGNMENT_ARRAYS]
    return found


def check_the_rest(record: Explanation, told: dict[str, Any]) -> None:
    """Everything in a told record that is no array of floats."""
    assert told["variant"] == record.variant and told["has_cls"] is record.has_cls
    assert tuple(told["grid"]) == record.grid
    assert told["similarity"] == record.similarity and told["terms"] == record.terms
    for branch, found in zip((record.sparse, record.dense), told["branches"], strict=False):
        assert branch is not None and found["name"] == branch.name
        assert found["kept"] == [int(kept) for kept in branch.kept]
        assert found["rank"] == branch.rank.tolist() and found["coefficients"] == branch.coefficients
    for alignment, found in zip((record.sparse_alignment, record.dense_alignment), told["alignments"], strict=False):
        assert alignment is not None and found["caption"] == alignment.caption
        assert tuple(found["words"]) == alignment.words and tuple(found["tokens"]) == alignment.tokens
        assert found["best_token"] == alignment.best_token.tolist()
        assert found["best_word"] == alignment.best_word.tolist()


def test_packed_arrays_decode_to_the_record(record: Explanation) -> None:
    told = json.loads(json.dumps(packed(record), allow_nan=False))
    check_the_rest(record, told)
    for found, values in pairs(record, told):
        assert np.array_equal(unpacked(found), values.astype(np.float32))


def test_plain_numbers_survive_json(record: Explanation) -> None:
    told = json.loads(json.dumps(plain(record), allow_nan=False))
    check_the_rest(record, told)
    for found, values in pairs(record, told):
        assert np.array_equal(np.array(found, dtype=values.dtype), values)


def test_every_plain_field_is_described(record: Explanation) -> None:
    told = plain(record)
    description = told.pop("description")
    assert set(told) == set(description) - {"patches"}
    assert set(told["branches"][0]) == set(description["branches"])
    assert set(told["alignments"][0]) == set(description["alignments"])


def test_a_branch_that_merges_nothing_has_no_weights() -> None:
    record = random_record(dense=True, use_dual_aggr=False)
    for told in (packed(record), plain(record)):
        assert told["branches"][0]["aggregation_weights"] is not None
        assert told["branches"][1]["aggregation_weights"] is None


def with_kept(record: Explanation, places: list[int]) -> Explanation:
    kept = np.isin(np.arange(record.sparse.kept.size), places)
    return replace(record, sparse=replace(record.sparse, kept=kept))


def test_overlap_is_intersection_over_union() -> None:
    record = random_record()
    records = [with_kept(record, places) for places in ([0, 1, 2], [2, 3], [], [])]
    assert overlap(records) == [[1, 1 / 4, 0, 0], [1 / 4, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]


def test_records_of_different_grids_do_not_overlap() -> None:
    with pytest.raises(ValueError, match=r"different grids, 4 x 7 and 5 x 5: explain every caption with one model\."):
        overlap([random_record(grid=(5, 5)), random_record(grid=(4, 7))])
