import threading
from collections.abc import Iterator

import pytest
import torch

from seps.search import engine as scoring
from seps.search.parallel import parallel_for, split
from tests.helpers.models.cases import Case, indexed


@pytest.fixture
def four_threads() -> Iterator[None]:
    mine = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(mine)


def test_each_thread_has_its_part_and_torch_is_left_as_it_was(four_threads: None) -> None:
    counts, lock, all_there = [], threading.Lock(), threading.Barrier(2)

    def work(part: slice) -> None:
        if part.start < 2:  # the first two parts wait for each other: each of both threads has one
            all_there.wait(timeout=30)
        with lock:
            counts.append((threading.get_ident(), torch.get_num_threads()))

    parallel_for(work, list(split(8, 1)), 2, "", False)
    assert len(counts) == 8 and len({thread for thread, _ in counts}) == 2
    assert {count for _, count in counts} == {2}
    later: list[int] = []
    thread = threading.Thread(target=lambda: later.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert (torch.get_num_threads(), later) == (4, [4])


def test_what_goes_wrong_is_raised_and_the_rest_is_left(four_threads: None) -> None:
    finished = []

    def work(part: slice) -> None:
        if part.start == 3:
            raise RuntimeError("the fourth")
        finished.append(part.start)
        threading.Event().wait(0.01)

    with pytest.raises(RuntimeError, match="the fourth"):
        parallel_for(work, list(split(200, 1)), 2, "", False)
    assert {0, 1, 2} <= set(finished) and len(finished) < 100
    assert torch.get_num_threads() == 4


def test_a_thread_that_cannot_start_lets_the_others_go(four_threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = threading.Thread.start, list[threading.Thread]()

    def only_once(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", only_once)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        parallel_for(lambda part: None, list(split(8, 1)), 2, "", False)
    assert torch.get_num_threads() == 4 and not started[0].is_alive()


@pytest.mark.parametrize(("memory_mb", "threads"), [(512, 4), (256, 2), (10, 1)])
def test_memory_limits_threads(
    four_threads: None, monkeypatch: pytest.MonkeyPatch, memory_mb: int, threads: int
) -> None:
    model, inputs = Case(images=24, captions=20, side=4, channels=16, words=6, dense_words=0).build()
    monkeypatch.setattr(scoring, "CPU_PAIRS", 40)  # two images a block
    engine, images, captions = indexed(model, inputs, memory_mb=memory_mb)
    block, parts, planned = engine.plan(images, captions)
    assert planned == threads and block == 20 and len(parts) == 12
    with torch.no_grad():
        assert float((engine.score(images, captions) - model(**inputs)).abs().max()) < 1e-5
