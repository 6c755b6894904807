"""Edits of a scene: each function returns a new scene with one change."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from seps.scenes import KINDS, SIDE, Scene, holds, make_scene
from seps.scenes.graph import renumbered


def moved(scene: Scene, number: int, dx: int, dy: int) -> Scene:
    """Move an object by pixels to the right and down, with things on it, within the picture."""
    check_number(scene, number)
    along = find_carried(scene, number)
    boxes = [scene.objects[i].box for i in along]
    dx = max(-min(box[0] for box in boxes), min(dx, SIDE - max(box[2] for box in boxes)))
    dy = max(-min(box[1] for box in boxes), min(dy, SIDE - max(box[3] for box in boxes)))
    places = zip(along, [(x0 + dx, y0 + dy, x1 + dx, y1 + dy) for x0, y0, x1, y1 in boxes], strict=True)
    return settled(scene.with_objects({i: replace(scene.objects[i], box=box) for i, box in places}))


def removed(scene: Scene, number: int) -> Scene:
    """Remove an object; things on it come down to where it was. ValueError without such an object."""
    check_number(scene, number)
    floor = scene.objects[number].box[3]
    for i, thing in enumerate(scene.objects):
        if thing.on == number:
            scene = moved(scene, i, 0, floor - thing.box[3])
    left = [i for i in range(len(scene.objects)) if i != number]
    return settled(replace(scene, objects=renumbered(scene.objects, left)))


def recolour_object(scene: Scene, number: int, colour: str) -> Scene:
    """Change the colour of an object to another of its kind; ValueError for other numbers or colours."""
    check_number(scene, number)
    thing, choice = scene.objects[number], KINDS[scene.objects[number].kind].colours
    if colour not in choice:
        raise ValueError(f"A {thing.kind} cannot be {colour!r}: {', '.join(choice) or 'it has no other colour'}.")
    return scene.with_objects({number: replace(thing, colour=colour)})


def edited(scene: Scene, change: Mapping[str, Any]) -> Scene:
    """Apply a change in the format of the page and the API; ValueError if it is unknown or impossible.

    {"do": "move", "object": 0, "dx": 8, "dy": 0}, {"do": "remove", "object": 0}, {"do": "recolour", "object": 0,
    "colour": "red"} or {"do": "redraw", "seed": 1}, the test scene of the same number with another seed.
    """
    do = change.get("do")
    if do == "redraw":
        return make_scene(whole(change, "seed"), "test", scene.index)
    if do == "remove":
        return removed(scene, whole(change, "object"))
    if do == "recolour":
        return recolour_object(scene, whole(change, "object"), str(change.get("colour")))
    if do == "move":
        return moved(scene, whole(change, "object"), whole(change, "dx"), whole(change, "dy"))
    raise ValueError(f"There is no change {do!r}: move, remove, recolour or redraw.")


def whole(change: Mapping[str, Any], name: str) -> int:
    """Return an integer of a change; ValueError if it is missing."""
    value = change.get(name)
    if type(value) is not int or abs(value) > 10**9:
        raise ValueError(f"{name} is {value!r}, but a whole number is needed.")
    return value


def check_number(scene: Scene, number: int) -> None:
    """Raise ValueError if the scene has no object of this number."""
    if not 0 <= number < len(scene.objects):
        raise ValueError(f"There is no object {number}: this scene has {len(scene.objects)}, counted from 0.")


def find_carried(scene: Scene, number: int) -> list[int]:
    """Return the numbers of the object and of everything on it."""
    numbers = [number]
    for i in numbers:
        numbers += [j for j, thing in enumerate(scene.objects) if thing.on == i]
    return numbers


def settled(scene: Scene) -> Scene:
    """Remove "on" and "under" relations that no longer hold."""
    things = []
    for i, thing in enumerate(scene.objects):
        if thing.on is not None and not holds(scene, ("on", i, thing.on)):
            thing = replace(thing, on=None, zone=KINDS[thing.kind].zone)
        elif thing.on is None and thing.zone == "support":
            thing = replace(thing, zone=KINDS[thing.kind].zone)
        if thing.under is not None and not holds(scene, ("under", i, thing.under)):
            thing = replace(thing, under=None)
        things.append(thing)
    return replace(scene, objects=tuple(things))
