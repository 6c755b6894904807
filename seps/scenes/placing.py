"""Making of scenes: choosing and placing objects."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from seps.scenes.catalogue import CARRIED, KINDS, SHELTERS, SIZES, SURFACES, extent, is_held_out
from seps.scenes.graph import SPLITS, Box, Object, Scene, renumbered, split_of
from seps.scenes.places import PLACES, RESERVED, SIDE
from seps.scenes.rng import Rng

COUNTS = (1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5)  # of objects, each entry as likely
HIDDEN = 30  # percent of an object that others may hide
HORIZON = 98  # row of the sea's horizon; swimming objects are entirely below it
TRIES = 24
SCENES_TRIED = 10_000
NO_TIE: Mapping[str, int] = MappingProxyType({})  # else "on" or "under" with an object's number

_KINDS_OF = {place: [name for name, kind in KINDS.items() if place in kind.places] for place in PLACES}


def make_scene(seed: int, split: str, index: int) -> Scene:
    """Make a scene; the same arguments give the same scene on any machine.

    Args:
        split: "train", "dev" or "test". The content of one split never occurs in another. Half of the test scenes,
            scenes of odd index, have a reserved combination of kind and colour.
    """
    if split not in SPLITS:
        raise ValueError(f"The split is {split!r}, but it must be one of {', '.join(SPLITS)}.")
    if seed < 0 or index < 0:
        raise ValueError(f"Seed and index are {seed} and {index}, but both must be at least 0.")
    unseen = split == "test" and index % 2 == 1
    for attempt in range(SCENES_TRIED):
        rng = Rng(seed, SPLITS.index(split), index, attempt)
        scene = _Maker(rng, unseen).scene(seed, split, index)
        if split_of(scene) == split and scene.unseen == unseen:
            return scene
    raise ValueError(f"No scene of split {split} was found for seed {seed} and index {index}: take another seed.")


class _Maker:
    def __init__(self, rng: Rng, unseen: bool) -> None:
        self.rng, self.unseen = rng, unseen
        self.place = PLACES[rng.choice(tuple(PLACES))]
        self.features = tuple(name for name in self.place.features if rng.bernoulli(50))
        self.objects: list[Object] = []

    def scene(self, seed: int, split: str, index: int) -> Scene:
        count = self.rng.choice(COUNTS)
        if self.rng.bernoulli(50):
            bearers = [name for name in (*SURFACES, *SHELTERS) if self.place.name in KINDS[name].places]
            self._add(self.rng.choice(bearers or _KINDS_OF[self.place.name]))
        for _ in range(TRIES):
            if len(self.objects) < count:
                self._add_object()
        while not self.objects:
            self._add_object()
        look = self.rng.integers(1 << 30)
        return Scene(seed, split, index, self.place.name, self.features, look, _painted(self.objects))

    def _add_object(self) -> None:
        bearers = [i for i, thing in enumerate(self.objects) if thing.kind in SURFACES or thing.kind in SHELTERS]
        if bearers and self.rng.bernoulli(70):
            bearer = self.rng.choice(bearers)
            on = self.objects[bearer].kind in SURFACES and self.rng.bernoulli(80)
            if on or self.objects[bearer].kind in SHELTERS:
                names = [name for name in CARRIED if self.place.name in KINDS[name].places or on]
                self._add(self.rng.choice(names), tie={"on" if on else "under": bearer})
                return
        if self.objects and self.rng.bernoulli(26):
            model = self.rng.choice(self.objects)
            if model.zone != "support":
                same = self.rng.bernoulli(70)
                size = model.size if same and self.rng.bernoulli(60) else None
                self._add(model.kind, model.colour if same else None, size)
                return
        self._add(self.rng.choice(_KINDS_OF[self.place.name]))

    def _add(
        self, name: str, colour: str | None = None, size: str | None = None, tie: Mapping[str, int] = NO_TIE
    ) -> None:
        kind = KINDS[name]
        if colour is None and kind.colours:
            free = self.unseen and not any(is_held_out(thing.kind, thing.colour) for thing in self.objects)
            held = [c for c in kind.colours if is_held_out(name, c)]
            colour = held[0] if free and held else self.rng.choice([c for c in kind.colours if c not in held])
        for _ in range(TRIES):
            chosen = size or self.rng.choice(tuple(SIZES))
            box = self._room(name, chosen, **tie)
            if box is not None and self._free(box, kind.zone, tie.values()):
                zone = "support" if "on" in tie else kind.zone
                self.objects.append(Object(name, colour, chosen, box, zone, self.rng.integers(1 << 30), **tie))
                return

    def _room(self, name: str, size: str, on: int | None = None, under: int | None = None) -> Box | None:
        width, height = extent(name, size)
        low, high = 3, SIDE - 3 - width
        if on is not None:
            x0, y0, x1, y1 = self.objects[on].box
            low, high = x0 + 3, x1 - 3 - width
            bottom = y0 + (y1 - y0) * SURFACES[self.objects[on].kind] // 100 + 1
        elif under is not None:
            x0, y0, x1, y1 = self.objects[under].box
            if self.objects[under].kind == "table":  # between its legs
                low, high, bottom = x0 + (x1 - x0) // 10, x1 - (x1 - x0) // 10 - width, y1 - 2
            else:  # to the left or to the right of the trunk
                middle, bottom = (x0 + x1) // 2, y1 + self.rng.between(2, 6)
                low, high = (x0, middle - 3 - width) if self.rng.bernoulli(50) else (middle + 3, x1 - width)
            if (
                bottom - height < y0 + (y1 - y0) * SHELTERS[self.objects[under].kind] // 100 + 2
                or bottom > SIDE - 4
                or bottom < self.place.spans["ground"][0]
            ):
                return None
        else:
            first, last = self.place.spans[KINDS[name].zone]
            if KINDS[name].zone in ("sky", "wall"):
                first += height
            elif "swim" in KINDS[name].poses:
                first = max(first, HORIZON + height)
            bottom = self.rng.between(max(first, height + 3), last)
            if bottom > last:
                return None
        if low > high or bottom - height < 2:
            return None
        left = self.rng.between(low, high)
        return left, bottom - height, left + width, bottom

    def _free(self, box: Box, zone: str, bearers: Collection[int]) -> bool:
        if zone == "wall" and any(_shared(box, RESERVED[f]) for f in self.features if f in RESERVED):
            return False
        limit = HIDDEN if self.rng.bernoulli(30) else 4
        for i, thing in enumerate(self.objects):
            most = limit if zone == thing.zone == "ground" and not bearers else 2  # percent
            if i not in bearers and _shared(box, thing.box) * 100 > most * min(_area(box), _area(thing.box)):
                return False
        return True


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _shared(a: Box, b: Box) -> int:
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return across * down if across > 0 and down > 0 else 0


def _painted(objects: list[Object]) -> tuple[Object, ...]:
    """Sort by painting order: far ones first, things on another directly after it."""

    def depth(i: int) -> tuple[int, int, int, int]:
        thing = objects[i]
        root = objects[thing.on] if thing.on is not None else thing
        behind = {"sky": 1, "wall": 0, "water": 2}.get(root.zone, 3)
        return behind, root.box[3], int(thing.on is not None), i

    return renumbered(objects, sorted(range(len(objects)), key=depth))
