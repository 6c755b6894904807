"""The same captions as caption files of each kind."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

from seps.data import Split
from tests.helpers.data.drawn_data import caption_of, write_lines

IMAGES = 4
PARTS = ("train", "restval", "val", "test")


def captions(image: int, count: int = 5) -> list[str]:
    return [caption_of(image, number % 5) for number in range(count)]


def coco(folder: Path, name: str = "captions_val2014.json", count: int = 5) -> Path:
    """COCO's JSON; captions come in another order than images."""
    images = [{"id": 391 + i, "file_name": f"COCO_{i}.png", "height": 30, "width": 40} for i in range(IMAGES)]
    rows = [
        {"image_id": 391 + i, "id": 9 * i + k, "caption": f" {text}\n"}
        for i in reversed(range(IMAGES))
        for k, text in enumerate(captions(i, count))
    ]
    (folder / name).write_text(json.dumps({"info": {}, "images": images, "annotations": rows}))
    return folder / name


def karpathy(folder: Path) -> Path:
    images = [
        {
            "filepath": "val2014",
            "filename": f"COCO_{i}.png",
            "cocoid": 391 + i,
            "split": PARTS[i],
            "sentences": [{"tokens": text.split(), "raw": text} for text in captions(i)],
        }
        for i in range(IMAGES)
    ]
    (folder / "dataset_coco.json").write_text(json.dumps({"images": images, "dataset": "coco"}))
    return folder / "dataset_coco.json"


def results(folder: Path) -> Path:
    rows = [f"COCO_{i}.png| {k}| {text}" for i in range(IMAGES) for k, text in enumerate(captions(i))]
    write_lines(folder / "results.csv", ["image_name| comment_number| comment", *rows])
    return folder / "results.csv"


def write_csv(file: Path, rows: list[list[str]]) -> Path:
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return file


def table(folder: Path) -> Path:
    rows = [[f"COCO_{i}.png", text] for i in range(IMAGES) for text in captions(i)]
    return write_csv(folder / "pairs.csv", [["Image", "Caption"], *rows])


def cells(folder: Path) -> Path:
    """A table with all captions of an image in each cell."""
    rows = [[json.dumps(captions(i)), PARTS[i], f"COCO_{i}.png"] for i in range(IMAGES)]
    return write_csv(folder / "cells.csv", [["raw", "split", "filename"], *rows])


WHOLE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "COCO": (coco, "dev"),
    "results.csv": (results, "all"),
    "table": (table, "all"),
}


def content(split: Split) -> list[tuple[str, tuple[str, ...]]]:
    """The files' names with their captions, sorted: formats give images in different orders."""
    k = split.captions_per_image
    return sorted(
        (file.name, split.captions[i * k : i * k + k]) for i, file in enumerate(split.image_files) if file.is_file()
    )


ALL = [(f"COCO_{i}.png", tuple(captions(i))) for i in range(IMAGES)]
