"""The gallery of scenes in the repo matches the generator's output."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.galleries.scenes import COUNT, FACTS_FILE, PICTURES, SEED, SPLIT, scenes_gallery, write
from seps.scenes import dense_caption, draw, make_scene, sparse_captions


def test_there_are_two_hundred_in_four_megabytes() -> None:
    gallery = scenes_gallery()
    files = sorted(PICTURES.iterdir())
    assert len(gallery) == len(files) == COUNT == 200
    assert sum(file.stat().st_size for file in (*files, FACTS_FILE)) <= 4 * 10**6
    assert [item.source for item in gallery.items] == files
    assert len({item.key for item in gallery.items}) == COUNT


@pytest.mark.parametrize("index", [0, 63, 199])
def test_files_are_drawn_by_the_generator_pixel_by_pixel(index: int) -> None:
    item = scenes_gallery().items[index]
    np.testing.assert_array_equal(np.asarray(item.photo()), draw(make_scene(SEED, SPLIT, index)).pixels)


def test_facts_are_the_generator_s() -> None:
    for index, item in enumerate(scenes_gallery().items):
        scene = make_scene(SEED, SPLIT, index)
        captions = sparse_captions(scene)
        assert item.known is not None
        assert item.known.scene == scene
        assert item.known.mentions == tuple((caption.text, caption.mentions) for caption in captions)
        assert item.captions == tuple(caption.text for caption in captions)
        assert item.dense == dense_caption(scene).text


def test_the_program_writes_the_same_files_again(tmp_path: Path) -> None:
    write(tmp_path / "scenes.jsonl", tmp_path / "scenes", count=3)
    lines = FACTS_FILE.read_text(encoding="utf-8").splitlines()
    assert (tmp_path / "scenes.jsonl").read_text(encoding="utf-8").splitlines() == lines[:3]
    for name in ("000.png", "001.png", "002.png"):
        with Image.open(tmp_path / "scenes" / name) as again, Image.open(PICTURES / name) as kept:
            np.testing.assert_array_equal(np.asarray(again), np.asarray(kept))
