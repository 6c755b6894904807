"""Arguments, device and results file that all measures share."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from seps.common.checks import check_whole, read_json_file, usable_device
from seps.common.cli import check_folder, whole_number
from seps.common.files import write_json
from seps.data import Split, read_split
from seps.data.layout import sole_split
from seps.models.hub import load_model
from seps.models.model import SEPSModel


@dataclass(frozen=True)
class Result:
    """One result of a measure: the printed table, plain values for JSON, and their key in the results file."""

    text: str
    values: Mapping[str, Any]
    key: str


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the model and its device."""
    parser.add_argument("--model", required=True, help="a shipped model's name, a folder, or a hub repo (owner/name)")
    parser.add_argument("--device", help="where to compute; default: CUDA if available, else the CPU")


def add_model_and_split(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a model that is measured on a split."""
    add_model(parser)
    parser.add_argument("--data", required=True, type=Path, help="folder with captions and images, or a caption file")
    parser.add_argument("--split", help="dev, test, ...; optional where the data have one split only")
    parser.add_argument("--images", type=Path, metavar="FOLDER", help="folder of the image files; default: DATA/images")
    parser.add_argument("--first", type=whole_number, metavar="N", help="only the first N images of the split")


def prepare(options: argparse.Namespace) -> tuple[SEPSModel, Split]:
    """Return the model on its device, and the split; ValueError if one of them is missing or does not fit."""
    check_folder(options.data, "one with captions and images, or a caption file", or_file=True)
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
    return prepare_model(options), split


def prepare_model(options: argparse.Namespace) -> SEPSModel:
    """Return the model on its device."""
    return load_model(options.model).to(usable_device(options.device))


def first_images(split: Split, count: int | None) -> Split:
    """Return the split's first `count` images (None: all) with their captions; ValueError for a count below 1."""
    if count is None:
        return split
    captions = check_whole("--first", count) * split.captions_per_image
    dense_count = count if len(split.dense or ()) == len(split.image_ids) else captions
    return replace(
        split,
        image_ids=split.image_ids[:count],
        image_files=split.image_files[:count],
        captions=split.captions[:captions],
        dense=split.dense and split.dense[:dense_count],
    )


def read_results(path: Path) -> dict[str, Any]:
    """Return the results in a JSON file, {} if it does not exist yet; ValueError if it cannot be read or written."""
    if not path.parent.is_dir():
        raise ValueError(f"{path.parent} is no folder, so that {path.name} cannot be written there: make it first.")
    if not path.exists():
        return {}
    results = read_json_file(path)
    if not isinstance(results, dict):
        raise ValueError(f"{path} holds a JSON {type(results).__name__}, not results: choose another file for them.")
    return results


def write_result(path: Path, key: str, result: Mapping[str, Any]) -> None:
    """Put a result into a JSON file under its key, keeping other keys."""
    write_json(path, read_results(path) | {key: result})
