"""What is cancelled ends before its next step, and others' work goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from demo.assistant.requests import Cancellations, Cancelled
from demo.views.downloads import saving
from seps.progress import with_progress


def shown(items: Iterable[Any], desc: str = "") -> Iterator[Any]:
    yield from items


def test_cancelled_work_ends_before_its_next_step() -> None:
    cancellations = Cancellations()
    done = []
    with pytest.raises(Cancelled):
        for step in with_progress(range(9), "Drawing", cancellations.watched(shown, ("here", 2))):
            done.append(step)
            cancellations.cancel(("here", 1))  # the file before
            cancellations.cancel(("there", 2))  # somebody else's
            if step == 3:
                cancellations.cancel(("here", 2))
    assert done == [0, 1, 2, 3]


def test_work_that_was_cancelled_while_it_waited_does_not_begin() -> None:
    cancellations = Cancellations()
    cancellations.cancel(("here", 1))
    with pytest.raises(Cancelled):
        list(cancellations.watched(shown, ("here", 1))(range(9), desc="Drawing"))


def test_whoever_cancelled_a_file_is_told_that_none_was_made() -> None:
    @saving
    def export() -> tuple[str, dict[str, Any]]:
        raise Cancelled

    status, nothing = export()
    assert "was cancelled: no file was made" in status and "problem" not in status
    assert nothing["failed"] is True
