from collections.abc import Generator

from seps.common.progress import finish, map_progress


def counting(count: int) -> Generator[int, None, str]:
    yield from range(count)
    return f"{count} done"


def test_work_in_steps_is_finished_or_told_in_other_words() -> None:
    assert finish(counting(3)) == "3 done"
    sentences = map_progress(counting(3), lambda number: f"step {number}")
    assert list(sentences) == ["step 0", "step 1", "step 2"]
    assert finish(map_progress(counting(2), str)) == "2 done"
