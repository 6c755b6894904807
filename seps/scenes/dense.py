"""Dense captions: everything in a scene, one sentence after the other, 60 to 180 words."""

from __future__ import annotations

from seps.scenes.graph import Scene
from seps.scenes.kinds import ANIMALS, CATEGORIES, KINDS, PEOPLE, VEHICLES
from seps.scenes.phrases import Caption, Group, Writer, caption
from seps.scenes.rng import Rng
from seps.scenes.sentences import Teller
from seps.scenes.wording import NUMBERS, PLACE_WORDS, RELATION_PHRASES

DENSE = 202  # seed that separates this caption's choices from other captions'
MIN_WORDS, MAX_WORDS = 60, 180  # words
OPENINGS = ("The picture shows", "This is a drawing of", "Here we see", "Someone has drawn")

BACKGROUND_SENTENCES = {
    "park": (
        "Behind the green meadow the sky is bright and blue.",
        "The grass is fresh and green, with small tufts here and there.",
        "It is a bright and friendly day.",
        "The meadow reaches from the front up to the horizon.",
        "The air is mild on this summer day.",
        "Short grass covers the ground in the front.",
    ),
    "beach": (
        "The sun is setting over the sea and colours the sky orange and purple.",
        "The light of the low sun glitters on the water.",
        "Small white waves roll onto the sand.",
        "The sandy beach fills the front of the picture.",
        "Further up the sky turns from orange to a deep violet.",
        "The light of the evening is warm and golden.",
    ),
    "street": (
        "A row of tall houses with many windows stands along the pavement.",
        "The grey road has a white dashed line.",
        "Shop windows and doors face the pavement.",
        "It is day and the sky above the roofs is light blue.",
        "The walls of the houses have different soft colours.",
        "Between the houses and the road runs a pale pavement.",
    ),
    "snow": (
        "The ground is covered with white snow.",
        "The cold winter sky is pale and blue.",
        "Soft snowdrifts reach up to the horizon.",
        "It is a cold day in winter.",
        "Here and there the snow has a faint blue tint.",
        "Winter has come and the whole land is white.",
    ),
    "night": (
        "Many small stars shine in the dark blue sky.",
        "Dark hills stretch along the horizon.",
        "The grass in front is dim and green.",
        "No daylight is left in the sky.",
        "Towards the horizon the sky turns from dark blue to violet.",
        "It is late and the land lies in the dark.",
    ),
    "room": (
        "The floor is made of wooden boards.",
        "A white skirting board runs along the bottom of the wall.",
        "The wall of the room is painted in a soft pale colour.",
        "Daylight fills the whole room.",
        "The boards of the floor run from left to right.",
        "Wall and floor meet in one straight line.",
    ),
    "sea": (
        "The blue water reaches up to the horizon.",
        "Small waves cover the surface of the sea.",
        "Towards the front the water becomes darker.",
        "Above the sea the sky is lightest near the horizon.",
        "Light crests of foam mark the tops of the waves.",
        "The water stretches from one side to the other.",
    ),
    "desert": (
        "Yellow sand stretches as far as one can see.",
        "Low dunes rise at the horizon.",
        "The wind has drawn gentle ripples into the sand.",
        "The air looks hot and dry.",
        "No water can be found anywhere around.",
        "The sky is blue at the top and pale near the sand.",
    ),
}
FEATURE_SENTENCES = {
    "sun": "The yellow sun shines in the sky.",
    "clouds": "Three clouds drift in the sky.",
    "hills": "Gentle hills rise in the distance.",
    "path": "A pale path winds through the grass.",
    "shells": "A few shells lie scattered in the sand.",
    "island": "A small island can be seen far away on the horizon.",
    "crossing": "White stripes of a zebra crossing lead over the road.",
    "awnings": "Striped awnings hang above the shop windows.",
    "snowflakes": "White snowflakes are falling from the sky.",
    "mountains": "High mountains with snowy tops rise in the background.",
    "moon": "A full moon glows in the sky.",
    "village": "The lights of a village twinkle in the distance.",
    "fog": "A thin fog lies over the grass.",
    "window": "Through the window on the left one looks out at green hills.",
    "rug": "A round rug lies on the floor.",
    "wallpaper": "The wallpaper has vertical stripes.",
    "pyramids": "Two pyramids stand in the distance.",
    "rocks": "Two brown rocks lie at the foot of the dunes.",
}
CATEGORY_WORDS = {
    "people": ("person", "people"),
    "animals": ("animal", "animals"),
    "vehicles": ("vehicle", "vehicles"),
    "food": ("piece of food", "pieces of food"),
}


def dense_caption(scene: Scene) -> Caption:
    """Return a caption of 60 to 180 words that names every object with its colour, size and surroundings."""
    rng = Rng(scene.look, DENSE)
    teller = Teller(scene, rng)
    sentences = [_opening(teller)]
    sentences += [_about(teller, group) for group in rng.shuffled(teller.groups)]
    behind = [Writer(scene, rng).say(FEATURE_SENTENCES[name], ("feature", name)) for name in scene.features]
    behind += [
        Writer(scene, rng).say(text, ("background", scene.background))
        for text in rng.shuffled(BACKGROUND_SENTENCES[scene.background])[:2]
    ]
    sentences += rng.shuffled(behind)
    sentences += rng.shuffled(_related(teller))[:4]
    sentences += _counts(teller)
    rest = [
        Writer(scene, rng).say(text, ("background", scene.background))
        for text in rng.shuffled(BACKGROUND_SENTENCES[scene.background])
    ]
    known = {" ".join(writer.words) for writer in sentences}
    for writer in rest:
        if _length(sentences) < MIN_WORDS and " ".join(writer.words) not in known:
            sentences.append(writer)
    while _length(sentences) > MAX_WORDS:
        sentences.pop()
    return caption(sentences)


def _length(sentences: list[Writer]) -> int:
    return sum(len(writer.words) for writer in sentences)


def _opening(t: Teller) -> Writer:
    writer = Writer(t.scene, t.rng)
    return (
        writer.say(t.rng.choice(OPENINGS))
        .say(PLACE_WORDS[t.scene.background][0], ("background", t.scene.background))
        .say(".")
    )


def _about(t: Teller, group: Group) -> Writer:
    """Write a sentence such as "On the left, a small red ball lies on the grass"."""
    writer = Writer(t.scene, t.rng)
    has_side = t.describe_side(writer, group)
    if has_side:
        writer.say("of the picture ,")
    writer.name(group, full=True)
    t.pose(writer, group, t.rng.choice(("verb", "is")))
    if not t.zone(writer, group):
        bearers = [other for other in t.groups if "on" in t.relations(group, other)]
        if bearers:
            writer.say("on", *(("on", i, j) for i in group.objects for j in bearers[0].objects)).name(
                bearers[0], full=True
            )
        elif not has_side:
            t.place(writer)
    return writer.say(".")


def _related(t: Teller) -> list[Writer]:
    """Write sentences such as "The red ball is to the left of the tree"."""
    sentences = []
    pairs = [(a, b) for n, a in enumerate(t.groups) for b in t.groups[n + 1 :] if t.relations(a, b)]
    for pair in t.rng.shuffled(pairs):
        a, b = t.rng.shuffled(pair)
        if not any(name in RELATION_PHRASES for name in t.relations(a, b)):
            a, b = b, a
        writer = Writer(t.scene, t.rng).name(a, the=True).say("are" if a.many else "is")
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
        text = (
            f"there is {NUMBERS[n]} {CATEGORY_WORDS[name][0]}"
            if n == 1
            else f"there are {NUMBERS[n]} {CATEGORY_WORDS[name][1]}"
        )
        sentences.append(Writer(t.scene, t.rng).say(f"altogether {text} in the picture .", ("category", name, n)))
    none = [name for name in (PEOPLE, ANIMALS, VEHICLES) if not numbers[name]]
    for name in t.rng.shuffled(none)[: 1 if present else 2]:
        sentences.append(Writer(t.scene, t.rng).say(f"there are no {name} to be seen .", ("category", name, 0)))
    areas = sorted(((b[2] - b[0]) * (b[3] - b[1]), i) for i, b in enumerate(thing.box for thing in t.scene.objects))
    if len(areas) > 1 and areas[-1][0] * 10 > areas[-2][0] * 13:
        group = next(group for group in t.groups if areas[-1][1] in group.objects)
        if not group.many:
            writer = Writer(t.scene, t.rng).name(group, the=True)
            sentences.append(writer.say("takes up the most room of all .", ("largest", areas[-1][1])))
    return sentences
