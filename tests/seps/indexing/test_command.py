from pathlib import Path

import pytest
import torch
from PIL import Image

from seps.indexing.command import main
from seps.models.encoder_key import encoder_key
from seps.models.hub import load_model
from seps.search.store import GalleryStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    (folder / "below").mkdir(parents=True)
    for name, colour in (("red.png", "red"), ("below/blue.png", "blue")):
        Image.new("RGB", (9, 9), colour).save(folder / name)
    return folder


def test_the_command_indexes_a_folder(
    saved: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "words.png").write_text("no photograph")
    arguments = [str(folder), "--to", str(tmp_path / "table.lance"), "--model", str(saved)]
    assert main(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out == "2 encoded, 0 kept, 0 moved, 0 removed, 1 left out.\n"
    assert f"Left out: {folder / 'words.png'} cannot be read" in printed.err
    model = load_model(saved)
    store = GalleryStore.read(tmp_path / "table.lance", encoder_key(model))
    files = store.files()
    assert set(files) == {"red.png", "below/blue.png"}
    expected = model.encode_photos([Image.new("RGB", (9, 9), colour) for colour in ("red", "blue")])
    rows = [files[path][0] for path in ("red.png", "below/blue.png")]
    assert torch.equal(store.embeddings(rows), expected)
    assert main(arguments) == 0
    assert capsys.readouterr().out == "0 encoded, 2 kept, 0 moved, 0 removed, 1 left out.\n"


def test_what_cannot_be_indexed_is_told(
    saved: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, expected in (
        ([str(tmp_path / "none"), "--to", "x"], "does not exist"),
        ([str(tmp_path / "empty"), "--to", str(tmp_path / "x"), "--model", str(saved)], "holds no photographs"),
        ([str(folder), "--to", str(folder / "red.png" / "x"), "--model", str(saved)], "cannot be written"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        error = capsys.readouterr().err.splitlines()[-1]
        assert error.startswith("error: ")
        assert expected in error
