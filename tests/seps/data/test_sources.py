import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from seps.data import DataError, read_entities, read_split
from seps.data.convert import convert
from seps.data.inspect import find_other_splits
from seps.data.layout import sole_split
from tests.helpers.data.drawn_data import draw, write_lines
from tests.seps.data.caption_files import ALL, IMAGES, WHOLE, captions, cells, coco, content, karpathy


@pytest.mark.parametrize("kind", WHOLE)
def test_each_kind_is_known_by_itself_and_read_where_a_folder_may_stand(folder: Path, kind: str) -> None:
    write, name = WHOLE[kind]
    file = write(folder)
    assert sole_split(file) == name
    split = read_split(file, name)
    assert content(split) == ALL
    assert split.dense is None


@pytest.mark.parametrize("write", [karpathy, cells])
def test_splits_are_kept_and_restval_goes_to_train(folder: Path, write: Callable[[Path], Path]) -> None:
    file = write(folder)
    sizes, notes = convert([file], folder / "new")
    assert sizes == {"train": 2, "dev": 1, "test": 1}
    assert notes == [
        f"{file.name} calls {old} what is {new} here." for old, new in (("restval", "train"), ("val", "dev"))
    ]
    assert content(read_split(file, "train")) == ALL[:2]
    assert content(read_split(file, "val")) == ALL[2:3]
    assert [split.name for split in find_other_splits(read_split(file, "val"), None)] == ["test", "train"]
    with pytest.raises(DataError, match=f"{file.name} has no split mllm"):
        read_split(file, "mllm")


def test_of_more_captions_the_first_are_taken_and_all_of_a_number_of_their_own(folder: Path) -> None:
    for count, k in ((7, None), (7, 5)):
        split = read_split(coco(folder, count=count), "dev", captions_per_image=k)
        assert split.captions_per_image == (k or count)
        assert content(split) == [(name, tuple(captions(i, k or count))) for i, (name, _) in enumerate(ALL)]
    file = coco(folder, count=5)
    entries = json.loads(file.read_text())
    entries["annotations"].append({"image_id": 391, "id": 99, "caption": "a sixth"})
    file.write_text(json.dumps(entries))
    split, note = read_split(file, "dev"), "with more than 5 captions: the first 5 of each are taken."
    assert content(split) == ALL
    assert split.notes[-1] == f"1 image of captions_val2014.json {note}"


TABLES = {  # heading and rows of file and caption, with columns in other orders and other marks between them
    "semicolons, the caption first": ("Caption ;Image Name\r\n", '"{text}; or so";{name}\r\n'),
    "an index in front": (",img,caption\n", "{i},{name},{text}; or so\n"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_may_have_any_order_and_marks(folder: Path, kind: str) -> None:
    odd = ", caf\u00e9" if "index" not in kind else " caf\u00e9"  # a comma in each caption
    file, (heading, row) = folder / "pairs.csv", TABLES[kind]
    rows = [row.format(name=f"COCO_{i}.png", i=i, text=text + odd) for i in range(IMAGES) for text in captions(i)]
    file.write_text("\ufeff" + heading + "".join(rows), encoding="utf-8")
    assert content(read_split(file, "all")) == [(n, tuple(f"{t}{odd}; or so" for t in texts)) for n, texts in ALL]


def test_uneven_numbers_of_captions_are_told_with_what_to_do(folder: Path) -> None:
    rows = [f"COCO_{i}.png,{text}" for i in range(IMAGES) for text in captions(i, 1 + i % 3)]
    write_lines(folder / "pairs.csv", ["image,caption", *rows])
    with pytest.raises(DataError, match="Images with fewer captions than 3"):
        read_split(folder / "pairs.csv", "all")
    split = read_split(folder / "pairs.csv", "all", captions_per_image=1)
    assert split.notes == ("2 images of pairs.csv with more than 1 caption: the first of each are taken.",)
    assert content(split) == [(name, texts[:1]) for name, texts in ALL]
    with pytest.raises(ValueError, match="--captions-per-image is 0"):
        convert([folder / "pairs.csv"], folder / "new", captions_per_image=0)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("captions.json", b'{"images": {}}', "captions.json: it is none of the caption files that are"),
        (
            "split.json",
            b'{"images": [{"filename": "a.png", "sentences": [{"raw": "a"}], "split": "../x"}]}',
            "Splits with an invalid file name (1)",
        ),
        ("captions.csv", b"image;caption\na.png;\n", "captions.csv, line 2: '' of 'a.png'"),
        ("captions.json.gz", b"\x1f\x8b\x08", "captions.json.gz: it is packed with gzip"),
        ("captions.csv", "image,caption\n".encode("utf-16"), "captions.csv: it is UTF-16: save it as UTF-8"),
        (
            "instances_val2017.json",
            b'{"images": [{"id": 1, "file_name": "a"}], "annotations": [{"bbox": [1]}]}',
            "instances_val2017.json: its annotations are no captions",
        ),
        (
            "image_info_test2017.json",
            b'{"images": [{"id": 1, "file_name": "a.jpg"}]}',
            "image_info_test2017.json: none of its images has captions",
        ),
        ("pairs.csv", b"number,caption\n1,a dog\n", "pairs.csv: none of its headings, number, caption, is of file"),
        (
            "pairs.csv",
            b"caption,image\na dog, a cat,a.jpg\na dog,b.jpg\n",
            "pairs.csv: rows have more cells than its 2 headings",
        ),
        ("pairs.csv", b'caption,image\n"a dog,a.jpg\na cat,b.jpg\n', "pairs.csv: it is no CSV"),
        (
            "dataset_mine.json",
            b'{"images": [{"filename": "a.png", "sentences": [{"raw": "a"}]}, {"filename": "b.png", "sentences": '
            b'["b", ""]}, {"sentences": ["c"]}]}',
            "put them there, or take their captions out (1)",
        ),
    ],
)
def test_what_is_no_caption_file_is_called_what_it_is(tmp_path: Path, name: str, text: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises(DataError, match=re.escape(message)):
        read_split(tmp_path / name, "all")


@pytest.mark.parametrize("there", ["000000000391.jpg", "COCO_val2014_000000000391.jpg"])
def test_cocos_photographs_go_by_the_names_of_both_years(tmp_path: Path, there: str) -> None:
    draw(tmp_path / there, 0)
    for name in ("000000000391.jpg", "COCO_val2014_000000000391.jpg"):
        entries = [{"filepath": "val2014", "filename": name, "sentences": [{"raw": "a"}]}]
        (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": entries}))
        assert read_split(tmp_path / "dataset_coco.json", "all").image_files == (tmp_path / there,)


def test_a_caption_file_has_no_phrases_and_a_folder_of_caption_files_names_them(folder: Path) -> None:
    file = karpathy(folder)
    with pytest.raises(DataError, match=r"dataset_coco\.json contains captions but no phrases with"):
        read_entities(file, "train")
    with pytest.raises(DataError, match=re.escape(f"python -m seps.data.convert {file} --to DIR")):
        read_split(folder, "train")
