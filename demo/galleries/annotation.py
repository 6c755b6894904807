"""Annotation of a drawn picture: its graph, the names of its objects, and the objects that its captions name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from seps.scenes import KINDS, Mention, Scene, draw
from seps.scenes.wording import plural


@dataclass(frozen=True)
class SceneAnnotation:
    """Annotation of a drawn picture.

    Attributes:
        scene: its graph.
        mentions: for each of its captions, by text, the phrases that name objects.
    """

    scene: Scene
    mentions: tuple[tuple[str, tuple[Mention, ...]], ...] = ()

    def get_caption_phrases(self, caption: str) -> tuple[Mention, ...] | None:
        """Return the phrases of one of its captions; None for any other caption."""
        return dict(self.mentions).get(caption)


@lru_cache(maxsize=64)
def labels(scene: Scene) -> NDArray[np.int16]:
    """Return the number of the visible object in each pixel, (224, 224), -1 for none; read-only."""
    numbers = draw(scene).labels
    numbers.flags.writeable = False
    return numbers


def described(kind: str, colour: str | None, many: bool = False) -> str:
    """Name a kind with its colour: "red car", "girl in a pink dress", "red cars"."""
    noun, part = (plural(kind) if many else kind), KINDS[kind].part
    if colour is None:
        return noun
    return f"{noun} {part.format(colour)}".replace(" a orange", " an orange") if part else f"{colour} {noun}"


def object_name(scene: Scene, number: int) -> str:
    """Name an object by its colour and kind: "red car"."""
    thing = scene.objects[number]
    return described(thing.kind, thing.colour)


def objects_name(scene: Scene, numbers: tuple[int, ...]) -> str:
    """Name objects in a phrase: "the red car", "the 2 sheep", "the girl in a pink dress and the tree"."""
    alike: dict[tuple[str, str | None], int] = {}
    for number in numbers:
        thing = scene.objects[number]
        alike[thing.kind, thing.colour] = alike.get((thing.kind, thing.colour), 0) + 1
    return " and ".join(
        f"the {described(kind, colour)}" if count == 1 else f"the {count} {described(kind, colour, many=True)}"
        for (kind, colour), count in alike.items()
    )


def title_of(scene: Scene) -> str:
    """Summarize a scene after its number: "17: red car, dog and 2 more"."""
    names = list(dict.fromkeys(object_name(scene, number) for number in range(len(scene.objects))))
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{scene.index}: {', '.join(names[:2])}{more}" if names else f"{scene.index}: no object"
