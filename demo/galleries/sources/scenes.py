"""Galleries of the first test scenes of seps.scenes, and of a scene that moves: a video with known truth for every
frame. Both are stored in the repo; `python -m demo.galleries.sources.scenes` draws the first again."""

import argparse
import json
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from PIL import Image

from demo.galleries.annotation import SceneAnnotation, object_name, title_of
from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.sources.video import video_gallery
from seps.scenes import Mention, annotate, as_json, from_json, make_scene

SCENES = "scenes"
FACTS_FILE = Path(__file__).resolve().parents[3] / "assets" / "galleries" / "scenes.jsonl"
PICTURES = FACTS_FILE.with_suffix("")
SEED, SPLIT, COUNT = 0, "test", 200
Mentions = tuple[tuple[str, tuple[Mention, ...]], ...]  # captions, and the phrases of each that name objects
LICENCE, CREDIT = "MIT", "drawn by seps.scenes"

MOVING = "moving"
CLIP = FACTS_FILE.with_name("moving.webm")
CLIP_INDEX = 1  # with SEED, of the clip that the file holds


@lru_cache(maxsize=1)
def scenes_gallery() -> Gallery:
    """Return the gallery of scenes; needs no network."""
    lines = FACTS_FILE.read_text(encoding="utf-8").splitlines()
    return Gallery(SCENES, "Scenes", "", tuple(_item(json.loads(line)) for line in lines), noun="scenes")


def _item(fact: dict[str, Any]) -> GalleryItem:
    scene = from_json(fact["scene"])
    mentions = tuple(
        (
            caption["text"],
            tuple(Mention(phrase, first, tuple(objects)) for phrase, first, objects in caption["mentions"]),
        )
        for caption in fact["captions"]
    )
    return GalleryItem(
        key=str(scene.index),
        title=title_of(scene),
        captions=tuple(text for text, _ in mentions),
        dense=fact["dense"],
        licence=LICENCE,
        licence_link=None,
        credit=CREDIT,
        link=None,
        source=PICTURES / f"{scene.index:03}.png",
        known=SceneAnnotation(scene, mentions),
        phrases=phrases_of(mentions),
    )


def phrases_of(mentions: Mentions) -> tuple[str, ...]:
    """Return the longest phrase for each object or group that captions name, in the order of the objects."""
    named: dict[tuple[int, ...], str] = {}
    for mention in chain.from_iterable(phrases for _, phrases in mentions):
        phrase = mention.phrase[0].lower() + mention.phrase[1:]
        if len(phrase.split()) > len(named.get(mention.objects, "").split()):
            named[mention.objects] = phrase
    return tuple(dict.fromkeys(named[objects] for objects in sorted(named)))


def write(facts_file: Path, pictures: Path, count: int = COUNT) -> None:
    """Draw and describe the scenes again."""
    pictures.mkdir(parents=True, exist_ok=True)
    lines = []
    for index in range(count):
        scene = annotate(make_scene(SEED, SPLIT, index))
        Image.fromarray(scene.picture.pixels).save(pictures / f"{index:03}.png", optimize=True)
        captions = [
            {"text": caption.text, "mentions": [[m.phrase, m.first_word, list(m.objects)] for m in caption.mentions]}
            for caption in scene.captions
        ]
        fact = {"scene": as_json(scene.scene), "captions": captions, "dense": scene.dense.text}
        lines.append(json.dumps(fact, separators=(",", ":")))
    facts_file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def create_moving_gallery() -> Gallery:
    """Return the frames of the moving scene with their objects; needs no network."""
    from seps.media.videos import read_frames
    from seps.scenes.clips import make_clip  # OpenCV, on first use

    clip = make_clip(SEED, CLIP_INDEX)
    mentions = ((clip.caption, (Mention(clip.caption, 0, (clip.number,)),)),)
    others = [f"a {object_name(clip.scenes[0], number)}" for number in range(len(clip.scenes[0].objects))]
    others.remove(clip.caption)
    gallery = video_gallery(read_frames(CLIP), "A scene that moves", MOVING, (CREDIT, LICENCE))
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


if __name__ == "__main__":
    description = "Draw the scenes of the gallery again and replace the files in the repo."
    argparse.ArgumentParser(prog="python -m demo.galleries.sources.scenes", description=description).parse_args()
    write(FACTS_FILE, PICTURES)
