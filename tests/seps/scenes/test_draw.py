import hashlib
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from seps.scenes import KINDS, SIDE, Object, Scene, draw, make_scene
from seps.scenes.backdrops import paint_background
from seps.scenes.catalogue import extent
from seps.scenes.drawings import DRAWINGS
from seps.scenes.places import PLACES
from seps.scenes.sketch import UNIT, Canvas, coverage

SCENES = [make_scene(9, "dev", index) for index in range(6)]
PIXELS = "8fab5ba5ed4ec3ebda99521bb8699f17e06e536377e23c413e9f1c22621d351d"  # sha256 of six scenes


def grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask and the pixels next to it."""
    padded = np.pad(mask, 1)
    shifts = [padded[1 + dy : 1 + dy + SIDE, 1 + dx : 1 + dx + SIDE] for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return np.logical_or.reduce(shifts)


def alone(thing: Object, background: str = "park") -> Scene:
    return Scene(0, "train", 0, background, (), 0, (replace(thing, on=None, under=None),))


def test_a_square_is_covered_exactly_and_cut_off_at_the_edges() -> None:
    square = np.array([(UNIT, UNIT), (3 * UNIT + UNIT // 2, UNIT), (3 * UNIT + UNIT // 2, 3 * UNIT), (UNIT, 3 * UNIT)])
    for outline in (square, square[::-1]):
        window = coverage(outline, 8, 8)
        assert window is not None and window[:2] == (1, 1)
        assert window[2][:, :3].tolist() == [[UNIT, UNIT, UNIT // 2]] * 2
    cut = np.array([(-5, -5), (2, -5), (2, 2), (-5, 2)]) * UNIT
    window = coverage(cut, 4, 4)
    assert window is not None and window[:2] == (0, 0) and window[2].sum() == 4 * UNIT
    assert coverage(cut + 40 * UNIT, 4, 4) is coverage(cut - 40 * UNIT, 4, 4) is None


def test_pixels_are_pinned() -> None:
    digest = hashlib.sha256()
    for scene in SCENES:
        picture = draw(scene)
        digest.update(picture.pixels.tobytes() + picture.labels.astype("<i2").tobytes())
    assert digest.hexdigest() == PIXELS


def test_an_objects_pixels_are_where_its_mask_says() -> None:
    """Without the object in front, what changes is its mask, but for soft edges and for colours that were there."""
    for scene in SCENES[:3]:
        full = draw(scene, shadows=False)
        for number in range(len(scene.objects)):
            if any(thing.on == number or thing.under == number for thing in scene.objects):
                continue
            painted = [i for i in range(len(scene.objects)) if i != number]
            rest = draw(replace(scene, objects=tuple(scene.objects[i] for i in painted)), shadows=False)
            changed = (full.pixels != rest.pixels).any(axis=2)
            mask = full.mask(number)
            beyond = (changed & ~grown(mask)).sum()  # lines less than a pixel wide
            assert beyond <= 4 + mask.sum() // 50, (scene, number)
            assert changed[mask].mean() > 0.95, (scene, number)
            for new, old in enumerate(painted):
                assert not (full.mask(old) & ~rest.mask(new)).any()


def test_boxes_are_tight_around_masks() -> None:
    for picture, things in ((draw(scene), scene.objects) for scene in SCENES):
        for number, thing in enumerate(things):
            x0, y0, x1, y1 = picture.box(number) or (0, 0, 0, 0)
            mask = picture.mask(number)
            assert mask.sum() == mask[y0:y1, x0:x1].sum() > 0
            assert all(edge.any() for edge in (mask[y0, :], mask[y1 - 1, :], mask[:, x0], mask[:, x1 - 1]))
            u0, v0, u1, v1 = thing.box
            assert u0 - 1 <= x0 and v0 - 1 <= y0 and x1 <= u1 + 1 and y1 <= v1 + 1


def test_every_kind_has_a_drawing_that_fills_its_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["seps.scenes.draw"], "paint_background", lambda *_: None)  # takes the most time
    assert set(DRAWINGS) == set(KINDS)
    for number, kind in enumerate(KINDS.values()):
        width, height = extent(kind.name, "medium")
        left, bottom = (SIDE - width) // 2, 200
        box = (left, bottom - height, left + width, bottom)
        colour = kind.colours[number % len(kind.colours)] if kind.colours else None
        visible = draw(alone(Object(kind.name, colour, "medium", box, "ground", number))).box(0)
        assert visible is not None
        assert max(abs(a - b) for a, b in zip(visible, box, strict=True)) <= 2, kind.name


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="Nothing is known of 'dragon'"):
        draw(alone(Object("dragon", None, "medium", (10, 10, 60, 60), "ground", 0)))


def test_each_feature_of_a_background_is_seen() -> None:
    def painted(name: str, *features: str) -> NDArray[np.int64]:
        canvas = Canvas(SIDE, SIDE)
        paint_background(canvas, name, features, look=1)
        return canvas.pixels

    plain = {name: painted(name) for name in PLACES}
    for name, place in PLACES.items():
        for feature in place.features:
            assert (painted(name, feature) != plain[name]).any(), (name, feature)
