"""Calls as the released code and the guides of it have them: refused in one sentence with today's name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def former_names(**today: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function refuse arguments by the names that they have elsewhere.

    Args:
        today: of each such name what it is here, the end of the sentence "... is called".

    Returns:
        A decorator, whose functions raise TypeError for those names.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name in today:
                    raise TypeError(f"{name} is {today[name]} here; assets/guide/names.md has all such names.")
            return function(*args, **kwargs)

        return checked

    return decorate
