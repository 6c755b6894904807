from pathlib import Path

import pytest

from seps.common.files import write_atomically


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_a_file_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "below" / "file"
    for content in ("first", "second"):
        with write_atomically(file) as part:
            assert part.parent == file.parent
            part.write_text(content)
            assert not file.exists() or file.read_text() == "first"
    assert file.read_text() == "second"
    assert names(tmp_path) == ["below", "file"]


def test_a_folder_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for name in ("first", "second"):
        with write_atomically(folder) as part:
            part.mkdir()
            (part / name).touch()
    assert names(tmp_path) == ["folder", "second"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("before")
    folder.mkdir()
    with pytest.raises(error), write_atomically(file) as part:
        part.write_text("half of it")
        raise error
    with pytest.raises(error), write_atomically(folder) as part:
        part.mkdir()
        (part / "half").touch()
        raise error
    assert file.read_text() == "before"
    assert names(tmp_path) == ["file", "folder"]


def test_what_a_killed_process_left_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "file.partial").mkdir()
    with write_atomically(tmp_path / "file") as part:
        part.write_text("whole")
    assert (tmp_path / "file").read_text() == "whole"
    assert names(tmp_path) == ["file"]
