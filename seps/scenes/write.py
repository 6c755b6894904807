"""Writing of scenes to a folder in the layout of `seps.data`."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from seps.common.checks import MAX_PIXELS, check_whole, read_json_file
from seps.scenes.captions.dense import dense_caption
from seps.scenes.captions.phrases import Caption, Mention
from seps.scenes.captions.sentences import sparse_captions
from seps.scenes.catalogue import KINDS
from seps.scenes.draw import Picture, draw
from seps.scenes.graph import Scene, as_json, relations
from seps.scenes.places import SIDE
from seps.scenes.placing import make_scene

IDS = "id_mapping.json"
TOGETHER = 32  # number of scenes that a process draws in one task

Progress = Callable[[Iterable["AnnotatedScene"]], Iterable["AnnotatedScene"]]


@dataclass(frozen=True)
class AnnotatedScene:
    """A scene, its picture, its five sparse captions and its dense one."""

    scene: Scene
    picture: Picture
    captions: tuple[Caption, ...]
    dense: Caption


def annotate(scene: Scene) -> AnnotatedScene:
    """Draw a scene and write its captions."""
    return AnnotatedScene(scene, draw(scene), tuple(sparse_captions(scene)), dense_caption(scene))


def write_split(
    folder: str | Path, split: str, count: int, seed: int, workers: int = 1, progress: Progress = iter
) -> None:
    """Write the scenes 0, 1, ... of a split in the authors' layout, with entities, masks and statements per scene."""
    if count < 1 or workers < 1:
        raise ValueError(f"{count} scenes and {workers} workers were asked for, but both must be at least 1.")
    make_scene(seed, split, 0)
    folder = Path(folder)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    _other_ids(folder, split)  # validate before drawing
    texts: defaultdict[str, list[str]] = defaultdict(list)
    names: dict[str, str] = {}
    for annotated in progress(_annotated(split, count, seed, workers)):
        image_id = f"{split}{annotated.scene.index}"
        name = names[image_id] = f"{split}_{annotated.scene.index:06d}.png"
        Image.fromarray(annotated.picture.pixels).save(folder / "images" / name, optimize=True)
        texts["caps.txt"] += [caption.text for caption in annotated.captions]
        texts["ids.txt"] += [image_id] * len(annotated.captions)
        texts["dense.jsonl"].append(_line({"text": annotated.dense.text}))
        texts["entities.jsonl"].append(_line(_entities(annotated, name)))
        texts["scenes.jsonl"].append(_line({"image": name, **describe(annotated)}))
    for ending, lines in texts.items():
        (folder / f"{split}_{ending}").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    ids = {**_other_ids(folder, split), **names}
    (folder / IDS).write_text(json.dumps(ids), encoding="utf-8", newline="\n")


def describe(annotated: AnnotatedScene) -> dict[str, Any]:
    """Convert all data of a scene to plain numbers, strings, lists and dicts."""
    plain = as_json(annotated.scene)
    for number, thing in enumerate(plain["objects"]):
        thing["visible"] = annotated.picture.box(number)
        thing["mask"] = encode_mask(annotated.picture.mask(number))
    return {
        **plain,
        "unseen": annotated.scene.unseen,
        "relations": relations(annotated.scene),
        "captions": [asdict(caption) for caption in annotated.captions],
        "dense": asdict(annotated.dense),
    }


def encode_mask(mask: NDArray[np.bool_]) -> dict[str, list[int]]:
    """Encode a mask as COCO run lengths: column by column, starting with the pixels outside."""
    flat = np.concatenate(([False], mask.T.reshape(-1)))
    starts = np.flatnonzero(flat[1:] != flat[:-1])
    edges = np.concatenate(([0], starts, [mask.size]))
    return {"size": list(mask.shape), "counts": [int(n) for n in np.diff(edges)]}


def decode_mask(code: dict[str, list[int]]) -> NDArray[np.bool_]:
    """Decode a mask of `encode_mask`; ValueError for an invalid size, or runs that do not fill the mask."""
    height, width = (check_whole("A side of the mask", side, MAX_PIXELS) for side in code["size"])
    if min(code["counts"], default=0) < 0:
        raise ValueError(f"The runs cover {min(code['counts'])} pixels, but at least 0 are needed.")
    if sum(code["counts"]) != height * width:
        raise ValueError(f"The runs cover {sum(code['counts'])} pixels, but {height} times {width} are needed.")
    inside = np.arange(len(code["counts"])) % 2 == 1
    return np.repeat(inside, code["counts"]).reshape(width, height).T


def _annotated(split: str, count: int, seed: int, workers: int) -> Iterator[AnnotatedScene]:
    make = partial(_make, seed, split)
    if workers == 1:
        yield from map(make, range(count))
        return
    # Start fresh processes: a fork of a process with threads can deadlock on a lock that a thread held.
    with ProcessPoolExecutor(min(workers, ceil(count / TOGETHER)), get_context("spawn")) as pool:
        yield from pool.map(make, range(count), chunksize=TOGETHER)


def _make(seed: int, split: str, index: int) -> AnnotatedScene:
    return annotate(make_scene(seed, split, index))


def _entities(annotated: AnnotatedScene, name: str) -> dict[str, Any]:
    def phrase(mention: Mention) -> dict[str, Any]:
        kind = KINDS[annotated.scene.objects[mention.objects[0]].kind].category
        seen = filter(None, map(annotated.picture.box, mention.objects))
        boxes = [[round(edge / SIDE, 4) for edge in box] for box in seen]
        return {"phrase": mention.phrase, "first_word": mention.first_word, "type": kind, "boxes": boxes}

    sentences = [
        {"sentence": caption.text, "phrases": [entry for entry in map(phrase, caption.mentions) if entry["boxes"]]}
        for caption in annotated.captions
    ]
    return {"image": name, "size": [SIDE, SIDE], "sentences": sentences}


def _other_ids(folder: Path, split: str) -> dict[str, str]:
    """Return the ids of other splits, mapped to names; ValueError for an invalid file."""
    path = folder / IDS
    known = read_json_file(path) if path.exists() else {}
    if not isinstance(known, dict) or not all(isinstance(name, str) for name in known.values()):
        raise ValueError(f"{path} maps no ids to names of files, so that no split can be added: take another folder.")
    return {image_id: name for image_id, name in known.items() if not name.startswith(f"{split}_")}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
