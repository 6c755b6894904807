"""Backgrounds: rows where things can stand, fly, float or hang, and optional features."""

from dataclasses import dataclass

SIDE = 224  # of a scene, in pixels

Span = tuple[int, int]


@dataclass(frozen=True)
class Place:
    """A background: rows for an object's lowest row ("ground", "water") or all of it ("sky", "wall"), and features."""

    name: str
    spans: dict[str, Span]
    features: tuple[str, ...]


PLACES: dict[str, Place] = {
    place.name: place
    for place in (
        Place("park", {"sky": (4, 118), "ground": (152, 216)}, ("sun", "clouds", "hills", "path")),
        Place("beach", {"sky": (4, 96), "water": (116, 138), "ground": (168, 216)}, ("clouds", "shells", "island")),
        Place("street", {"sky": (4, 80), "ground": (162, 216)}, ("clouds", "crossing", "awnings")),
        Place("snow", {"sky": (4, 118), "ground": (156, 216)}, ("snowflakes", "mountains", "clouds")),
        Place("night", {"sky": (4, 128), "ground": (176, 216)}, ("moon", "village", "fog")),
        Place("room", {"wall": (8, 96), "ground": (168, 216)}, ("window", "rug", "wallpaper")),
        Place("sea", {"sky": (4, 92), "water": (124, 212)}, ("sun", "clouds", "island")),
        Place("desert", {"sky": (4, 118), "ground": (156, 216)}, ("sun", "pyramids", "rocks")),
    )
}

RESERVED = {"window": (20, 20, 92, 100)}  # boxes that nothing on the wall may cover
