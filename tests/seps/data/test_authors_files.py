"""The authors' own text files, where they lie next to the repo, with empty files for the images."""

import json
from pathlib import Path

import pytest

from seps.data import dense_captions, read_split

AUTHORS = Path(__file__).parents[4] / "shared" / "data" / "authors_files"
pytestmark = pytest.mark.skipif(not AUTHORS.is_dir(), reason="shared/data/authors_files is missing")


def test_flickr30k_is_read_where_it_lies(tmp_path: Path) -> None:
    mapping = json.loads((AUTHORS / "f30k" / "id_mapping.json").read_text())
    ids = dict.fromkeys((AUTHORS / "f30k" / "test_ids.txt").read_text().split())
    names = [mapping[image_id] for image_id in ids]
    images = tmp_path / "flickr30k-images"
    images.mkdir()
    for name in names:
        (images / name).touch()
    read = read_split(AUTHORS / "f30k", "test", images=tmp_path)
    assert (len(read.image_ids), len(read.captions)) == (1000, 5000)
    assert read.image_files == tuple(images / name for name in names)
    assert read.captions[0] == "The man with pierced ears is wearing glasses and an orange hat ."
    assert read.dense is not None and read.dense[0].startswith("The image features a man wearing a beer hat")
    dense = dense_captions(read, "own")
    assert dense is not None and dense[:10] == [read.dense[0]] * 5 + [read.dense[1]] * 5  # once for each caption
