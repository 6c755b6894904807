"""The files next to a model's weights: card, recipes and measured results."""

from pathlib import Path
from shutil import copyfile

CARD = "README.md"
RESULTS = "results*.json"
BESIDE = (CARD, "recipe*.json", RESULTS)  # patterns of files
NOT_FILLED = "[More Information Needed]"  # in the default card of the hub's library
BEST = "best"  # the model's folder in a run of seps.train; results may be in the parent folder


def model_name(folder: Path) -> str:
    """Return a model's name: its folder's, or for RUN/best the run's."""
    place = folder.resolve() if folder.is_dir() else folder
    return place.parent.name if place.name == BEST else place.name


def results_files(folder: Path) -> list[Path]:
    """List the results files in a model's folder, and for RUN/best in the run's folder."""
    places = [folder, folder.resolve().parent] if folder.resolve().name == BEST else [folder]
    return [file for place in places for file in sorted(place.glob(RESULTS))]


def copy_beside(folder: Path, target: Path) -> None:
    """Copy the files next to a model's weights, except its card; the model's files replace the run's."""
    for file in [*results_files(folder), *(file for pattern in BESIDE for file in folder.glob(pattern))]:
        if file.name != CARD:
            copyfile(file, target / file.name)


def written_card(folder: Path | None) -> str:
    """Read a model's card; return "" if there is none or it is the hub's unfilled form."""
    file = None if folder is None else folder / CARD
    text = "" if file is None or not file.is_file() else file.read_text(encoding="utf-8", errors="replace")
    return "" if NOT_FILLED in text else text
