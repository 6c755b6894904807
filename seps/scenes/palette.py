"""Colours of the scenes: the eleven that captions name, and unnamed ones of parts."""

Colour = tuple[int, int, int]

NAMED: dict[str, Colour] = {
    "red": (214, 54, 52),
    "orange": (244, 138, 38),
    "yellow": (250, 208, 52),
    "green": (66, 160, 76),
    "blue": (52, 112, 206),
    "purple": (134, 78, 176),
    "pink": (244, 142, 180),
    "brown": (138, 90, 54),
    "black": (48, 50, 58),
    "white": (246, 246, 242),
    "grey": (144, 150, 158),
}

INK: Colour = (44, 42, 50)
WHITE: Colour = (252, 252, 250)
CREAM: Colour = (250, 234, 204)
STEEL: Colour = (176, 184, 192)
RUBBER: Colour = (56, 58, 66)
GLASS: Colour = (184, 222, 238)
WOOD: Colour = (164, 110, 66)
BARK: Colour = (122, 84, 56)
LEAF: Colour = (74, 154, 72)
PINE: Colour = (44, 116, 82)
GOLD: Colour = (240, 190, 70)
BEAK: Colour = (246, 156, 44)
ROSE: Colour = (240, 150, 160)
DENIM: Colour = (66, 84, 128)


def mix(a: Colour, b: Colour, percent: int) -> Colour:
    """Mix `percent` of b with the rest of a, in integers."""
    first, second, third = ((x * (100 - percent) + y * percent + 50) // 100 for x, y in zip(a, b, strict=True))
    return first, second, third


def lighter(colour: Colour, percent: int = 25) -> Colour:
    """Mix with white."""
    return mix(colour, (255, 255, 255), percent)


def darker(colour: Colour, percent: int = 25) -> Colour:
    """Mix with a deep blue black, softer than black."""
    return mix(colour, (24, 22, 40), percent)
