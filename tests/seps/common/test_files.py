from pathlib import Path

import pytest

from seps.common.files import write_atomically


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def write(place: Path, content: str, is_folder: bool) -> Path:
    """Write a file, or a folder with one file."""
    if is_folder:
        place.mkdir()
    file = place / "file" if is_folder else place
    file.write_text(content)
    return file


@pytest.mark.parametrize("is_folder", [False, True])
def test_what_is_written_replaces_what_was_there_only_if_it_is_whole(tmp_path: Path, is_folder: bool) -> None:
    place = tmp_path / "below" / "place"
    for content in ("first", "second"):
        with write_atomically(place) as part:
            assert part.parent == place.parent
            file = write(part, content, is_folder)
            assert content == "first" or (place / "file" if is_folder else place).read_text() == "first"
            assert file.read_text() == content
    with pytest.raises(KeyboardInterrupt), write_atomically(place) as part:
        write(part, "half of it", is_folder)
        raise KeyboardInterrupt
    assert (place / "file" if is_folder else place).read_text() == "second"
    assert names(tmp_path) == ["below", *["file"] * is_folder, "place"]


def test_what_a_killed_process_left_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "file.partial").mkdir()
    with write_atomically(tmp_path / "file") as part:
        part.write_text("whole")
    assert (tmp_path / "file").read_text() == "whole"
    assert names(tmp_path) == ["file"]
