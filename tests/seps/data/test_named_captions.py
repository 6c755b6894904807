from __future__ import annotations

import json
from pathlib import Path

import pytest

from seps.data import DataError, read_split
from seps.data.named_captions import named_captions
from tests.helpers.drawn_data import caption_of, write_lines, write_split

FORMS = {
    "token file": "{name}#{k}\t{text}",
    "token file with spaces": "{name}#{k} {text}",
    "table": '{name},"{text}"',
    "table without quotation marks": "{name},{text}",
    "numbered table": "{name},{k},{text}",
    "semicolons": "{name};{text}",
    "tabs": "{name}\t{text}",
    "bars": "{name}| {k}| {text}",
}
HEADS = {"": [], "headings": ["image,caption"], "headings with bars": ["image_name| comment_number| comment"]}


def write_named(folder: Path, form: str, head: list[str] | None = None) -> Path:
    """A split with captions that begin with file names."""
    write_split(folder, images=2)
    rows = [form.format(name=f"{10 + i}.png", k=k, text=caption_of(i, k)) for i in range(2) for k in range(5)]
    write_lines(folder / "dev_caps.txt", [*(head or []), *rows])
    return folder


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("alone", [False, True])
def test_file_names_are_left_out_of_captions(tmp_path: Path, form: str, head: str, alone: bool) -> None:
    plain = read_split(write_split(tmp_path, images=2), "dev")
    folder = write_named(tmp_path, FORMS[form], HEADS[head])
    if alone:
        (folder / "dev_ids.txt").unlink()
        (folder / "id_mapping.json").unlink()
    split = read_split(folder, "dev")
    assert split.captions == plain.captions
    assert split.image_files == plain.image_files
    assert split.image_ids == (("10.png", "11.png") if alone else plain.image_ids)
    (note,) = split.notes
    assert note.startswith("The captions of dev_caps.txt begin with file names (NAME")
    assert plain.notes == ()


def test_a_comma_and_a_number_of_the_caption_stay_in_it() -> None:
    read = named_captions(["a.jpg,2 dogs, a cat", 'b.JPEG,"a ""stop"" sign, red"', "c.jpg,one"])
    assert read is not None
    assert read.captions == ("2 dogs, a cat", 'a "stop" sign, red', "one")
    broken = named_captions(["a.jpg| 0| a dog .", "a.jpg| 4   A dog runs ."])  # as a line of Flickr30K's table is
    assert broken is not None and broken.captions == ("a dog .", "A dog runs .")


def test_captions_that_speak_of_files_are_captions() -> None:
    assert named_captions(["a man opens photo.jpg, smiling", "two dogs", "a screen with cat.png# on it"]) is None
    assert named_captions([]) is None


def test_names_that_contradict_the_ids_are_listed(tmp_path: Path) -> None:
    folder = write_named(tmp_path, FORMS["table"], ["image,caption"])
    write_lines(folder / "dev_ids.txt", [11] * 5 + [10] * 5)
    with pytest.raises(DataError) as caught:
        read_split(folder, "dev")
    assert "Captions of another file than their id has in id_mapping.json (10):" in str(caught.value)
    assert "  line 2 of dev_caps.txt: 10.png, but id 11 is 11.png\n" in str(caught.value)


def test_a_line_without_a_name_is_told_by_its_number(tmp_path: Path) -> None:
    folder = write_named(tmp_path, FORMS["token file"])
    lines = (folder / "dev_caps.txt").read_text().splitlines()
    lines[3], lines[5] = "a dog", "11.png#0\t"
    write_lines(folder / "dev_caps.txt", lines)
    with pytest.raises(DataError) as caught:
        read_split(folder, "dev")
    assert "which the others have (1):\n  line 4 of dev_caps.txt\n" in str(caught.value)
    assert "Lines without text: write some, or take the line out (1):\n  line 6 of" in str(caught.value)


def test_a_downloaded_file_in_the_folder_is_named(tmp_path: Path) -> None:
    folder = write_named(tmp_path, FORMS["token file"])
    (folder / "dev_caps.txt").rename(folder / "results.token")
    (folder / "notes.txt").write_text("a text\n")
    with pytest.raises(DataError) as caught:
        read_split(folder, "dev")
    assert "put those of the split into dev_caps.txt" in str(caught.value)
    assert str(caught.value).endswith(" (1):\n  results.token (NAME#0 caption)")


def test_captions_that_say_nothing_are_told(tmp_path: Path) -> None:
    folder = write_split(tmp_path, images=2)
    write_lines(folder / "dev_caps.txt", ["nan"] * 4 + ["a dog"] * 6)
    assert read_split(folder, "dev").notes == (
        "4 of 10 captions of dev_caps.txt are 'nan' or the like, as a table writes an empty cell: write captions, or "
        "take these lines out.",
    )
    write_lines(folder / "dev_caps.txt", ["A dog ."] * 10)
    assert read_split(folder, "dev").notes == (
        "All 10 captions of dev_caps.txt are 'A dog .': none identifies an image.",
    )


@pytest.mark.parametrize("encoding", ["cp1252", "mac-roman", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "shift-jis"])
def test_another_encoding_is_told_with_the_line(tmp_path: Path, encoding: str) -> None:
    folder = write_split(tmp_path, images=1, k=2)
    words = "\u5bff\u53f8" if encoding == "shift-jis" else "caf\u00e9 \u2013 night"
    (folder / "dev_caps.txt").write_bytes(f"a dog\na cat and {words}\n".encode(encoding))
    with pytest.raises(DataError) as caught:
        read_split(folder, "dev", 2)
    line = str(caught.value).splitlines()[2]
    assert line.startswith("  dev_caps.txt: ") and line.endswith(": save it as UTF-8")
    assert ("line 2 is not UTF-8" if encoding not in ("utf-16", "utf-32") else f"it is {encoding.upper()}") in line


@pytest.mark.parametrize("name", ["images/10.png", "./10.png", "10.PNG", "images\\10.png"])
def test_files_are_found_by_the_names_that_people_write(tmp_path: Path, name: str) -> None:
    folder = write_split(tmp_path, images=1, k=1)
    (folder / "id_mapping.json").write_text(json.dumps({"10": name}))
    assert read_split(folder, "dev", 1).image_files == (folder / "images" / "10.png",)
