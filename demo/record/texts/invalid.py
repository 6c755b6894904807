"""Sentences about values that a pydantic model refuses."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError


def describe_errors(error: ValidationError) -> str:
    """Describe each invalid value in a sentence."""
    return " ".join(map(_describe, error.errors()))


def _describe(error: Any) -> str:
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"{name} is missing: give it."
    if error["type"] == "value_error":
        return error["msg"].removeprefix("Value error, ")
    return f"{name} cannot be used: {error['msg'][0].lower()}{error['msg'][1:]}."
