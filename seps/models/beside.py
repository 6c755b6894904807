"""What lies beside a model's weights: its card, its recipes, and what was measured of it."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

CARD = "README.md"
RESULTS = "results*.json"
BESIDE = (CARD, "recipe*.json", RESULTS, "found-words.json", "known-captions.*")  # patterns of files
NOT_FILLED = "[More Information Needed]"  # in the card that the hub's library writes beside every saved model
BEST = "best"  # where a run of seps.train leaves its model; the results may lie beside that folder


def model_name(folder: Path) -> str:
    """Return what the model of a folder is called: as the folder, or for RUN/best as the run."""
    place = folder.resolve() if folder.is_dir() else folder
    return place.parent.name if place.name == BEST else place.name


def results_files(folder: Path) -> list[Path]:
    """List the files of measured results beside a model, and for RUN/best beside the run."""
    places = [folder, folder.resolve().parent] if folder.resolve().name == BEST else [folder]
    return [file for place in places for file in sorted(place.glob(RESULTS))]


def files_beside(folder: Path) -> dict[str, Path]:
    """Find the files beside a model's weights, by name; where the run has results of the same name, the model's."""
    here = [file for pattern in BESIDE for file in folder.glob(pattern)]
    return {file.name: file for file in [*results_files(folder), *here]}


def copy_beside(folder: Path, target: Path) -> None:
    """Copy the files beside a model's weights, but for its card."""
    for name, file in files_beside(folder).items():
        if name != CARD:
            copyfile(file, target / name)


def written_card(folder: Path | None) -> str:
    """Read a model's card; empty where nobody wrote one, or the hub's form stands there, not filled."""
    file = None if folder is None else folder / CARD
    text = "" if file is None or not file.is_file() else file.read_text(encoding="utf-8", errors="replace")
    return "" if NOT_FILLED in text else text
