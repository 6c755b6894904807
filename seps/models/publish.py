"""A model's folder for the model hub: its files, and a card with metadata and measured results."""

import re
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any, TypeGuard

from huggingface_hub import EvalResult, ModelCard, ModelCardData

from seps.common.checks import is_number, read_json_file
from seps.common.files import check_weights_file, write_atomically
from seps.models.beside import CARD, copy_beside, model_name, results_files, written_card
from seps.models.shipped import CONFIG_NAME, model_folder, shipped_roots

LIBRARY = "seps"
NEEDED = ("language", "license", "library_name", "tags", "metrics")  # required keys of a card's metadata
TASK = "image-text-retrieval"
DIRECTIONS = {"image_to_text": "image to text", "text_to_image": "text to image"}
LINK = re.compile(r"\[([^\]]*)\]\(((?!https?:|#)[^)]*)\)")


def write_for_hub(name: str, folder: Path, configs: tuple[str, ...] = (CONFIG_NAME,)) -> list[Path]:
    """Write a model's folder, a shipped model or another one, for the model hub, and return its files in order."""
    folders = [root / name for root in shipped_roots()] + [Path(name)]
    source = next((place for place in folders if any((place / config).is_file() for config in configs)), None)
    if source is None:
        model_folder(name)  # raises an error if the name is wrong
        raise ValueError(f"There is no folder {name} with a model: give a shipped model or a local folder.")
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise ValueError(f"{folder} is there and not empty: name another folder.")
    for weights in source.rglob("*.safetensors"):
        check_weights_file(weights)
    text = written_card(source)
    if not text:
        raise ValueError(f"{source} has no {CARD} that says what the model is: write one, as those in assets/models.")
    _, data = read_card(source, text)
    missing = [key for key in NEEDED if not data.get(key)]
    if missing:
        raise ValueError(f"{source / CARD} says nothing of {', '.join(missing)} in the block at its top: add it.")
    with write_atomically(folder) as place:
        copytree(source, place, ignore=ignore_patterns(".*", "__pycache__"))
        copy_beside(source, place)  # with the results of a run
        (place / CARD).write_text(fill_card(source, text), encoding="utf-8")
    return sorted(file for file in folder.rglob("*") if file.is_file())


def write_beside(source: Path, target: Path, name: str = "") -> None:
    """Copy the files next to a model's weights to another folder of the same model, with a filled card."""
    copy_beside(source, target)
    text = written_card(source)
    if text and not (target / CARD).exists():
        (target / CARD).write_text(fill_card(source, text, name), encoding="utf-8")


def fill_card(folder: Path, text: str, name: str = "") -> str:
    """Fill in a model's card: measured results in the metadata, no links out of the folder."""
    card, data = read_card(folder, text)
    data.library_name = data.library_name or LIBRARY
    results = list(eval_results(folder, data.get("datasets") or ["drawn scenes"]))
    if results:
        data.model_name, data.eval_results = data.model_name or name or model_name(folder), results

    def kept(link: re.Match[str]) -> str:
        is_inside = not normpath(link[2]).startswith("..") and (folder / link[2]).exists()
        return link[0] if is_inside else link[1]

    card.text = LINK.sub(kept, card.text)
    return str(card)


def read_card(folder: Path, text: str) -> tuple[ModelCard, ModelCardData]:
    """Read a card and its metadata; ValueError if it is not YAML."""
    try:
        card = ModelCard(text, ignore_metadata_errors=True)
    except Exception as error:  # from the hub library and its YAML parser
        raise ValueError(f"{folder / CARD} has no block at its top that can be read: correct it.") from error
    data = card.data
    assert isinstance(data, ModelCardData)  # ModelCard always creates one
    return card, data


def eval_results(folder: Path, datasets: list[str]) -> Iterator[EvalResult]:
    """Yield the captions-only recalls in per cent, from the results files next to the model."""
    for file in results_files(folder):
        values: Any = read_json_file(file)
        measured = values.get("captions_only") if isinstance(values, dict) else None
        if not is_whole(measured):
            continue
        split = f"{measured['split']}, {measured['images']:,} images, {measured['captions']:,} captions"
        for direction, title in DIRECTIONS.items():
            for k in (1, 5, 10):
                yield EvalResult(
                    task_type=TASK,
                    dataset_type=datasets[0],
                    dataset_name=f"{datasets[0]} ({split})",
                    dataset_split=measured["split"],
                    metric_type="recall",
                    metric_name=f"R@{k}, {title}",
                    metric_value=round(measured[direction][f"r{k}"], 1),
                )


def is_whole(measurement: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a result of `seps.evaluate` has all values for the tables: counts, and recalls both ways."""
    if not isinstance(measurement, dict) or not isinstance(measurement.get("split"), str):
        return False
    tables = [measurement.get(direction) for direction in DIRECTIONS]
    recalls = [table.get(name) if isinstance(table, dict) else None for table in tables for name in ("r1", "r5", "r10")]
    return all(map(is_number, [measurement.get("images"), measurement.get("captions"), *recalls]))
