from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from seps.indexing import ahead, command
from seps.indexing.ahead import encode_ahead
from seps.indexing.command import index_folder
from seps.indexing.files import folder_files
from seps.indexing.sync import SyncReport
from seps.media.photos import PhotoError
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.search.store import GalleryStore

COUNT, BATCH = 11, 2
TIMEOUT = 20.0  # seconds until what should overlap is said not to


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for seed in range(COUNT):
        pixels = np.random.default_rng(seed).integers(0, 256, (20, 30, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{seed:02}.png")
    return folder


@pytest.fixture
def model(saved: Path) -> SEPSModel:
    return load_model(saved)


def table(uri: Path) -> dict[str, Tensor]:
    store = GalleryStore.read(uri)
    return {photo.file.path: photo.embeddings for photo in store.photos(store.rows()).values()}


def test_a_table_is_the_same(model: SEPSModel, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "encode_ahead", partial(encode_ahead, batch=BATCH))
    for name in ("03.png", "10.png"):
        (folder / name).write_bytes((folder / name).read_bytes()[:60])
    reports = [index_folder(model, folder, str(tmp_path / str(flag)), ahead=flag) for flag in (False, True)]
    assert reports[0] == reports[1]
    assert (reports[1].encoded, len(reports[1].skipped)) == (COUNT - 2, 2)
    here, there = table(tmp_path / "False"), table(tmp_path / "True")
    assert list(here) == list(there)
    for path, embeddings in here.items():
        torch.testing.assert_close(there[path], embeddings, atol=1e-5, rtol=0)


def test_only_what_is_new_is_encoded(
    model: SEPSModel, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, uri = Mock(side_effect=model.encode_pixels), str(tmp_path / "table")
    monkeypatch.setattr(model, "encode_pixels", encode)
    assert index_folder(model, folder, uri, ahead=True) == SyncReport(encoded=COUNT)
    (folder / "00.png").rename(folder / "99.png")
    Image.new("RGB", (9, 9), "red").save(folder / "new.png")
    assert index_folder(model, folder, uri, ahead=True) == SyncReport(encoded=1, kept=COUNT - 1, moved=1, removed=1)
    assert index_folder(model, folder, uri, ahead=True) == SyncReport(kept=COUNT + 1)
    assert [len(call.args[0]) for call in encode.call_args_list] == [COUNT, 1]


def test_decoding_encoding_and_writing_overlap(model: SEPSModel, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = folder_files(folder)
    decoded, written = {file.file: Event() for file in files}, Event()
    waited: list[bool] = []
    read, encode_pixels = ahead.open_image, model.encode_pixels

    def open_image(path: Path) -> Image.Image:
        decoded[path].set()
        return read(path)

    def encode_slowly(pixels: Tensor) -> Tensor:
        # The first batch takes until the second one is decoded, the second until the first one is written.
        waits: dict[int, Callable[[float], bool]] = {0: decoded[files[BATCH].file].wait, 1: written.wait}
        if len(waited) in waits:
            waited.append(waits[len(waited)](TIMEOUT))
        return encode_pixels(pixels)

    monkeypatch.setattr(ahead, "open_image", open_image)
    monkeypatch.setattr(model, "encode_pixels", encode_slowly)
    encode = encode_ahead(model, files, (), BATCH)
    for file in files:
        encode(file)
        if file == files[BATCH - 1]:
            written.set()
    assert waited == [True, True]


def test_a_fault_of_the_encoder_is_raised(model: SEPSModel, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "encode_pixels", Mock(side_effect=RuntimeError("out of memory")))
    files = folder_files(folder)
    with pytest.raises(RuntimeError, match="out of memory"):
        encode_ahead(model, files, (), BATCH)(files[0])
    (folder / "00.png").unlink()
    with pytest.raises(PhotoError, match=r"00\.png"):
        encode_ahead(model, files[:1], (), BATCH)(files[0])
