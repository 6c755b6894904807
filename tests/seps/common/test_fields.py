import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import pytest

from seps.common.fields import (
    CountOrZero,
    Fields,
    Fraction,
    Number,
    Positive,
    Text,
    Whole,
    between,
    choice_of,
    of_length,
)


@dataclass(frozen=True)
class Part(Fields, section="parts"):
    name: str
    size: Annotated[int, between(1, 9)] = 2


@dataclass(frozen=True)
class Example(Fields):
    rate: Positive
    parts: tuple[Part, ...] = ()
    first: Part = field(default_factory=lambda: Part("first"))
    kind: Annotated[str, choice_of("a", "b")] = "a"
    fraction: Fraction = 0.5
    count: CountOrZero = 0
    colours: Annotated[tuple[Number, ...], of_length(3, "red, green, blue")] = (0.0, 0.5, 1.0)
    names: tuple[Text, ...] = ()
    stages: tuple[Whole, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    flag: bool = False

    def check(self) -> None:
        if self.flag and not self.count:
            raise ValueError("flag is set, but count is 0.")


BAD: list[tuple[object, str]] = [
    ([], "the config is a list, but keys and values are needed."),
    ({}, "the config lacks the key 'rate': needed are rate."),
    ({"rates": 1}, "the config has the unknown key 'rates': allowed are rate, parts, first, kind, fraction, count,"),
    ({"rate": True}, "rate is True, a bool, but a float is needed."),
    ({"rate": float("nan")}, "rate is nan, but a finite number is needed."),
    ({"rate": 0}, "rate is 0, but it must be greater than 0 and finite."),
    ({"rate": 1, "count": 1.5}, "count is 1.5, a float, but a int is needed."),
    ({"rate": 1, "kind": "c"}, "kind is 'c', but it must be one of a, b."),
    ({"rate": 1, "flag": True}, "flag is set, but count is 0."),
    ({"rate": 1, "colours": [1, 2]}, "colours has 2 numbers, but 3 are needed: red, green, blue."),
    ({"rate": 1, "first": {"name": "x", "size": 10}}, "parts.size is 10, but it must be at most 9."),
    ({"rate": 1, "parts": [3]}, "parts is a int, but keys and values are needed."),
    ({"rate": 1, "parts": [{"name": "x"}, {"size": 3}]}, "parts lacks the key 'name': needed are name."),
]


@pytest.mark.parametrize(("values", "message"), BAD)
def test_what_does_not_fit_is_one_sentence_with_the_file(tmp_path: Path, values: object, message: str) -> None:
    file = tmp_path / "example.json"
    file.write_text(json.dumps(values))
    with pytest.raises(ValueError) as raised:
        Example.from_json(file)
    assert str(raised.value).startswith(f"{file}: {message}")


def test_what_is_written_reads_the_same(tmp_path: Path) -> None:
    parts = (Part("x", 3), Part("y"))
    example = Example(1, parts, Part("z"), "b", 0.0, 2, (1, 2, 3), ("a",), (-1, 2), {"k": [1]}, True)
    file = tmp_path / "example.json"
    file.write_text(example.to_json())
    assert Example.from_json(file) == example
    assert Example.from_json(file).to_json() == file.read_text()
    assert '"rate": 1,' in file.read_text()  # a number stays as it was given


def test_ranges_hold_whoever_makes_it_and_what_it_holds_is_its_own() -> None:
    with pytest.raises(ValueError, match="rate is -1, but it must be greater than 0 and finite"):
        Example(rate=-1)
    with pytest.raises(ValueError, match=r"parts\.size is 0"):
        replace(Part("x"), size=0)
    options, names = {"a": 1}, ["x"]
    example = Example(1.0, options=options, names=names)  # type: ignore[arg-type]
    options["b"] = 2
    names.append("y")
    assert (example.options, example.names) == ({"a": 1}, ("x",))
