"""The computing threads: one a core, nested calls run through, items gather while all are busy."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock, current_thread

import pytest
import torch

from demo.service.retrieval import RetrievalService
from demo.service.threads import Gathering, computing


def test_a_call_computes_alone_in_one_of_few_threads_and_others_stay_as_they_were() -> None:
    usual = torch.get_num_threads()

    @computing
    def inner() -> str:
        return current_thread().name

    @computing
    def outer() -> tuple[str, str, int]:
        return current_thread().name, inner(), torch.get_num_threads()

    with ThreadPoolExecutor(20) as callers:
        callers_seen = list(callers.map(lambda _: outer(), range(60)))
    assert all(name == thread_name and threads == 1 for name, thread_name, threads in callers_seen)
    assert 1 <= len({name for name, _, _ in callers_seen}) <= torch.get_num_threads() + 64
    assert current_thread().name not in {name for name, _, _ in callers_seen}
    assert torch.get_num_threads() == usual


def test_errors_come_to_the_caller() -> None:
    @computing
    def fail() -> None:
        raise ValueError("no caption")

    with pytest.raises(ValueError, match="no caption"):
        fail()


def test_items_gather_while_all_threads_are_busy() -> None:
    batches: list[list[int]] = []
    begun, go, lock = Event(), Event(), Lock()

    def answer(items: list[int]) -> list[int]:
        with lock:
            batches.append(items)
        begun.set()
        go.wait(10)
        if 13 in items:
            raise ValueError("13 is not liked")
        return [10 * item for item in items]

    gather = Gathering(answer, most=8)
    with ThreadPoolExecutor(80) as callers:
        first = [callers.submit(gather, number) for number in range(70) if number != 13]
        begun.wait(10)
        deadline = time.monotonic() + 10
        while sum(map(len, batches)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        go.set()
        assert [future.result(30) for future in first] == [10 * number for number in range(70) if number != 13]
        with pytest.raises(ValueError, match="13 is not liked"):
            callers.submit(gather, 13).result(30)
    assert max(map(len, batches)) == 8
    assert sorted(item for batch in batches for item in batch) == list(range(70))


def test_rankings_asked_at_once_are_those_asked_alone(service: RetrievalService) -> None:
    indexed = service.find("examples")
    captions = [f"{number} cats on a {thing}" for number in range(5) for thing in ("sofa", "small wooden table", "mat")]
    alone = [service.rank_images(indexed, caption) for caption in captions]
    with ThreadPoolExecutor(15) as callers:
        together = list(callers.map(lambda caption: service.rank_images(indexed, caption), captions))
    for ranking, other in zip(alone, together, strict=True):
        scores = dict(zip(other.order, other.scores, strict=True))
        assert [scores[index] for index in ranking.order] == pytest.approx(ranking.scores, abs=1e-6)
        assert other.reading == ranking.reading
