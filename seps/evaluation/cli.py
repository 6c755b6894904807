"""What the programs that measure a model share: their arguments, their device, results in one JSON file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from seps.checks import check_whole, read_json_file, usable_device
from seps.cli import check_folder, whole_number
from seps.data import Split, read_split
from seps.data.layout import sole_split
from seps.files import write_json
from seps.models.hub import load_model
from seps.models.model import SEPSModel


def add_arguments(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """Add the arguments of every program that measures a model on a split.

    Args:
        required: refuse a call without model, data and split.
    """
    parser.add_argument(
        "--model", required=required, help="a shipped model's name, a folder, or a hub repo (owner/name)"
    )
    parser.add_argument(
        "--data", required=required, type=Path, help="folder with captions and images, see seps.data, or a caption file"
    )
    parser.add_argument("--split", help="which split of it: dev, test, ...; not needed where it has one by itself")
    parser.add_argument("--images", type=Path, metavar="FOLDER", help="folder of the image files; default: DATA/images")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the result to this file, other results stay")
    parser.add_argument("--first", type=whole_number, metavar="N", help="the first N images of the split alone")
    parser.add_argument("--device", help="where to compute; default: CUDA where there is one, else the CPU")


def prepare(options: argparse.Namespace) -> tuple[SEPSModel, Split]:
    """Return the model on its device, and the split, after all arguments were checked.

    Raises:
        ValueError: a folder, a model or a device that is not there, data that do not fit, a results file that is none.
    """
    check_folder(options.data, "one with captions and images, or a caption file", or_file=True)
    if options.json is not None:
        read_results(options.json)
    name = options.split or sole_split(options.data)
    if name is None:
        raise ValueError(
            "--split is needed: dev, test, ...; only a folder with a manifest.json, and a caption file of one split, "
            "have one by themselves."
        )
    options.split = name  # programs that read more of the split know it by this
    split = first_images(read_split(options.data, name, images=options.images), options.first)
    for note in split.notes:
        print(note, file=sys.stderr)
    return load_model(options.model).to(choose_device(options.device)), split


def first_images(split: Split, count: int | None) -> Split:
    """Return the split's first `count` images with their captions; all of them where count is None or larger.

    Raises:
        ValueError: count is below 1.
    """
    if count is None:
        return split
    check_whole("--first", count)
    captions, dense = count * split.captions_per_image, split.dense
    if dense is not None:
        dense = dense[: count if len(dense) == len(split.image_ids) else captions]
    return replace(
        split,
        image_ids=split.image_ids[:count],
        image_files=split.image_files[:count],
        captions=split.captions[:captions],
        dense=dense,
    )


def choose_device(name: str | None) -> torch.device:
    """Return the device of this name, or by default CUDA where there is one, else the CPU.

    Raises:
        ValueError: no such device here.
    """
    return usable_device(name)


def read_results(path: Path) -> dict[str, Any]:
    """Return the results in a JSON file, by key; none where there is no file yet.

    Raises:
        ValueError: its folder does not exist, or it cannot be read, or holds something else than a JSON object.
    """
    if not path.parent.is_dir():
        raise ValueError(f"{path.parent} is no folder, so that {path.name} cannot be written there: make it first.")
    if not path.exists():
        return {}
    results = read_json_file(path)
    if not isinstance(results, dict):
        raise ValueError(f"{path} holds a JSON {type(results).__name__}, not results: choose another file for them.")
    return results


def write_result(path: Path, key: str, result: Mapping[str, Any]) -> None:
    """Put a result into a JSON file under its key; what stands under other keys stays."""
    results = read_results(path) | {key: result}
    write_json(path, results)
