import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.machinery import ModuleSpec
from threading import Event, Lock, current_thread
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image

from demo.galleries.indexes.index import index_gallery, require_in_memory
from demo.galleries.sources.named import examples_gallery
from demo.service import threads
from demo.service.recent import Recent
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
    captions = [f"{number} cats on a {thing}" for number in range(3) for thing in ("sofa", "small wooden table")]
    alone = [service.rank_images(indexed, caption) for caption in captions]
    with ThreadPoolExecutor(6) as callers:
        together = list(callers.map(lambda caption: service.rank_images(indexed, caption), captions))
    for ranking, other in zip(alone, together, strict=True):
        scores = dict(zip(other.order, other.scores, strict=True))
        assert [scores[index] for index in ranking.order] == pytest.approx(ranking.scores, abs=1e-6)
        assert other.reading == ranking.reading


def spaces(zero_gpu: bool, calls: list[Any]) -> ModuleType:
    """A stand-in for the package `spaces`."""

    def lend(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            calls.append(arguments)
            return function(*arguments)

        return call

    module = ModuleType("spaces")
    module.__spec__ = ModuleSpec("spaces", None)
    module.__dict__.update(GPU=lend, config=SimpleNamespace(Config=SimpleNamespace(zero_gpu=zero_gpu)))
    return module


def test_nothing_is_lent_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "spaces", raising=False)
    assert threads.lease_encoder("photos") is None
    monkeypatch.setitem(sys.modules, "spaces", spaces(False, []))
    assert threads.lease_encoder("photos") is None


def test_photos_are_encoded_where_the_gpu_is(service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setitem(sys.modules, "spaces", spaces(True, calls))
    monkeypatch.setattr(threads, "_model_on_gpu", lambda name: service.model)  # no GPU here
    encode = threads.lease_encoder("photos")
    assert encode is not None
    subset = replace(examples_gallery(), items=examples_gallery().items[:2])
    indexed = index_gallery(service.model, subset, None, False, encode)
    assert [(name, len(photos)) for name, photos in calls] == [("photos", 1), ("photos", 1)]
    assert all(isinstance(photo, Image.Image) for _, photos in calls for photo in photos)
    torch.testing.assert_close(indexed.embeddings, require_in_memory(service.find("examples")).embeddings[:2])


def test_what_was_not_used_for_longest_goes_first() -> None:
    recent: Recent[str, int] = Recent(2)
    for key, value in (("b", 2), ("a", 0), ("a", 1)):
        recent.put(key, value)
    assert recent.get("b") == 2  # so that a is the older one
    assert "a" in recent  # asking whether it is there is no use
    recent.put("c", 3)
    assert [recent.get(key) for key in "abc"] == [None, 2, 3]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: recent.update("c", lambda value: (value or 0) + 1), range(400)))
    assert recent.get("c") == 403
