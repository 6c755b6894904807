"""Dense captions: everything in a scene, one sentence after the other, 60 to 180 words."""

from seps.scenes.captions import wording
from seps.scenes.captions.phrases import Caption, Group, Writer, caption
from seps.scenes.captions.sentences import Teller
from seps.scenes.catalogue import ANIMALS, CATEGORIES, KINDS, PEOPLE, VEHICLES
from seps.scenes.graph import Scene
from seps.scenes.rng import Rng

DENSE = 202  # seed that separates this caption's choices from other captions'
MIN_WORDS, MAX_WORDS = 60, 180  # words
OPENINGS = ("The picture shows", "This is a drawing of", "Here we see", "Someone has drawn")
CATEGORY_WORDS = {
    "people": ("person", "people"),
    "animals": ("animal", "animals"),
    "vehicles": ("vehicle", "vehicles"),
    "food": ("piece of food", "pieces of food"),
}


def dense_caption(scene: Scene) -> Caption:
    """Return a caption of 60 to 180 words that names every object with its colour, size and surroundings."""
    rng = Rng(scene.look, DENSE)
    t = Teller(scene, rng)
    place, background = ("background", scene.background), wording.BACKGROUND_SENTENCES[scene.background]
    sentences = [t.say(rng.choice(OPENINGS)).say(wording.PLACE_WORDS[scene.background][0], place).say(".")]
    sentences += [_about(t, group) for group in rng.shuffled(t.groups)]
    behind = [t.say(wording.FEATURE_SENTENCES[name], ("feature", name)) for name in scene.features]
    behind += [t.say(text, place) for text in rng.shuffled(background)[:2]]
    sentences += rng.shuffled(behind)
    sentences += rng.shuffled(_related(t))[:4]
    sentences += _counts(t)
    known = [writer.words for writer in sentences]
    for writer in [t.say(text, place) for text in rng.shuffled(background)]:
        if _length(sentences) < MIN_WORDS and writer.words not in known:
            sentences.append(writer)
    while _length(sentences) > MAX_WORDS:
        sentences.pop()
    return caption(sentences)


def _length(sentences: list[Writer]) -> int:
    return sum(len(writer.words) for writer in sentences)


def _about(t: Teller, group: Group) -> Writer:
    """Write a sentence such as "On the left, a small red ball lies on the grass"."""
    writer = t.say("")
    has_side = t.describe_side(writer, group)
    if has_side:
        writer.say("of the picture ,")
    writer.name(group, full=True)
    t.pose(writer, group, t.rng.choice(("verb", "is")))
    if not t.zone(writer, group):
        bearer = next((other for other in t.groups if "on" in t.relations(group, other)), None)
        if bearer:
            writer.say("on", *t.pairs("on", group, bearer)).name(bearer, full=True)
        elif not has_side:
            t.place(writer)
    return writer.say(".")


def _related(t: Teller) -> list[Writer]:
    """Write sentences such as "The red ball is to the left of the tree"."""
    sentences = []
    pairs = [(a, b) for n, a in enumerate(t.groups) for b in t.groups[n + 1 :] if t.relations(a, b)]
    for pair in t.rng.shuffled(pairs):
        a, b = t.rng.shuffled(pair)
        if not t.relations(a, b):
            a, b = b, a
        writer = t.say("").name(a, the=True).say("are" if a.many else "is")
        if t.relate(writer, a, b, the=True):
            sentences.append(writer.say("."))
    return sentences


def _counts(t: Teller) -> list[Writer]:
    """Write sentences on the counts of things and the largest one."""
    sentences = []
    numbers = {name: sum(KINDS[thing.kind].category == name for thing in t.scene.objects) for name in CATEGORIES}
    present = [name for name in CATEGORY_WORDS if numbers[name]]
    if present:
        name = t.rng.choice(present)
        n = numbers[name]
        text = f"there {'is' if n == 1 else 'are'} {wording.NUMBERS[n]} {CATEGORY_WORDS[name][n > 1]}"
        sentences.append(t.say(f"altogether {text} in the picture .", ("category", name, n)))
    none = [name for name in (PEOPLE, ANIMALS, VEHICLES) if not numbers[name]]
    for name in t.rng.shuffled(none)[: 1 if present else 2]:
        sentences.append(t.say(f"there are no {name} to be seen .", ("category", name, 0)))
    areas = sorted(((b[2] - b[0]) * (b[3] - b[1]), i) for i, b in enumerate(thing.box for thing in t.scene.objects))
    if len(areas) > 1 and areas[-1][0] * 10 > areas[-2][0] * 13:
        group = next(group for group in t.groups if areas[-1][1] in group.objects)
        if not group.many:
            writer = t.say("").name(group, the=True)
            sentences.append(writer.say("takes up the most room of all .", ("largest", areas[-1][1])))
    return sentences
