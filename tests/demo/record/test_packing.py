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


def is_same(decoded: Any, value: Any) -> bool:
    """Return whether a decoded value equals the record's; packed floats have 32 bits."""
    if isinstance(value, dict):
        return decoded.keys() == value.keys() and all(is_same(decoded[name], part) for name, part in value.items())
    if isinstance(decoded, dict):
        return np.array_equal(unpacked(decoded), value.astype(np.float32))
    if isinstance(value, np.ndarray):
        return np.array_equal(decoded, value)
    return bool(decoded == (list(value) if isinstance(value, tuple) else value))


def check(record: Explanation, decoded: dict[str, Any]) -> None:
    branches = [branch for branch in (record.sparse, record.dense) if branch is not None]
    alignments = [alignment for alignment in (record.sparse_alignment, record.dense_alignment) if alignment is not None]
    lists = ("branches", "alignments", "classes", "description")
    parts: list[tuple[Any, dict[str, Any]]] = [
        (record, {name: value for name, value in decoded.items() if name not in lists}),
        *zip(branches, decoded["branches"], strict=True),
        *zip(alignments, decoded["alignments"], strict=True),
    ]
    if record.classes is not None:
        parts.append((record.classes, decoded["classes"]))
    for part, fields in parts:
        for name, value in fields.items():
            assert is_same(value, getattr(part, name)), name
    assert decoded.keys() >= {"variant", "has_cls", "grid", "similarity", "terms"}
    assert decoded["branches"][0].keys() >= {"name", "kept", "rank", "coefficients", "parts", *BRANCH_ARRAYS}
    assert decoded["alignments"][0].keys() >= {"words", "tokens", "best_token", "best_word", *ALIGNMENT_ARRAYS}


def test_packed_arrays_decode_to_the_record(record: Explanation) -> None:
    check(record, json.loads(json.dumps(packed(record), allow_nan=False)))


def test_plain_numbers_survive_json_and_every_field_is_described(record: Explanation) -> None:
    value = json.loads(json.dumps(plain(record), allow_nan=False))
    check(record, value)
    description = value.pop("description")
    assert set(packed(record)) == set(value) == set(description) - {"patches"}
    assert set(value["branches"][0]) == set(description["branches"])
    assert set(value["alignments"][0]) == set(description["alignments"])
    assert set(value.get("classes", {})) == set(description.get("classes", {}))


def with_kept(record: Explanation, places: list[int]) -> Explanation:
    kept = np.isin(np.arange(record.sparse.kept.size), places)
    return replace(record, sparse=replace(record.sparse, kept=kept))


def test_overlap_is_intersection_over_union_on_one_grid() -> None:
    record = random_record()
    records = [with_kept(record, places) for places in ([0, 1, 2], [2, 3], [], [])]
    assert overlap(records) == [[1, 1 / 4, 0, 0], [1 / 4, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
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
