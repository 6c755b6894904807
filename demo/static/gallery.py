"""A gallery for the static page: pictures, embeddings in float16, credits, and annotations of drawn scenes."""

import json
from base64 import b64decode
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from demo.galleries import annotation
from demo.galleries.gallery import first_captions, get_opening
from demo.galleries.indexes.index import GalleryInMemory
from demo.galleries.reading.photos import KEPT, data_url
from demo.record.scene import UNIT, pack_lines, scene_lines
from demo.service.retrieval import RetrievalService
from seps.data.objects import mask_overlap
from seps.scenes import KINDS, Mention, Scene
from seps.scenes.captions.wording import plural

EMBEDDINGS = "embeddings.f16"
FACTS = "gallery.json"
PICTURES = "pictures"
OPENED = ("captions", "compare", "why")  # views with selected initial content


def write_gallery(service: RetrievalService, indexed: GalleryInMemory, folder: Path) -> dict[str, Any]:
    """Write a gallery to a folder, and return the content of its JSON file; URLs are relative to the folder."""
    (folder / PICTURES).mkdir(parents=True)
    items = [write_item(indexed, index, folder, service.model.grid) for index in range(len(indexed))]
    gallery = indexed.gallery
    openings = {view: get_opening(gallery, view) for view in OPENED}
    facts: dict[str, Any] = {
        "name": gallery.name,
        "model": service.name,
        "title": gallery.title,
        "note": gallery.note,
        "noun": gallery.noun,
        "chips": list(first_captions(gallery)),
        "openings": {view: opening and asdict(opening) for view, opening in openings.items()},
        "shape": list(indexed.embeddings.shape),
        "items": items,
    }
    if any(item.known is not None for item in gallery.items):
        facts["nouns"] = nouns()
    (folder / FACTS).write_text(json.dumps(facts, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    # Each picture's embeddings (N[+1], C), behind them for a model with classes its patches' best classes (N), their
    # probabilities (N) and what class vectors add (N, C): (V, numbers).
    values = indexed.embeddings.float().cpu().flatten(1)
    seen = [service.patch_classes(indexed, index) for index in range(len(indexed))]
    rows = [torch.cat([part.float().cpu().flatten() for part in classes]) for classes in seen if classes is not None]
    assert len(service.model.class_names) <= 2048  # whole numbers that float16 holds
    numbers = torch.cat([values, torch.stack(rows)], dim=1) if rows else values
    (folder / EMBEDDINGS).write_bytes(numbers.numpy().astype("<f2").tobytes())
    return facts


def write_item(indexed: GalleryInMemory, index: int, folder: Path, grid: tuple[int, int]) -> dict[str, Any]:
    """Write the pictures of one item, and return its facts."""
    item = indexed.gallery.items[index]
    photo = item.photo()
    if item.known is not None and isinstance(item.source, Path):  # a small PNG of our own serves as both
        picture = thumb = f"{PICTURES}/{item.source.name}"
        (folder / picture).write_bytes(item.source.read_bytes())
    else:
        picture, thumb = f"{PICTURES}/{item.key}.jpg", f"{PICTURES}/{item.key}-small.jpg"
        for name, source in ((picture, data_url(photo, KEPT)), (thumb, indexed.thumbnails[index])):
            (folder / name).write_bytes(b64decode(source.partition(",")[2]))
    facts: dict[str, Any] = {
        "key": item.key,
        "captions": list(item.captions),
        "dense": item.dense or "",
        "phrases": list(item.phrases),
        "thumb": thumb,
        "photo": {"src": picture, "width": photo.width, "height": photo.height}
        | {name: getattr(item, name) for name in ("title", "credit", "link", "licence", "licence_link")},
    }
    return facts if item.known is None else facts | {"scene": scene_facts(item.known, grid)}


def scene_facts(known: annotation.SceneAnnotation, grid: tuple[int, int]) -> dict[str, Any]:
    """Return the facts about a scene: its objects, and for each of its captions the phrases that name them."""
    return {
        "unit": UNIT,
        "objects": [object_facts(known.scene, number, grid) for number in range(len(known.scene.objects))],
        "mentions": {caption: [mention_facts(mention) for mention in mentions] for caption, mentions in known.mentions},
    }


def object_facts(scene: Scene, number: int, grid: tuple[int, int]) -> dict[str, Any]:
    """Return an object: names, outline, and its visible fraction in each patch as flat pairs: patch, fraction, ..."""
    thing, seen = scene.objects[number], annotation.labels(scene)
    overlap = mask_overlap(seen == number, grid).reshape(-1)  # (N,)
    return {
        "kind": thing.kind,
        "colour": thing.colour,
        "size": thing.size,
        "name": annotation.object_name(scene, number),
        "many": annotation.described(thing.kind, thing.colour, many=True),
        "lines": pack_lines(scene_lines(scene)[number]),
        "inside": [value for patch in np.flatnonzero(overlap) for value in (int(patch), float(overlap[patch]))],
    }


def mention_facts(mention: Mention) -> list[Any]:
    """Return a phrase: the position of its first word, its length, and the objects that it names."""
    return [mention.first_word, len(mention.phrase.split()), list(mention.objects)]


@lru_cache(maxsize=1)
def nouns() -> dict[str, Any]:
    """Return the word lists that find phrases in typed captions, see `demo.galleries.annotation`."""
    parts = {name: (kind.part or "").split() for name, kind in KINDS.items()}
    return {
        "forms": {name: sorted(" ".join(form) for form in annotation.forms(name)) for name in KINDS},
        "parts": {name: [[word, plural(word)] for word in part] for name, part in parts.items() if part},
        "colours": annotation.COLOURS,
        "sizes": annotation.SIZE_NAMES,
        "openings": list(annotation.OPENINGS),
        "punctuation": annotation.PUNCTUATION,
        "longest": annotation.LONGEST_NOUN + 1,
    }
