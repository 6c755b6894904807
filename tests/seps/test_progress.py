"""Progress is shown on request, and the iterated values stay the same."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from seps.progress import batch_indices, batches, finish, map_progress, with_progress


def test_progress_is_called_like_tqdm_or_not_at_all() -> None:
    titles = []

    def progress(values: list[int], desc: str) -> list[int]:
        titles.append((len(values), desc))
        return values

    assert list(with_progress([1, 2], "Counting", progress)) == list(with_progress([1, 2], "Counting", False)) == [1, 2]
    assert titles == [(2, "Counting")]


@pytest.mark.parametrize("progress", [False, True])
def test_batches_are_shown_in_the_terminal_where_it_is_wanted(
    progress: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(batches(5, 2, progress, "Cutting")) == [slice(0, 2), slice(2, 4), slice(4, 6)]
    assert ("Cutting" in capsys.readouterr().err) == progress
    assert list(batch_indices(5, 2, progress, "Cutting")) == [range(2), range(2, 4), range(4, 5)]


def counting(count: int) -> Generator[int, None, str]:
    yield from range(count)
    return f"{count} done"


def test_work_in_steps_is_finished_or_told_in_other_words() -> None:
    assert finish(counting(3)) == "3 done"
    sentences = map_progress(counting(3), lambda number: f"step {number}")
    assert list(sentences) == ["step 0", "step 1", "step 2"]
    assert finish(map_progress(counting(2), str)) == "2 done"
