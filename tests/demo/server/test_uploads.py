from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.galleries.reading.photos import MAX_BYTES
from demo.server.files import uploads
from demo.server.files.uploads import NOT_SENT, NOT_THERE, Upload, takes_uploads, validate_file, validate_files
from tests.helpers.web.canaries import forms, metas


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "uploads").mkdir()
    return tmp_path / "uploads"


@pytest.mark.parametrize("is_there", [True, False])
def test_nothing_outside_is_let_through_and_nobody_learns_what_is_there(folder: Path, is_there: bool) -> None:
    canary = folder.parent / "canary.png"
    if is_there:
        canary.write_bytes(b"secret")
    (folder / "link.png").symlink_to(canary)
    for value in forms(canary, folder):
        with pytest.raises(ValueError) as caught:
            validate_file(folder, value)
        needed = NOT_SENT if isinstance(value, str) else NOT_THERE
        assert str(caught.value) == needed
        with pytest.raises(ValueError) as caught:
            validate_files(folder, [value] if value is not None else [3])
        assert str(caught.value) == needed
    assert canary.exists() == is_there


def test_an_upload_is_let_through_with_any_meta_and_nothing_else_of_it(folder: Path) -> None:
    file = folder / "deep" / "photo.png"
    for more in metas():
        checked = validate_file(folder, {"path": str(file), "url": "http://127.0.0.1/x", "orig_name": "/etc/x", **more})
        assert checked == {"path": str(file), "meta": {"_type": "gradio.FileData"}}
    assert validate_file(folder, None) is None
    assert validate_files(folder, None) is None
    assert validate_files(folder, []) is None


def test_components_hand_over_what_was_uploaded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    single, several = (
        takes_uploads(gr.Image(type="filepath")),
        takes_uploads(gr.File(file_count="multiple"), several=True),
    )
    (folder / "photo.png").write_bytes(b"pixels")
    given = {"path": str(folder / "photo.png")}
    payload = single.data_model.model_validate(single.check_uploads(given))
    assert single.preprocess(payload) == single.preprocess(payload) == Upload("photo.png", b"pixels")  # it stays there
    payload = several.data_model.model_validate(several.check_uploads([given, given]))
    assert several.preprocess(payload) == [Upload("photo.png", b"pixels")] * 2
    assert single.preprocess(None) is several.preprocess(None) is None
    with pytest.raises(ValueError, match="This is no upload, or one that is gone"):
        uploads.read_uploads([folder / ("x" * 5000)], folder)
    (folder / "photo.png").unlink()
    with pytest.raises(ValueError, match="This is no upload, or one that is gone"):
        several.preprocess(payload)


def test_uploads_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="There are 101 photos"):
        validate_files(folder, [{"path": str(folder / "x")}] * 101)
    monkeypatch.setattr(uploads, "MAX_TOGETHER", 2**20)
    files: list[Path] = []
    for number in range(2):
        files.append(folder / f"{number}.png")
        files[-1].write_bytes(b"x" * 600 * 2**10)
    with pytest.raises(ValueError, match="These photos have more than 1 MB together"):
        uploads.read_uploads(files, folder)
    with (folder / "large.png").open("wb") as file:
        file.truncate(MAX_BYTES + 1000)
    monkeypatch.setattr(uploads, "MAX_TOGETHER", 2**30)
    large: list[Any] = uploads.read_uploads([folder / "large.png"], folder)
    assert len(large[0].content) == MAX_BYTES + 1
