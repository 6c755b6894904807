"""Scene graphs: the objects, their places and their relations. All numbers are integers."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from seps.scenes.catalogue import is_held_out

Box = tuple[int, int, int, int]  # x0, y0, x1, y1 in pixels, x1 and y1 outside

SPLITS = ("train", "dev", "test")
_SPLIT_DIGITS = {"train": range(0, 12), "dev": range(12, 14), "test": range(14, 16)}  # of 16

NEAR = 22  # pixels between things that are next to each other
APART = 6  # pixels by which something must be further left, right or above to be called so


@dataclass(frozen=True)
class Object:
    """An object of a scene.

    Attributes:
        kind: a name of `KINDS`; colour: a name of `NAMED`, None for kinds without colours; size: one of `SIZES`.
        box: its place, including hidden parts.
        zone: "ground", "water", "sky", "wall" or "support" (on another object).
        on, under: the number of the object that it is on or under.
        look: seed of its small variations, such as hair and mirroring.
    """

    kind: str
    colour: str | None
    size: str
    box: Box
    zone: str
    look: int
    on: int | None = None
    under: int | None = None


@dataclass(frozen=True)
class Scene:
    """A scene.

    Attributes:
        seed, split, index: the arguments it was made from.
        background: a name of `PLACES`; features: visible parts of it.
        look: seed of the background's small variations.
        objects: in painting order, later ones in front.
    """

    seed: int
    split: str
    index: int
    background: str
    features: tuple[str, ...]
    look: int
    objects: tuple[Object, ...]

    @property
    def unseen(self) -> bool:
        """Whether it has a combination of kind and colour that no training scene has."""
        return any(is_held_out(thing.kind, thing.colour) for thing in self.objects)

    def with_objects(self, changed: Mapping[int, Object]) -> "Scene":
        """Return the scene with some objects replaced, by number."""
        return replace(self, objects=tuple(changed.get(i, thing) for i, thing in enumerate(self.objects)))


def as_json(scene: Scene) -> dict[str, Any]:
    """Convert the scene to plain numbers, strings, lists and dicts."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(scene)))
    return plain


def from_json(plain: dict[str, Any]) -> Scene:
    """Convert the output of `as_json` to a scene; other keys are ignored. ValueError for a missing key."""
    try:
        things = [{key: thing[key] for key in Object.__dataclass_fields__} for thing in plain["objects"]]
        fields = {key: plain[key] for key in Scene.__dataclass_fields__}
    except KeyError as error:
        raise ValueError(f"The scene lacks {error}: write it with as_json.") from error
    objects = tuple(Object(**thing | {"box": tuple(thing["box"])}) for thing in things)
    return Scene(**fields | {"features": tuple(fields["features"]), "objects": objects})


def renumbered(objects: Sequence[Object], order: Sequence[int]) -> tuple[Object, ...]:
    """Return the objects of these numbers in this order; "on" and "under" follow them, None for objects left out."""
    number: dict[int | None, int] = {old: new for new, old in enumerate(order)}
    return tuple(replace(objects[i], on=number.get(objects[i].on), under=number.get(objects[i].under)) for i in order)


def split_of(scene: Scene) -> str:
    """Return the only split that may contain a scene with this content, which is independent of the seed."""
    things = sorted((thing.kind, thing.colour or "", thing.size, thing.box) for thing in scene.objects)
    content = json.dumps([scene.background, scene.features, things])
    digest = hashlib.sha256(content.encode()).digest()
    return next(split for split in SPLITS if digest[0] % 16 in _SPLIT_DIGITS[split])


def relations(scene: Scene) -> list[tuple[str, int, int]]:
    """Return the relations of all objects by number: ("left of", a, b) means a is left of b."""
    numbered = list(enumerate(scene.objects))
    return [
        (name, a, b)
        for a, first in numbered
        for b, second in numbered
        if a != b
        for name in _between(first, second, a, b)
    ]


def _between(first: Object, second: Object, a: int, b: int) -> Iterator[str]:
    if b in (first.on, first.under):
        yield "on" if first.on == b else "under"
        return
    if a in (second.on, second.under):
        return
    x0, y0, x1, y1 = first.box
    u0, v0, u1, v1 = second.box
    beside = min(y1, v1) - max(y0, v0)
    level = beside * 2 >= min(y1 - y0, v1 - v0)  # at about the same height
    overlap, narrower = min(x1, u1) - max(x0, u0), min(x1 - x0, u1 - u0)
    on_ground = first.zone == second.zone == "ground"
    if (x0 + x1) // 2 + APART < u0 and x1 + APART < (u0 + u1) // 2 and overlap <= 0:
        yield "left of"
    if (u0 + u1) // 2 + APART < x0 and u1 + APART < (x0 + x1) // 2 and overlap <= 0:
        yield "right of"
    if y1 + APART <= v0 and overlap * 2 >= narrower:
        yield "above"
    if v1 + APART <= y0 and overlap * 2 >= narrower:
        yield "below"
    if level and 0 <= -overlap <= NEAR and first.zone == second.zone:
        yield "next to"
    if on_ground and overlap * 3 >= narrower and beside > 0 and abs(y1 - v1) >= APART:
        yield "in front of" if y1 > v1 else "behind"
