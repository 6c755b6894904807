"""Scene graphs: the objects, their places and their relations. All numbers are integers."""

import hashlib
import json
from dataclasses import asdict, dataclass
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


def as_json(scene: Scene) -> dict[str, Any]:
    """Convert the scene to plain numbers, strings, lists and dicts."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(scene)))
    return plain


def from_json(plain: dict[str, Any]) -> Scene:
    """Convert the output of `as_json` to a scene; other keys are ignored. ValueError for a missing key."""
    try:
        objects = tuple(
            Object(**{**{key: o[key] for key in Object.__dataclass_fields__}, "box": tuple(o["box"])})
            for o in plain["objects"]
        )
        fields = {key: plain[key] for key in Scene.__dataclass_fields__}
    except KeyError as error:
        raise ValueError(f"The scene lacks {error}: write it with as_json.") from error
    return Scene(**{**fields, "features": tuple(fields["features"]), "objects": objects})


def split_of(scene: Scene) -> str:
    """Return the only split that may contain a scene with this content, which is independent of the seed."""
    things = sorted((thing.kind, thing.colour or "", thing.size, thing.box) for thing in scene.objects)
    content = json.dumps([scene.background, scene.features, things])
    digest = hashlib.sha256(content.encode()).digest()
    return next(split for split in SPLITS if digest[0] % 16 in _SPLIT_DIGITS[split])


def relations(scene: Scene) -> list[tuple[str, int, int]]:
    """Return the relations of all objects by number: ("left of", a, b) means a is left of b."""
    triples = []
    for a, first in enumerate(scene.objects):
        for b, second in enumerate(scene.objects):
            if a != b:
                triples += [(name, a, b) for name in _between(first, second, a, b)]
    return triples


def _between(first: Object, second: Object, a: int, b: int) -> list[str]:
    if first.on == b:
        return ["on"]
    if first.under == b:
        return ["under"]
    if second.on == a or second.under == a:
        return []
    x0, y0, x1, y1 = first.box
    u0, v0, u1, v1 = second.box
    beside = min(y1, v1) - max(y0, v0)
    level = beside * 2 >= min(y1 - y0, v1 - v0)  # at about the same height
    overlap = min(x1, u1) - max(x0, u0)
    on_ground = first.zone == second.zone == "ground"
    names = []
    if (x0 + x1) // 2 + APART < u0 and x1 + APART < (u0 + u1) // 2 and overlap <= 0:
        names.append("left of")
    if (u0 + u1) // 2 + APART < x0 and u1 + APART < (x0 + x1) // 2 and overlap <= 0:
        names.append("right of")
    if y1 + APART <= v0 and overlap * 2 >= min(x1 - x0, u1 - u0):
        names.append("above")
    if v1 + APART <= y0 and overlap * 2 >= min(x1 - x0, u1 - u0):
        names.append("below")
    if level and 0 <= -overlap <= NEAR and first.zone == second.zone:
        names.append("next to")
    if on_ground and overlap * 3 >= min(x1 - x0, u1 - u0) and beside > 0 and abs(y1 - v1) >= APART:
        names.append("in front of" if y1 > v1 else "behind")
    return names
