"""Five short captions of a scene, with different words and content, as five people would write them."""

from collections.abc import Callable, Iterator

from seps.scenes.captions import wording
from seps.scenes.captions.phrases import Caption, Group, Statement, Writer, caption, groups
from seps.scenes.catalogue import KINDS
from seps.scenes.graph import Scene, relations
from seps.scenes.places import SIDE
from seps.scenes.rng import Rng

CAPTIONS = 5
MIN_WORDS, MAX_WORDS = 5, 15  # words
FACTS = 5  # number of facts in a caption, if the scene has enough
PATIENCE = 200  # attempts before a caption may have fewer
SPARSE = 101  # seed that separates these captions' choices from other captions'
TRIES = 4000  # far more than scenes need
SPANS = (("left", 0, 72), ("middle", 92, 132), ("right", 152, SIDE))  # columns of an object's middle at each side


def sparse_captions(scene: Scene) -> list[Caption]:
    """Write five different captions of 5 to 15 words, each naming at least two things if possible."""
    rng = Rng(scene.look, SPARSE)
    teller = Teller(scene, rng)
    written: dict[str, Caption] = {}  # by text in small letters
    turn = rng.shuffled(teller.groups)
    for attempt in range(TRIES):
        if len(written) == CAPTIONS:
            return list(written.values())
        first = turn[len(written) % len(turn)]
        others = rng.shuffled([group for group in teller.groups if group is not first])
        writer = Writer(scene, rng)
        if rng.choice(_FORMS)(teller, writer, [first, *others]) and MIN_WORDS <= len(writer.words) <= MAX_WORDS:
            candidate = caption([writer], capital=rng.bernoulli(75))
            said = candidate.statements  # those about several objects count once
            facts = {(name, *(x for x in rest if not isinstance(x, int))) for name, *rest in said}
            enough = len(facts) >= FACTS or attempt > PATIENCE
            if enough and len(candidate.mentions) >= min(2, len(teller.groups)):
                written.setdefault(candidate.text.lower(), candidate)
    raise ValueError(f"Only {len(written)} of {CAPTIONS} captions were found for this scene: add an object to it.")


class Teller:
    """Sentence parts about a scene's groups. Methods that return a bool write nothing where they return False."""

    def __init__(self, scene: Scene, rng: Rng) -> None:
        self.scene, self.rng = scene, rng
        self.groups = groups(scene)
        self.known = set(relations(scene))

    def say(self, text: str, *statements: Statement) -> Writer:
        """Begin a sentence."""
        return Writer(self.scene, self.rng).say(text, *statements)

    @staticmethod
    def pairs(name: str, a: Group, b: Group) -> Iterator[tuple[str, int, int]]:
        """Yield a relation of each object of a to each one of b."""
        return ((name, i, j) for i in a.objects for j in b.objects)

    def relations(self, a: Group, b: Group) -> list[str]:
        """Return the relations of every object of a to every one of b."""
        return [name for name in wording.RELATION_PHRASES if self.known.issuperset(self.pairs(name, a, b))]

    def relate(self, writer: Writer, a: Group, b: Group, the: bool = False) -> bool:
        """State a relation of a to b and name b; return False if there is none."""
        names = self.relations(a, b)
        if not names:
            return False
        close = [name for name in names if name not in ("left of", "right of")]
        name = self.rng.choice(close if close and self.rng.bernoulli(70) else names)
        writer.say(self.rng.choice(wording.RELATION_PHRASES[name]), *self.pairs(name, a, b)).name(b, the)
        return True

    def zone(self, writer: Writer, group: Group) -> bool:
        """State the zone of a group (on the grass, in the sky); return False for objects on others."""
        zones = {self.scene.objects[i].zone for i in group.objects}
        phrases = wording.ZONE_PHRASES.get(f"{self.scene.background} {min(zones)}", [])
        if len(zones) > 1 or not phrases:
            return False
        writer.say(self.rng.choice(phrases), *(("zone", i, min(zones)) for i in group.objects))
        return True

    def side(self, group: Group) -> str | None:
        """Return the side of the picture with all objects of a group: "left", "right" or "middle"."""
        boxes = [self.scene.objects[i].box for i in group.objects]
        middles = [(box[0] + box[2]) // 2 for box in boxes]
        return next((name for name, low, high in SPANS if all(low <= x < high for x in middles)), None)

    def describe_side(self, writer: Writer, group: Group) -> bool:
        """State the side of the picture of a group."""
        side = self.side(group)
        if side is None:
            return False
        writer.say(self.rng.choice(wording.SIDES[side]), *(("at", i, side) for i in group.objects))
        return True

    def pose(self, writer: Writer, group: Group, form: str = "verb") -> None:
        """State the pose of a group: "sits", "is sitting" or "sitting"."""
        pose = self.rng.choice(KINDS[group.kind].poses)
        if form == "is":
            writer.say("are" if group.many else "is")
        text = wording.verb(pose, group.many) if form == "verb" else wording.participle(pose)
        writer.say(text, *(("pose", i, pose) for i in group.objects))

    def place(self, writer: Writer) -> None:
        """State the place of the scene."""
        writer.say(self.rng.choice(wording.PLACE_PHRASES[self.scene.background]), ("background", self.scene.background))

    def feature(self, writer: Writer) -> None:
        """Name a feature of the background, if there is one."""
        if self.scene.features:
            name, table = self.rng.choice(self.scene.features), wording.FEATURE_PHRASES
            phrases = table.get(f"{self.scene.background} {name}") or table[name]
            writer.say(self.rng.choice(phrases), ("feature", name))

    def ending(self, writer: Writer) -> None:
        """End with the place, a feature, or nothing."""
        if self.rng.bernoulli(55):
            self.place(writer)
        elif self.rng.bernoulli(35):
            self.feature(writer)


def _related(t: Teller, order: list[Group]) -> Group | None:
    """Return the next group that has a relation to the first."""
    return next((other for other in order[1:] if t.relations(order[0], other)), None)


def _relation(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "A small dog stands next to two red balls in a park"."""
    other = _related(t, order)
    if other is None:
        return False
    w.name(order[0])
    if t.rng.bernoulli(65):
        t.pose(w, order[0], t.rng.choice(("verb", "is", "participle")))
    t.relate(w, order[0], other)
    t.ending(w)
    return True


def _relation_first(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "In a park a small dog stands next to two red balls"."""
    other = _related(t, order)
    if other is None:
        return False
    t.place(w)
    w.name(order[0])
    t.pose(w, order[0], t.rng.choice(("verb", "is")))
    return t.relate(w, order[0], other)


def _list(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "A dog and two red balls and a tree in a park"."""
    if len(order) < 2:
        return False
    w.name(order[0])
    for other in order[1 : t.rng.between(2, 3)]:
        w.say("and").name(other)
    (t.place if t.rng.bernoulli(80) else t.feature)(w)
    return True


def _with(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "A park with a dog and two red balls"."""
    w.say(t.rng.choice(wording.PLACE_WORDS[t.scene.background]), ("background", t.scene.background))
    w.say("with").name(order[0])
    if len(order) > 1:
        w.say("and").name(order[1])
    elif not t.describe_side(w, order[0]):
        t.feature(w)
    return True


def _while(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "A dog stands on the grass while a bird flies in the sky"."""
    if len(order) < 2:
        return False
    t.pose(w.name(order[0]), order[0])
    if not t.zone(w, order[0]):
        return False
    t.pose(w.say(t.rng.choice(("while", "and"))).name(order[1]), order[1])
    return (t.describe_side if t.rng.bernoulli(30) else t.zone)(w, order[1])


def _sides(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "A dog on the left and two balls on the right"."""
    placed = [group for group in order if t.side(group)]
    if len(placed) < 2 or t.side(placed[0]) == t.side(placed[1]):
        return False
    t.describe_side(w.name(placed[0]), placed[0])
    t.describe_side(w.say("and").name(placed[1]), placed[1])
    if t.rng.bernoulli(40):
        t.place(w)
    return True


def _there(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "There is a dog next to a tree and a red ball in the park"."""
    w.say("there are" if order[0].many else "there is").name(order[0])
    if len(order) > 1:
        if t.relations(order[0], order[1]) and t.rng.bernoulli(60):
            t.relate(w, order[0], order[1])
        else:
            w.say("and").name(order[1])
    elif t.rng.bernoulli(50):
        t.describe_side(w, order[0])
    t.ending(w)
    return True


def _alone(t: Teller, w: Writer, order: list[Group]) -> bool:
    """Write a sentence such as "A small dog is standing on the grass on the left under white clouds"."""
    w.name(order[0], full=t.rng.bernoulli(70))
    t.pose(w, order[0], t.rng.choice(("verb", "is", "participle")))
    if t.rng.bernoulli(70):
        t.zone(w, order[0])
    if t.rng.bernoulli(50):
        t.describe_side(w, order[0])
    (t.feature if t.rng.bernoulli(50) else t.place)(w)
    return True


Form = Callable[[Teller, Writer, list[Group]], bool]
_FORMS: tuple[Form, ...] = (*[_relation] * 3, _relation_first, _list, _with, _while, _sides, _there, _alone)
