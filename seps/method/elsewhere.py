"""Calls as the released code and the guides of it have them: refused in one sentence with the name here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def names_elsewhere(**here: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function refuse arguments by the names that they have elsewhere.

    Args:
        here: of each such name what it is here, the middle of the sentence "... is ... here".

    Returns:
        A decorator, whose functions raise TypeError for those names.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name in here:
                    raise TypeError(f"{name} is {here[name]} here; assets/guide/names.md has all such names.")
            return function(*args, **kwargs)

        return checked

    return decorate
