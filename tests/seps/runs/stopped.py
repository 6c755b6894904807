"""Runs of training that end before their time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from seps.runs import trainer
from seps.runs.checkpoint import RunState


class StoppedError(Exception):
    """The machine goes down."""


@contextmanager
def stop_after(epoch: int, stage: int = 0) -> Iterator[None]:
    """Stop the run that is trained inside, right after its checkpoint of this epoch and stage."""
    save = trainer.save_checkpoint

    def save_and_stop(*arguments: Any) -> None:
        save(*arguments)
        if arguments[-1] == RunState(epoch, stage):
            raise StoppedError

    with pytest.MonkeyPatch.context() as patch, pytest.raises(StoppedError):
        patch.setattr(trainer, "save_checkpoint", save_and_stop)
        yield
