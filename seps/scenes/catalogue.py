"""Table of all kinds of objects."""

from __future__ import annotations

from dataclasses import dataclass

PEOPLE, ANIMALS, VEHICLES, PLANTS, FOOD, THINGS = "people", "animals", "vehicles", "plants", "food", "things"
CATEGORIES = (PEOPLE, ANIMALS, VEHICLES, PLANTS, FOOD, THINGS)

_BRIGHT = "red orange yellow green blue purple pink"
_ALL = "red orange yellow green blue purple pink white black"
_LAND = "park beach street snow night desert"
_OPEN = "park beach street snow night sea desert"


@dataclass(frozen=True)
class Kind:
    """A kind of object.

    Attributes:
        name: unique.
        category: one of CATEGORIES.
        words: nouns for it; several kinds may share one, such as "bird".
        height: of a medium one, in pixels; aspect: width in percent of height.
        places: its backgrounds.
        zone: its zone in them: "ground", "water", "sky" or "wall".
        colours: names of its colours; empty if captions do not name its colour.
        poses: verbs for its posture.
        part: phrase for a colour of only a part, such as "in a {} shirt".
    """

    name: str
    category: str
    words: tuple[str, ...]
    height: int
    aspect: int
    places: tuple[str, ...]
    zone: str
    colours: tuple[str, ...]
    poses: tuple[str, ...]
    part: str | None


def _kind(
    name: str,
    category: str,
    more: str,
    height: int,
    aspect: int,
    places: str,
    zone: str,
    colours: str,
    poses: str,
    part: str = "",
) -> Kind:
    words = tuple(word.replace("_", " ") for word in more.replace("=", name.replace(" ", "_")).split())
    backgrounds, comes_in, does = (tuple(text.split()) for text in (places, colours, poses))
    return Kind(name, category, words, height, aspect, backgrounds, zone, comes_in, does, part or None)


ROWS = (
    _kind("man", PEOPLE, "= gentleman person", 84, 53, _LAND + " room", "ground", _ALL, "stand wait", "in a {} shirt"),
    _kind(
        "woman",
        PEOPLE,
        "= lady person",
        82,
        52,
        _LAND + " room",
        "ground",
        _BRIGHT + " white",
        "stand wait",
        "in a {} dress",
    ),
    _kind("boy", PEOPLE, "= child kid person", 62, 60, _LAND + " room", "ground", _BRIGHT, "stand wave", "in a {} cap"),
    _kind(
        "girl",
        PEOPLE,
        "= child kid person",
        62,
        59,
        _LAND + " room",
        "ground",
        _BRIGHT + " white",
        "stand",
        "in a {} dress",
    ),
    _kind("swimmer", PEOPLE, "= person", 34, 181, "beach sea", "water", _BRIGHT, "swim", "in a {} cap"),
    _kind(
        "dog",
        ANIMALS,
        "= hound",
        48,
        139,
        "park beach street snow room",
        "ground",
        "brown black white grey",
        "stand wait",
    ),
    _kind("cat", ANIMALS, "= kitty", 46, 76, "park street room night", "ground", "black white grey orange", "sit"),
    _kind(
        "horse", ANIMALS, "= pony", 74, 113, "park snow night desert beach", "ground", "brown black white grey", "stand"
    ),
    _kind("cow", ANIMALS, "=", 64, 128, "park night", "ground", "", "stand"),
    _kind("sheep", ANIMALS, "=", 50, 131, "park snow night", "ground", "", "stand"),
    _kind("pig", ANIMALS, "= piglet", 44, 160, "park", "ground", "", "stand"),
    _kind("rabbit", ANIMALS, "= bunny hare", 46, 58, "park snow night", "ground", "brown grey white", "sit"),
    _kind("fox", ANIMALS, "=", 42, 187, "park snow night desert", "ground", "", "stand"),
    _kind("bear", ANIMALS, "=", 64, 142, "park snow night", "ground", "brown black white", "stand walk"),
    _kind("elephant", ANIMALS, "=", 76, 142, "park desert", "ground", "", "stand"),
    _kind("camel", ANIMALS, "=", 78, 114, "desert", "ground", "", "stand"),
    _kind("giraffe", ANIMALS, "=", 104, 59, "park desert", "ground", "", "stand"),
    _kind("lion", ANIMALS, "=", 58, 146, "desert park", "ground", "", "stand"),
    _kind("mouse", ANIMALS, "=", 32, 190, "room park", "ground", "", "sit"),
    _kind("turtle", ANIMALS, "= tortoise", 34, 225, "beach desert park", "ground", "", "walk"),
    _kind("snail", ANIMALS, "=", 34, 180, "park", "ground", "orange pink purple brown", "crawl"),
    _kind("frog", ANIMALS, "=", 36, 137, "park", "ground", "", "sit"),
    _kind("crab", ANIMALS, "=", 36, 149, "beach", "ground", "", "stand"),
    _kind("bird", ANIMALS, "= songbird", 36, 170, _OPEN, "sky", "red blue yellow grey white", "fly"),
    _kind("duck", ANIMALS, "= bird", 36, 164, "sea beach", "water", "", "float swim"),
    _kind("owl", ANIMALS, "= bird", 44, 67, "night park snow", "ground", "brown grey purple white", "sit"),
    _kind("penguin", ANIMALS, "= bird", 54, 73, "snow", "ground", "", "stand"),
    _kind("chicken", ANIMALS, "= hen", 46, 108, "park", "ground", "brown white orange", "stand"),
    _kind("butterfly", ANIMALS, "=", 36, 130, "park", "sky", _BRIGHT, "fly flutter"),
    _kind("bee", ANIMALS, "=", 34, 139, "park", "sky", "", "fly"),
    _kind("fish", ANIMALS, "=", 34, 181, "sea", "water", "red orange yellow blue purple", "swim"),
    _kind("whale", ANIMALS, "=", 56, 196, "sea", "water", "", "swim"),
    _kind("dolphin", ANIMALS, "=", 50, 150, "sea beach", "water", "", "jump leap"),
    _kind("shark", ANIMALS, "=", 44, 204, "sea", "water", "", "swim"),
    _kind("car", VEHICLES, "= automobile", 42, 261, "street snow desert", "ground", _ALL + " grey", "stand"),
    _kind("bus", VEHICLES, "= coach", 58, 190, "street", "ground", "red yellow green blue orange", "stand wait"),
    _kind("truck", VEHICLES, "= lorry", 58, 195, "street desert", "ground", "red yellow green blue orange", "stand"),
    _kind("tractor", VEHICLES, "=", 60, 127, "park snow", "ground", "red green blue orange", "stand"),
    _kind("bicycle", VEHICLES, "= bike", 50, 159, "park street beach", "ground", _BRIGHT + " black", "stand"),
    _kind(
        "motorbike",
        VEHICLES,
        "= motorcycle",
        48,
        189,
        "street desert",
        "ground",
        "red blue green yellow black",
        "stand",
    ),
    _kind("train", VEHICLES, "= locomotive", 66, 134, "snow desert", "ground", "red green blue black", "stand wait"),
    _kind(
        "plane",
        VEHICLES,
        "= aeroplane airplane",
        40,
        219,
        "park beach snow sea desert",
        "sky",
        "red blue yellow green orange",
        "fly",
    ),
    _kind("helicopter", VEHICLES, "= chopper", 40, 237, _OPEN, "sky", "red blue yellow green orange", "fly hover"),
    _kind("hot air balloon", VEHICLES, "= balloon", 76, 73, "park snow sea desert beach", "sky", _BRIGHT, "fly float"),
    _kind(
        "sailing boat",
        VEHICLES,
        "= sailboat boat",
        74,
        94,
        "sea beach",
        "water",
        "red blue green white brown",
        "sail float",
    ),
    _kind("ship", VEHICLES, "= steamer", 48, 202, "sea", "water", "red blue green black", "sail"),
    _kind("rowing boat", VEHICLES, "= rowboat boat", 36, 240, "sea beach", "water", "red blue green yellow", "float"),
    _kind("rocket", VEHICLES, "= spaceship", 80, 50, "night desert", "sky", "red blue green orange", "fly rise"),
    _kind("tree", PLANTS, "= leafy_tree", 106, 77, "park street", "ground", "", "stand"),
    _kind("fir tree", PLANTS, "= pine_tree tree", 104, 67, "park snow night", "ground", "", "stand grow"),
    _kind("palm", PLANTS, "= palm_tree tree", 106, 79, "beach desert", "ground", "", "stand grow"),
    _kind("cactus", PLANTS, "=", 74, 65, "desert", "ground", "", "stand grow"),
    _kind("flower", PLANTS, "= blossom", 50, 50, "park", "ground", _BRIGHT + " white", "grow bloom"),
    _kind("sunflower", PLANTS, "= flower", 72, 53, "park", "ground", "", "grow bloom"),
    _kind("bush", PLANTS, "= shrub", 46, 175, "park desert", "ground", "", "grow"),
    _kind("mushroom", PLANTS, "= toadstool", 42, 93, "park night", "ground", "red brown orange purple", "grow stand"),
    _kind(
        "potted plant",
        PLANTS,
        "= houseplant",
        56,
        79,
        "room street",
        "ground",
        _BRIGHT + " white",
        "stand",
        "in a {} pot",
    ),
    _kind("tulip", PLANTS, "= flower", 52, 47, "park", "ground", "red yellow pink purple orange", "grow bloom"),
    _kind("apple", FOOD, "=", 34, 96, "room park", "ground", "red green yellow", "lie"),
    _kind("pear", FOOD, "=", 38, 71, "room park", "ground", "", "lie"),
    _kind("banana", FOOD, "=", 34, 157, "room park", "ground", "", "lie"),
    _kind("pizza slice", FOOD, "= pizza slice_of_pizza", 38, 104, "room", "ground", "", "lie"),
    _kind("cake", FOOD, "= birthday_cake", 42, 105, "room park", "ground", "red pink brown blue", "stand"),
    _kind(
        "ice cream", FOOD, "= ice_cream_cone", 48, 52, "beach room", "ground", "pink yellow brown green blue", "stand"
    ),
    _kind("hamburger", FOOD, "= burger", 36, 130, "room park", "ground", "", "lie"),
    _kind("carrot", FOOD, "=", 40, 115, "room snow park", "ground", "", "lie"),
    _kind("watermelon", FOOD, "= melon", 32, 215, "room beach park", "ground", "", "lie"),
    _kind("cherries", FOOD, "pair_of_cherries", 38, 99, "room", "ground", "", "lie"),
    _kind("eggs", FOOD, "basket_of_eggs", 36, 172, "room park", "ground", "", "lie"),
    _kind("cheese", FOOD, "piece_of_cheese wedge_of_cheese", 34, 155, "room", "ground", "", "lie"),
    _kind("cup", THINGS, "= mug", 32, 136, "room", "ground", _ALL, "stand"),
    _kind("teapot", THINGS, "=", 40, 155, "room", "ground", _BRIGHT + " white", "stand"),
    _kind("bottle", THINGS, "=", 54, 38, "room beach", "ground", "green blue brown purple", "stand"),
    _kind("ball", THINGS, "=", 36, 100, "park beach street room", "ground", _BRIGHT, "lie"),
    _kind(
        "balloon",
        THINGS,
        "= toy_balloon",
        64,
        52,
        "park beach street snow night sea",
        "sky",
        _BRIGHT + " white",
        "float fly",
    ),
    _kind("kite", THINGS, "=", 66, 57, "park beach snow sea", "sky", _BRIGHT, "fly"),
    _kind("parasol", THINGS, "= sunshade umbrella", 92, 94, "beach park", "ground", _BRIGHT, "stand"),
    _kind(
        "tent",
        THINGS,
        "=",
        60,
        169,
        "park beach snow night desert",
        "ground",
        "red orange yellow green blue purple",
        "stand",
    ),
    _kind(
        "house", THINGS, "= cottage", 88, 109, "park snow night", "ground", "red yellow green blue pink white", "stand"
    ),
    _kind(
        "lighthouse", THINGS, "=", 106, 53, "beach night", "ground", "red blue green black", "stand", "with {} stripes"
    ),
    _kind("windmill", THINGS, "= mill", 100, 66, "park night", "ground", "white grey blue brown", "stand"),
    _kind("street lamp", THINGS, "= lamp_post", 106, 24, "street park night", "ground", "", "stand"),
    _kind("traffic light", THINGS, "=", 88, 31, "street", "ground", "", "stand"),
    _kind(
        "mailbox", THINGS, "= letterbox", 60, 63, "street park snow", "ground", "red blue yellow green white", "stand"
    ),
    _kind("bucket", THINGS, "= pail", 44, 80, "beach room", "ground", _BRIGHT, "stand"),
    _kind("guitar", THINGS, "=", 70, 42, "room beach", "ground", "brown red blue black orange", "stand"),
    _kind("drum", THINGS, "=", 44, 111, "room street", "ground", "red blue green yellow purple", "stand"),
    _kind("hat", THINGS, "=", 32, 200, "room beach desert", "ground", _BRIGHT + " black brown", "lie"),
    _kind("sledge", VEHICLES, "= sled", 36, 250, "snow", "ground", "red blue green yellow", "stand"),
    _kind("surfboard", THINGS, "=", 78, 33, "beach", "ground", _BRIGHT, "stand"),
    _kind(
        "sandcastle",
        THINGS,
        "= sand_castle",
        56,
        123,
        "beach",
        "ground",
        "red yellow blue green",
        "stand",
        "with a {} flag",
    ),
    _kind("campfire", THINGS, "= fire", 52, 105, "night snow desert", "ground", "", "burn"),
    _kind("snowman", THINGS, "=", 76, 74, "snow", "ground", _BRIGHT, "stand", "with a {} scarf"),
    _kind(
        "robot", THINGS, "=", 68, 69, "room street night desert", "ground", "red blue green yellow grey orange", "stand"
    ),
    _kind("teddy bear", THINGS, "= teddy", 48, 77, "room", "ground", "brown pink white grey", "sit"),
    _kind("table", THINGS, "=", 66, 190, "room park", "ground", "brown white red blue", "stand"),
    _kind("chair", THINGS, "=", 72, 60, "room", "ground", "red blue green brown white yellow", "stand"),
    _kind("bench", THINGS, "=", 52, 200, "park street", "ground", "brown green red blue", "stand"),
    _kind("sofa", THINGS, "= couch", 58, 205, "room", "ground", "red blue green grey purple yellow", "stand"),
    _kind("bed", THINGS, "=", 46, 245, "room", "ground", "red blue green purple pink", "stand", "with a {} blanket"),
    _kind("lamp", THINGS, "= floor_lamp", 100, 45, "room", "ground", _BRIGHT + " white", "stand", "with a {} shade"),
    _kind("clock", THINGS, "=", 44, 100, "room", "wall", "red blue green brown black", "hang"),
    _kind(
        "picture", THINGS, "= painting", 44, 128, "room", "wall", "red blue brown black white", "hang", "in a {} frame"
    ),
    _kind("book", THINGS, "=", 32, 190, "room park beach", "ground", "red blue green purple brown", "lie"),
    _kind("television", THINGS, "= TV", 54, 109, "room", "ground", "brown red blue grey", "stand"),
    _kind("suitcase", THINGS, "= case", 48, 117, "room street", "ground", "red blue brown green black", "stand"),
    _kind("gift", THINGS, "= present", 46, 94, "room snow", "ground", _BRIGHT + " white", "stand"),
    _kind("backpack", THINGS, "= rucksack", 50, 81, "room park street snow", "ground", _BRIGHT + " black", "stand"),
    _kind("candle", THINGS, "=", 48, 57, "room night", "ground", "red white blue green", "burn"),
)
