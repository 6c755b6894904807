"""Pictures with captions, as a split of the authors' layout."""

import shutil
from pathlib import Path

from seps import shipped_file
from tests.helpers.data.drawn_data import write_captions

CAPTIONS = {
    "photos/china.jpg": ("a tower stands by a lake", "a Chinese tower near water", "a temple with a red roof"),
    "photos/flower.jpg": ("an orange flower with leaves", "a flower in a garden", "an orange flower grows"),
    "scenes/000.png": ("a drawing of a park", "things stand in a park", "a picture of a green park"),
}


def write_photo_split(folder: Path, split: str) -> Path:
    """Write three pictures that ship, three captions each, as a split; returns the folder."""
    (folder / "images").mkdir(parents=True)
    for name in CAPTIONS:
        shutil.copy(shipped_file(f"galleries/{name}"), folder / "images")
    images = {f"{number}": (Path(name).name, texts) for number, (name, texts) in enumerate(CAPTIONS.items())}
    write_captions(folder, split, images)
    return folder
