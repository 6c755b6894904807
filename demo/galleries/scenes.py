"""Gallery of the first test scenes of seps.scenes, stored in the repo: `python -m demo.galleries.scenes`."""

from __future__ import annotations

import argparse
import json
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from PIL import Image

from demo.galleries.annotation import SceneAnnotation, title_of
from demo.galleries.gallery import Gallery, GalleryItem
from seps.scenes import AnnotatedScene, Mention, annotate, as_json, from_json, make_scene

SCENES = "scenes"
FACTS_FILE = Path(__file__).resolve().parents[2] / "assets" / "galleries" / "scenes.jsonl"
PICTURES = FACTS_FILE.with_suffix("")
SEED, SPLIT, COUNT = 0, "test", 200
Mentions = tuple[tuple[str, tuple[Mention, ...]], ...]  # captions, and the phrases of each that name objects
LICENCE, CREDIT = "MIT", "drawn by seps.scenes"


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


def fact_of(scene: AnnotatedScene) -> dict[str, Any]:
    """Return the stored data of a scene: its graph, each caption with the phrases that name objects, its dense
    caption."""
    captions = [
        {"text": caption.text, "mentions": [[m.phrase, m.first_word, list(m.objects)] for m in caption.mentions]}
        for caption in scene.captions
    ]
    return {"scene": as_json(scene.scene), "captions": captions, "dense": scene.dense.text}


def write(facts_file: Path, pictures: Path, count: int = COUNT) -> None:
    """Draw and describe the scenes again."""
    pictures.mkdir(parents=True, exist_ok=True)
    lines = []
    for index in range(count):
        scene = annotate(make_scene(SEED, SPLIT, index))
        Image.fromarray(scene.picture.pixels).save(pictures / f"{index:03}.png", optimize=True)
        lines.append(json.dumps(fact_of(scene), separators=(",", ":")))
    facts_file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    description = "Draw the scenes of the gallery again and replace the files in the repo."
    argparse.ArgumentParser(prog="python -m demo.galleries.scenes", description=description).parse_args()
    write(FACTS_FILE, PICTURES)
