"""A model's folder as the model hub takes it: its files, and a card whose block says what it is and what was measured.

What is measured stands in the block twice, as tables of the card below it do: made from the same results files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

from huggingface_hub import EvalResult, ModelCard, ModelCardData, constants

from seps.checks import read_json_file
from seps.files import check_weights_file, written_whole
from seps.models.shipped import CONFIG_NAME, model_folder, shipped_roots

CARD = constants.REPOCARD_NAME
NEEDED = ("language", "license", "library_name", "tags", "metrics")  # what a card's block has to say
NOT_FILLED = "[More Information Needed]"  # in the card that the hub's library writes beside every saved model
TASK = "image-text-retrieval"
DIRECTIONS = {"image_to_text": "image to text", "text_to_image": "text to image"}
LINK = re.compile(r"\[([^\]]*)\]\(((?!https?:|#)[^)]*)\)")


def write_for_hub(name: str, folder: Path, configs: tuple[str, ...] = (CONFIG_NAME,)) -> list[Path]:
    """Write the folder of a model as it is uploaded to the model hub.

    Args:
        name: of a model that ships, by its folder in assets/models, or another folder with a model and its card.
        folder: where to; it may be there if it is empty.
        configs: files by which a model's folder is known.

    Returns:
        Its files, in order.

    Raises:
        ValueError: no such model, weights that Git LFS has not fetched, a card that lacks what the hub is to know, or a
            folder that holds something.
    """
    source = source_folder(name, configs)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise ValueError(f"{folder} is there and not empty: name another folder.")
    for weights in source.rglob("*.safetensors"):
        check_weights_file(weights)
    card = hub_card(source)
    with written_whole(folder) as place:
        copytree(source, place, ignore=ignore_patterns(".*", "__pycache__"))
        (place / CARD).write_text(card, encoding="utf-8")
    return sorted(file for file in folder.rglob("*") if file.is_file())


def source_folder(name: str, configs: tuple[str, ...]) -> Path:
    """Find the folder of a model; ValueError where there is none."""
    folders = [root / name for root in shipped_roots()] + [Path(name)]
    for folder in folders:
        if any((folder / config).is_file() for config in configs):
            return folder
    model_folder(name)  # which says what is wrong with the name
    raise ValueError(f"There is no folder {name} with a model: give one that ships or lies on this machine.")


def hub_card(folder: Path) -> str:
    """Return the card of a model for the hub: its own, with measured results in the block, without links that lead out
    of the folder.

    Raises:
        ValueError: no card, the hub's form as it was written beside the weights, or a block that lacks something.
    """
    file = folder / CARD
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    if not text or NOT_FILLED in text:
        raise ValueError(f"{folder} has no {CARD} that says what the model is: write one, as those in assets/models.")
    card = ModelCard(text, ignore_metadata_errors=True)
    data = card.data
    assert isinstance(data, ModelCardData)  # as a ModelCard makes of every block
    missing = [key for key in NEEDED if not data.get(key)]
    if missing:
        raise ValueError(f"{file} says nothing of {', '.join(missing)} in the block at its top: add it.")
    results = list(eval_results(folder, data.get("datasets") or ["drawn scenes"]))
    if results:
        data.model_name, data.eval_results = folder.name, results
    card.text = LINK.sub(lambda link: link[0] if is_inside(link[2], folder) else link[1], card.text)
    return str(card)


def is_inside(path: str, folder: Path) -> bool:
    """Whether a link's path leads to a file of the folder."""
    return (folder / path).exists() and folder.resolve() in (folder / path).resolve().parents


def eval_results(folder: Path, datasets: list[str]) -> Iterator[EvalResult]:
    """Yield the recalls of captions alone that were measured, in per cent, as results-SPLIT.json beside the model has
    them."""
    for file in sorted(folder.glob("results-*.json")):
        values: Any = read_json_file(file)
        measured = values.get("captions_only") if isinstance(values, dict) else None
        if measured is None:
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
