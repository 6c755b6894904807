"""Truth of statements about a scene, computed only from the boxes of its graph, apart from the code of captions."""

from collections.abc import Callable, Sequence
from typing import Any

from seps.scenes.catalogue import KINDS, SHELTERS, SURFACES
from seps.scenes.graph import Box, Object, Scene
from seps.scenes.places import PLACES, SIDE


def holds(scene: Scene, statement: Sequence[Any]) -> bool:
    """Return whether a statement is true of a scene, with the numbers of the scene's objects.

    ("background", name), ("feature", name): the background; ("called", i, word), ("colour", i, name), ("size", i,
    name), ("pose", i, verb), ("zone", i, name), ("at", i, side): properties of an object; ("count", n, word, colour,
    size): there are exactly n such objects, None matching any; ("category", name, n): exactly n of a category;
    ("largest", i): none is larger; (relation, i, j): relation of two objects.
    """
    name, *rest = statement
    if name not in _TESTS:
        raise ValueError(f"Statement {name!r} is not known: use one of {', '.join(_TESTS)}.")
    return _TESTS[name](scene, *rest)


def true_of(scene: Scene, statements: Sequence[Sequence[Any]]) -> bool:
    """Return whether all statements are true for some assignment of a scene's objects to their different numbers."""
    variables = sorted({i for statement in statements for i in about(statement)})
    by_last: dict[int, list[Sequence[Any]]] = {}
    for statement in statements:
        numbers = [variables.index(i) for i in about(statement)]
        if numbers:
            by_last.setdefault(max(numbers), []).append(statement)
        elif not holds(scene, statement):
            return False

    def search(chosen: tuple[int, ...]) -> bool:
        renamed = dict(zip(variables, chosen, strict=False))
        for name, *rest in by_last.get(len(chosen) - 1, ()):
            numbers = about((name, *rest))
            if not holds(scene, (name, *(renamed[i] for i in numbers), *rest[len(numbers) :])):
                return False
        if len(chosen) == len(variables):
            return True
        return any(search((*chosen, i)) for i in range(len(scene.objects)) if i not in chosen)

    return search(())


def about(statement: Sequence[Any]) -> tuple[int, ...]:
    """Return the numbers of the objects in a statement."""
    if statement[0] in _ABOUT_OBJECT:
        return (statement[1],)
    return tuple(statement[1:3]) if statement[0] in _ABOUT_PAIR else ()


def _middle(box: Box) -> float:
    return (box[0] + box[2]) / 2


def _is_size(scene: Scene, i: int, size: str) -> bool:
    thing = scene.objects[i]
    ratio = (thing.box[3] - thing.box[1]) / KINDS[thing.kind].height
    return size == ("small" if ratio < 0.85 else "large" if ratio > 1.2 else "medium") == thing.size


def _is_in(scene: Scene, i: int, zone: str) -> bool:
    thing = scene.objects[i]
    x0, y0, x1, y1 = thing.box
    low, high = PLACES[scene.background].spans[zone]
    inside = y0 >= low and y1 <= high if zone in ("sky", "wall") else low <= y1 <= high + 6
    return inside and x0 >= 0 and x1 <= SIDE and thing.on is None and KINDS[thing.kind].zone == zone


def _is_at(scene: Scene, i: int, side: str) -> bool:
    fraction = _middle(scene.objects[i].box) / SIDE
    return {"left": fraction < 0.4, "right": fraction > 0.6, "middle": 1 / 3 < fraction < 2 / 3}[side]


def _count(scene: Scene, n: int, word: str, colour: str | None, size: str | None) -> bool:
    def fits(thing: Object) -> bool:
        return word in KINDS[thing.kind].words and colour in (None, thing.colour) and size in (None, thing.size)

    return sum(fits(thing) for thing in scene.objects) == n


def _is_largest(scene: Scene, i: int) -> bool:
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (thing.box for thing in scene.objects)]
    return all(area < areas[i] for j, area in enumerate(areas) if j != i)


def _left(scene: Scene, i: int, j: int) -> bool:
    a, b = scene.objects[i].box, scene.objects[j].box
    return a[2] <= b[0] or (_middle(a) < b[0] and a[2] < _middle(b))


def _above(scene: Scene, i: int, j: int) -> bool:
    a, b = scene.objects[i].box, scene.objects[j].box
    return a[3] <= b[1] and a[0] < b[2] and b[0] < a[2]


def _beside(scene: Scene, i: int, j: int) -> bool:
    a, b = scene.objects[i].box, scene.objects[j].box
    gap = max(b[0] - a[2], a[0] - b[2])
    return -2 <= gap <= 0.12 * SIDE and min(a[3], b[3]) > max(a[1], b[1])


def _in_front(scene: Scene, i: int, j: int) -> bool:
    a, b = scene.objects[i].box, scene.objects[j].box
    crossing = a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    return i > j and a[3] > b[3] and crossing and scene.objects[i].on is None


def _on(scene: Scene, i: int, j: int) -> bool:
    a, b, surface = scene.objects[i].box, scene.objects[j].box, SURFACES.get(scene.objects[j].kind)
    if surface is None or i < j:
        return False
    return abs(a[3] - (b[1] + (b[3] - b[1]) * surface / 100)) <= 3 and b[0] <= a[0] and a[2] <= b[2]


def _under(scene: Scene, i: int, j: int) -> bool:
    a, b, shelter = scene.objects[i].box, scene.objects[j].box, SHELTERS.get(scene.objects[j].kind)
    if shelter is None:
        return False
    return a[1] >= b[1] + (b[3] - b[1]) * shelter / 100 and a[3] <= b[3] + 8 and b[0] <= a[0] and a[2] <= b[2]


_ABOUT_OBJECT: dict[str, Callable[..., bool]] = {
    "called": lambda scene, i, word: word in KINDS[scene.objects[i].kind].words,
    "colour": lambda scene, i, colour: scene.objects[i].colour == colour,
    "size": _is_size,
    "pose": lambda scene, i, verb: verb in KINDS[scene.objects[i].kind].poses,
    "zone": _is_in,
    "at": _is_at,
    "largest": _is_largest,
}
_ABOUT_PAIR: dict[str, Callable[..., bool]] = {
    "left of": _left,
    "right of": lambda scene, i, j: _left(scene, j, i),
    "above": _above,
    "below": lambda scene, i, j: _above(scene, j, i),
    "next to": _beside,
    "in front of": _in_front,
    "behind": lambda scene, i, j: _in_front(scene, j, i),
    "on": _on,
    "under": _under,
}
_TESTS: dict[str, Callable[..., bool]] = {
    "background": lambda scene, name: scene.background == name,
    "feature": lambda scene, name: name in scene.features and name in PLACES[scene.background].features,
    "count": _count,
    "category": lambda scene, name, n: sum(KINDS[thing.kind].category == name for thing in scene.objects) == n,
    **_ABOUT_OBJECT,
    **_ABOUT_PAIR,
}
