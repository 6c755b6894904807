"""Names in the authors' code and in similar programs, mapped to the names used here (see assets/guide/names.md)."""

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

NAMES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "elsewhere.json").read_text(encoding="utf-8"))
MODEL_METHODS = NAMES["model_methods"]


def names_elsewhere(**here: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function reject arguments by the names they have in other code, with a TypeError "... is ... here"."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name in here:
                    raise TypeError(f"{name} is {here[name]} here; assets/guide/names.md has all such names.")
            return function(*args, **kwargs)

        return checked

    return decorate
