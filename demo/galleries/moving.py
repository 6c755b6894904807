"""Gallery of the moving scene, a video with known truth for every frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from demo.galleries.annotation import SceneAnnotation, object_name
from demo.galleries.gallery import Gallery
from demo.galleries.scenes import CREDIT, LICENCE
from demo.galleries.video import video_gallery
from seps.scenes import Mention

MOVING = "moving"
FILE = Path(__file__).resolve().parents[2] / "assets" / "galleries" / "moving.webm"
SEED, INDEX = 0, 1  # of the clip that the file holds


def create_moving_gallery() -> Gallery:
    """Return the frames of the moving scene with their objects; needs no network."""
    from seps.scenes.clips import make_clip  # OpenCV, on first use
    from seps.videos import read_frames

    clip = make_clip(SEED, INDEX)
    mentions = ((clip.caption, (Mention(clip.caption, 0, (clip.number,)),)),)
    others = [f"a {object_name(clip.scenes[0], number)}" for number in range(len(clip.scenes[0].objects))]
    others.remove(clip.caption)
    gallery = video_gallery(read_frames(FILE), "A scene that moves", MOVING, (CREDIT, LICENCE))
    items = [
        replace(
            item,
            known=SceneAnnotation(scene, mentions),
            captions=(clip.caption,) if seen else (),
            phrases=(clip.caption, *others) if seen else tuple(others),
        )
        for item, scene, seen in zip(gallery.items, clip.scenes, clip.seen, strict=True)
    ]
    return replace(gallery, items=tuple(items), captions=(clip.caption, *others))
