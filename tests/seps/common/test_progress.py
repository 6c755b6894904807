from collections.abc import Generator

from seps.common.progress import finish, map_progress, with_progress


def test_progress_is_called_like_tqdm_or_not_at_all() -> None:
    titles = []

    def progress(values: list[int], desc: str) -> list[int]:
        titles.append((len(values), desc))
        return values

    assert list(with_progress([1, 2], "Counting", progress)) == list(with_progress([1, 2], "Counting", False)) == [1, 2]
    assert titles == [(2, "Counting")]


def counting(count: int) -> Generator[int, None, str]:
    yield from range(count)
    return f"{count} done"


def test_work_in_steps_is_finished_or_told_in_other_words() -> None:
    assert finish(counting(3)) == "3 done"
    sentences = map_progress(counting(3), lambda number: f"step {number}")
    assert list(sentences) == ["step 0", "step 1", "step 2"]
    assert finish(map_progress(counting(2), str)) == "2 done"
