"""LRU cache with a size limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from demo.service.recent import Recent


def test_what_was_not_used_for_longest_goes_first() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1  # so that b is the older one
    assert "b" in recent  # asking whether it is there is no use
    recent.put("c", 3)
    assert [recent.get(key) for key in "abc"] == [1, None, 3]


def test_a_value_that_is_put_again_replaces_the_first_and_is_the_newest() -> None:
    recent: Recent[str, int] = Recent(2)
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        recent.put(key, value)
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (3, None, 4)


def test_changes_of_several_threads_all_count() -> None:
    recent: Recent[str, int] = Recent(1)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: recent.update("a", lambda value: (value or 0) + 1), range(400)))
    assert recent.get("a") == 400
