"""Pictures with captions, as a split of the authors' layout."""

import json
import shutil
from pathlib import Path

from seps import shipped_file

CAPTIONS = {
    "photos/china.jpg": ("a tower stands by a lake", "a Chinese tower near water", "a temple with a red roof"),
    "photos/flower.jpg": ("an orange flower with leaves", "a flower in a garden", "an orange flower grows"),
    "scenes/000.png": ("a drawing of a park", "things stand in a park", "a picture of a green park"),
}


def write_photo_split(folder: Path, split: str) -> Path:
    """Write three pictures that ship, three captions each, as a split; returns the folder."""
    (folder / "images").mkdir(parents=True)
    files = [shipped_file(f"galleries/{name}") for name in CAPTIONS]
    for file in files:
        shutil.copy(file, folder / "images" / file.name)
    lines = [caption for captions in CAPTIONS.values() for caption in captions]
    ids = [str(number) for number in range(len(files)) for _ in range(3)]
    for name, column in (("caps", lines), ("ids", ids)):
        (folder / f"{split}_{name}.txt").write_text("\n".join(column) + "\n", encoding="utf-8")
    mapping = {str(number): file.name for number, file in enumerate(files)}
    (folder / "id_mapping.json").write_text(json.dumps(mapping), encoding="utf-8")
    return folder
