"""Moving scenes: one object enters, crosses the picture and leaves it, with known truth for every frame."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from seps.scenes.captions.phrases import COLOUR_WORDS, Group, groups, phrase_text
from seps.scenes.catalogue import KINDS
from seps.scenes.draw import Picture, draw
from seps.scenes.graph import Scene
from seps.scenes.places import SIDE
from seps.scenes.placing import make_scene

FRAMES, RATE = 24, 4.0  # of a clip, and frames a second: six seconds
VISIBLE = 0.5  # of an object's pixels, from which on it is in the picture
MOVING = ("sky", "ground", "water")


@dataclass(frozen=True)
class Clip:
    """A scene with one moving object, `number`; the scenes, one per frame, differ only in its box."""

    scenes: tuple[Scene, ...]
    number: int
    caption: str

    @cached_property
    def pictures(self) -> tuple[Picture, ...]:
        """The frames, drawn once."""
        return tuple(draw(scene) for scene in self.scenes)

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """(F,): whether at least half of the object is visible, given occlusion and the picture's edge."""
        pixels = np.array([picture.mask(self.number).sum() for picture in self.pictures])
        return pixels >= VISIBLE * pixels.max()


def make_clip(seed: int, index: int, split: str = "test") -> Clip:
    """Make a clip from the first suitable scene of a split, from `index` on; ValueError as `make_scene`."""
    while True:
        scene = make_scene(seed, split, index)
        alone = [group for group in groups(scene) if not group.many and can_move(scene, group.objects[0])]
        if alone:
            return moving(scene, alone[0], np.random.default_rng([seed, index]))
        index += 1000  # another scene, which no clip of a neighbouring index takes


def can_move(scene: Scene, number: int) -> bool:
    """Return whether an object is on the ground with nothing on or under it, and none of its kin is in the scene."""
    thing = scene.objects[number]
    ties = {thing.on, thing.under, *(number for other in scene.objects if number in (other.on, other.under))}
    kin = sum(not set(KINDS[other.kind].words).isdisjoint(KINDS[thing.kind].words) for other in scene.objects)
    return thing.zone in MOVING and ties == {None} and kin == 1


def moving(scene: Scene, group: Group, rng: np.random.Generator) -> Clip:
    """Let a group's only object cross a scene."""
    number = group.objects[0]
    x0, y0, x1, y1 = scene.objects[number].box
    width = x1 - x0
    enters, crossing = int(rng.integers(FRAMES // 5, 2 * FRAMES // 5)), FRAMES // 3
    fractions = np.clip((np.arange(FRAMES) - enters) / crossing, 0.0, 1.0)
    if rng.integers(2):
        fractions = 1 - fractions
    lefts = np.rint(-width - 2 + fractions * (SIDE + width + 4)).astype(int)
    colour = COLOUR_WORDS.get(group.colour or "", (group.colour or "",))[0]
    caption = phrase_text(group, KINDS[group.kind].words[0], colour, "", the=False)
    boxes = [(left, y0, left + width, y1) for left in lefts.tolist()]
    return Clip(
        tuple(scene.with_objects({number: replace(scene.objects[number], box=box)}) for box in boxes), number, caption
    )


def write_clip(clip: Clip, file: Path) -> None:
    """Write a clip as a VP9 video (.webm), which every browser can play; ValueError if it cannot be written."""
    if file.suffix != ".webm":
        raise ValueError(f"{file.name} must end in .webm, the one kind of video that is written.")
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"VP90"), RATE, (SIDE, SIDE))
    if not writer.isOpened():
        raise ValueError(f"{file} cannot be written: name a file in an existing folder.")
    for picture in clip.pictures:
        writer.write(cv2.cvtColor(picture.pixels, cv2.COLOR_RGB2BGR))
    writer.release()
