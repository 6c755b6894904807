"""Dataclasses for configs, recipes and the files of a run: fields declare their range, and are read from JSON.

    @dataclass(frozen=True)
    class Settings(Fields, section="training"):
        epochs: Annotated[int, between(1, 100)] = 20
        learning_rate: Positive = 1e-3

`Settings.from_dict({"epochs": 0})` says "training.epochs is 0, but a whole number of at least 1 is needed." Ranges are
checks of `seps.common.checks`, so settings and arguments have the same messages.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, TypeVar, cast, get_args, get_origin, get_type_hints

from seps.common.checks import (
    MAX_CHANNELS,
    MAX_WHOLE,
    check_choice,
    check_keys,
    check_not_negative,
    check_positive,
    check_ratio,
    check_share,
    check_type,
    check_whole,
    read_json_file,
)
from seps.common.files import json_text

Check = Callable[[str, Any], object]  # of a field's name and value; raises ValueError
Self = TypeVar("Self", bound="Fields")


def between(least: int, most: int = MAX_WHOLE) -> Check:
    """Make a check for whole numbers from `least` to `most`."""
    return partial(check_whole, least=least, most=most)


def choice_of(*choices: str) -> Check:
    """Make a check for one of these strings."""
    return partial(check_choice, choices=choices)


def of_length(count: int, meaning: str = "") -> Check:
    """Make a check for tuples of `count` numbers; `meaning` ends the message."""

    def check(name: str, values: tuple[float, ...]) -> None:
        if len(values) != count:
            needed = f"{count} are needed: {meaning}" if meaning else f"{count} are needed"
            raise ValueError(f"{name} has {len(values)} numbers, but {needed}.")

    return check


Positive = Annotated[float, check_positive]  # above 0
NotNegative = Annotated[float, check_not_negative]
CountOrZero = Annotated[int, check_not_negative]
Fraction = Annotated[float, check_share]  # in [0, 1)
Ratio = Annotated[float, check_ratio]  # in (0, 1]
Channels = Annotated[int, between(1, MAX_CHANNELS)]
# Elements of a tuple are not checked for their type when JSON is read, so their range must include it.
Text = Annotated[str, partial(check_type, kind=str)]
Whole = Annotated[int, partial(check_type, kind=int)]
Number = Annotated[float, partial(check_type, kind=float)]  # finite


@dataclass(frozen=True)
class Fields:
    """Base class of frozen dataclasses that validate each value by its range, and combinations in `check`.

    In JSON a tuple is a list and a nested `Fields` is an object.
    """

    section: ClassVar[str] = ""  # prefix of field names in messages, followed by a dot
    elsewhere: ClassVar[Mapping[str, str]] = {}  # keys that other programs have: what is meant, a clause

    def __init_subclass__(cls, section: str = "", elsewhere: Mapping[str, str] = MappingProxyType({})) -> None:
        cls.section, cls.elsewhere = section, elsewhere

    def __post_init__(self) -> None:
        for name, hint in field_types(cast("type", type(self))).items():
            kind = split_hint(hint)[0]
            if kind in (tuple, dict):
                object.__setattr__(self, name, kind(getattr(self, name)))  # a copy of values that the caller may change
            check_value(self.full_name(name), getattr(self, name), hint)
        self.check()

    def check(self) -> None:
        """Raise ValueError for fields that are valid separately and contradict each other."""

    @classmethod
    def full_name(cls, name: str) -> str:
        """Return a field's name as used in messages: "training.epochs"."""
        return f"{cls.section}.{name}" if cls.section else name

    @classmethod
    def from_dict(cls: type[Self], values: object) -> Self:
        """Create an instance from the output of `as_dict`; ValueError for unknown keys or wrong values."""
        where = cls.section or "the config"
        if not isinstance(values, Mapping):
            raise ValueError(f"{where} is a {type(values).__name__}, but keys and values are needed.")
        for key in values:
            if key in cls.elsewhere:
                raise ValueError(f"{where} has the key {key}: {cls.elsewhere[key]}.")
        required = tuple(f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)
        hints = field_types(cast("type", cls))
        check_keys(where, values, required, tuple(hints))
        for name, value in values.items():
            kind = split_hint(hints[name])[0]
            in_json = dict if issubclass(kind, Fields) else list if kind is tuple else kind
            check_type(cls.full_name(name), value, in_json)
        build = cast("Callable[..., Self]", cls)
        return build(**{name: with_parts(hints[name], value) for name, value in values.items()})

    @classmethod
    def from_json(cls: type[Self], path: str | Path) -> Self:
        """Read a file with the output of `to_json`; the ValueError names the file."""
        values = read_json_file(path)
        try:
            return cls.from_dict(values)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the fields as JSON text."""
        return json_text(self.as_dict())


@cache
def field_types(kind: type) -> dict[str, Any]:
    """Return each field's type hint with its range, by name."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in fields(kind)}


def split_hint(hint: Any) -> tuple[Any, tuple[Any, ...], tuple[Check, ...]]:
    """Split a type hint: `Annotated[tuple[int, ...], check]` gives tuple, (int, ...) and (check,)."""
    kind, *checks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    return get_origin(kind) or kind, get_args(kind), tuple(checks)


def check_value(name: str, value: Any, hint: Any) -> None:
    """Validate a value, or each element of a tuple, with the checks of its type hint."""
    kind, inner, checks = split_hint(hint)
    if kind is tuple:
        for item in value:
            check_value(name, item, inner[0])
    for check in checks:
        check(name, value)


def with_parts(hint: Any, value: Any) -> Any:
    """Convert JSON objects to the `Fields` that the type hint names."""
    kind, inner, _ = split_hint(hint)
    if kind is tuple:
        return tuple(with_parts(inner[0], item) for item in value)
    return kind.from_dict(value) if issubclass(kind, Fields) else value
