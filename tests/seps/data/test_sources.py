"""Caption files as they are downloaded: read where a folder may stand, and brought into the layout."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from seps.cli import join_message_lines
from seps.data import DataError, Split, read_entities, read_split
from seps.data.convert import convert, main
from seps.data.inspect import find_other_splits
from seps.data.layout import sole_split
from tests.helpers.drawn_data import caption_of, draw, write_lines

IMAGES = 4
PARTS = ("train", "restval", "val", "test")


def captions(image: int, count: int = 5) -> list[str]:
    return [caption_of(image, number % 5) for number in range(count)]


def coco(folder: Path, name: str = "captions_val2014.json", count: int = 5) -> Path:
    """COCO's JSON; captions come in another order than images."""
    images = [{"id": 391 + i, "file_name": f"COCO_{i}.png", "height": 30, "width": 40} for i in range(IMAGES)]
    rows = [
        {"image_id": 391 + i, "id": 9 * i + k, "caption": f" {text}\n"}
        for i in reversed(range(IMAGES))
        for k, text in enumerate(captions(i, count))
    ]
    (folder / name).write_text(json.dumps({"info": {}, "images": images, "annotations": rows}))
    return folder / name


def karpathy(folder: Path) -> Path:
    images = [
        {
            "filepath": "val2014",
            "filename": f"COCO_{i}.png",
            "cocoid": 391 + i,
            "split": PARTS[i],
            "sentences": [{"tokens": text.split(), "raw": text} for text in captions(i)],
        }
        for i in range(IMAGES)
    ]
    (folder / "dataset_coco.json").write_text(json.dumps({"images": images, "dataset": "coco"}))
    return folder / "dataset_coco.json"


def blip(folder: Path) -> Path:
    entries = [{"image": f"val2014/COCO_{i}.png", "caption": captions(i)} for i in range(IMAGES)]
    (folder / "list.json").write_text(json.dumps(entries))
    return folder / "list.json"


def tokens(folder: Path) -> Path:
    rows = [f"COCO_{i}.png#{k}\t{text}" for i in range(IMAGES) for k, text in enumerate(captions(i))]
    write_lines(folder / "Flickr8k.token.txt", rows)
    return folder / "Flickr8k.token.txt"


def results(folder: Path) -> Path:
    rows = [f"COCO_{i}.png| {k}| {text}" for i in range(IMAGES) for k, text in enumerate(captions(i))]
    write_lines(folder / "results.csv", ["image_name| comment_number| comment", *rows])
    return folder / "results.csv"


def table(folder: Path, split: bool = False) -> Path:
    with (folder / "pairs.csv").open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["Image", "Caption", *(["split"] if split else [])])
        rows.writerows(
            [f"COCO_{i}.png", text, *(["val"] if split else [])] for i in range(IMAGES) for text in captions(i)
        )
    return folder / "pairs.csv"


def cells(folder: Path) -> Path:
    """A table with all captions of an image in each cell."""
    with (folder / "cells.csv").open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["raw", "split", "filename"])
        rows.writerows([json.dumps(captions(i)), PARTS[i], f"COCO_{i}.png"] for i in range(IMAGES))
    return folder / "cells.csv"


WHOLE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "COCO": (coco, "dev"),
    "list": (blip, "all"),
    "token file": (tokens, "all"),
    "results.csv": (results, "all"),
    "table": (table, "all"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with deeply nested images."""
    (tmp_path / "pictures" / "val2014").mkdir(parents=True)
    for i in range(IMAGES):
        draw(tmp_path / "pictures" / "val2014" / f"COCO_{i}.png", i)
    return tmp_path


def error_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The error lines, after the progress bars."""
    return ("error: " + capsys.readouterr().err.partition("error: ")[2]).splitlines()


def content(split: Split) -> list[tuple[str, tuple[str, ...]]]:
    """The files' names with their captions, sorted: formats give images in different orders."""
    k = split.captions_per_image
    return sorted(
        (file.name, split.captions[i * k : i * k + k]) for i, file in enumerate(split.image_files) if file.is_file()
    )


ALL = [(f"COCO_{i}.png", tuple(captions(i))) for i in range(IMAGES)]


@pytest.mark.parametrize("kind", WHOLE)
def test_each_kind_is_known_by_itself_and_read_where_a_folder_may_stand(folder: Path, kind: str) -> None:
    write, name = WHOLE[kind]
    file = write(folder)
    assert sole_split(file) == name
    split = read_split(file, name)
    assert content(split) == ALL
    assert split.dense is None


@pytest.mark.parametrize("kind", WHOLE)
def test_what_is_converted_reads_as_the_file_itself(folder: Path, kind: str) -> None:
    write, name = WHOLE[kind]
    file = write(folder)
    sizes, _ = convert([file], folder / "new", folder / "pictures")
    assert sizes == {name: IMAGES}
    split = read_split(folder / "new", name, images=folder / "pictures")
    itself = read_split(file, name, images=folder)
    assert (split.captions, split.image_ids, split.image_files) == (
        itself.captions,
        itself.image_ids,
        itself.image_files,
    )
    mapping = json.loads((folder / "new" / "id_mapping.json").read_text())
    assert sorted(mapping.values()) == [f"val2014/COCO_{i}.png" for i in range(IMAGES)]


@pytest.mark.parametrize(
    ("write", "message"), [(karpathy, "dataset_coco.json has no split mllm"), (cells, "cells.csv has no split mllm")]
)
def test_splits_are_kept_and_restval_goes_to_train(folder: Path, write: Callable[[Path], Path], message: str) -> None:
    file = write(folder)
    sizes, notes = convert([file], folder / "new")
    assert sizes == {"train": 2, "dev": 1, "test": 1}
    assert notes == [
        f"{file.name} calls {old} what is {new} here." for old, new in (("restval", "train"), ("val", "dev"))
    ]
    assert content(read_split(file, "train")) == ALL[:2]
    assert content(read_split(file, "val")) == content(read_split(file, "dev")) == ALL[2:3]
    with pytest.raises(DataError, match=re.escape(message)):
        read_split(file, "mllm")


def test_ids_are_cocos(folder: Path) -> None:
    assert read_split(karpathy(folder), "test").image_ids == ("394",)
    assert set(read_split(coco(folder), "dev").image_ids) == {"391", "392", "393", "394"}


def test_a_split_may_stand_in_a_table(folder: Path) -> None:
    assert content(read_split(table(folder, split=True), "dev")) == ALL


def test_lists_of_names_tell_the_splits_of_flickr8k(folder: Path) -> None:
    file = tokens(folder)
    write_lines(folder / "Flickr_8k.trainImages.txt", ["COCO_0.png", "COCO_1.png"])
    write_lines(folder / "Flickr_8k.devImages.txt", ["COCO_3.png"])
    train, dev = read_split(file, "train"), read_split(file, "dev")
    assert (content(train), content(dev)) == (ALL[:2], ALL[3:])
    assert train.notes == ("1 image of Flickr8k.token.txt in none of its split lists: left out.",)


def test_of_more_captions_the_first_are_taken_and_all_of_a_number_of_their_own(folder: Path) -> None:
    for count, k in ((7, None), (7, 5), (1, None)):
        split = read_split(coco(folder, count=count), "dev", captions_per_image=k)
        assert split.captions_per_image == (k or count)
        assert content(split) == [(name, tuple(captions(i, k or count))) for i, (name, _) in enumerate(ALL)]
    file = coco(folder, count=5)
    entries = json.loads(file.read_text())
    entries["annotations"].append({"image_id": 391, "id": 99, "caption": "a sixth"})
    file.write_text(json.dumps(entries))
    split = read_split(file, "dev")
    assert content(split) == ALL
    assert (
        split.notes[-1] == "1 image of captions_val2014.json with more than 5 captions: the first 5 of each are taken."
    )


def test_a_folder_with_one_caption_an_image_reads_as_it_is(folder: Path) -> None:
    convert([coco(folder, count=1)], folder / "new")
    split = read_split(folder / "new", "dev", images=folder / "pictures" / "val2014")
    assert (split.captions_per_image, len(split.captions)) == (1, IMAGES)


def test_several_files_make_one_folder(folder: Path) -> None:
    train, val = coco(folder, "captions_train2017.json"), folder / "captions_val2017.json"
    entries = json.loads(train.read_text())
    for image in entries["images"]:
        image |= {"id": image["id"] + 100, "file_name": "other_" + image["file_name"]}
    for row in entries["annotations"]:
        row["image_id"] += 100
    val.write_text(json.dumps(entries))
    assert convert([train, val], folder / "new")[0] == {"train": IMAGES, "dev": IMAGES}
    with pytest.raises(DataError, match=r"COCO_0\.png in train and dev"):  # images of both
        convert([train, coco(folder, "captions_val2014.json")], folder / "other")


def test_images_are_set_apart_at_random_and_always_the_same(folder: Path) -> None:
    file = table(folder)
    assert convert([file], folder / "a", dev=1)[0] == convert([file], folder / "b", dev=1)[0] == {"train": 3, "dev": 1}
    texts = [{name: (folder / to / name).read_text() for name in ("dev_ids.txt", "train_caps.txt")} for to in "ab"]
    assert texts[0] == texts[1]
    for wrong, message in (
        (4, "--dev is 4, but there are 4 images"),
        (-1, "--dev is -1, but a whole number of at least 0 is needed"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            convert([file], folder / "c", dev=wrong)
    with pytest.raises(ValueError, match="The files hold the splits train, dev, test"):
        convert([karpathy(folder)], folder / "c", split="test")
    with pytest.raises(DataError, match=r"pairs\.csv has no split train"):
        read_split(file, "train")


def test_everything_wrong_is_listed_and_nothing_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = coco(folder)
    entries = json.loads(file.read_text())
    entries["annotations"][0]["caption"] = " "
    entries["annotations"][7]["image_id"] = 7
    entries["images"].append({"id": 12, "file_name": "alone.png"})
    file.write_text(json.dumps(entries))
    (folder / "pictures" / "val2014" / "COCO_1.png").unlink()
    assert main([str(file), "--to", str(folder / "new"), "--images", str(folder / "pictures")]) == 2
    assert error_of(capsys) == [
        f"error: {file}: 6 problems.",
        "Entries without a file name or a caption (2):",
        "  captions_val2014.json, annotation 1: ' '",
        "  captions_val2014.json, image 12 ('alone.png'): no caption",
        "Captions of images that the file does not list (1):",
        "  captions_val2014.json, annotation 8: image_id 7",
        "Images with fewer captions than 5: write some, take them out, or take 4 of each with "
        "python -m seps.data.convert --captions-per-image 4 (2):",
        "  COCO_3.png: 4",
        "  COCO_2.png: 4",
        f"Image files that are not below {folder / 'pictures'}: put them there, or take their captions out (1):",
        "  COCO_1.png",
    ]
    assert not (folder / "new").exists()


def test_a_folder_that_is_written_once_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(karpathy(folder)), "--to", str(folder / "new")]
    assert main(arguments) == 0
    assert f"{folder / 'new'} holds train (2 images), dev (1 image), test (1 image)." in capsys.readouterr().out
    before = {file: file.read_bytes() for file in (folder / "new").iterdir()}
    assert main(arguments) == 2
    assert "Files that already exist: choose another folder (7):" in capsys.readouterr().err
    assert before == {file: file.read_bytes() for file in (folder / "new").iterdir()}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("captions.json", '{"images": {}}', "captions.json: it is none of the caption files that are"),
        ("captions.json", "[1", "captions.json: cannot be read as JSON"),
        ("captions.json", '{"images": [], "annotations": []}', "captions.json has no caption"),
        (
            "split.json",
            '[{"file": "a.png", "caption": "a", "split": "../x"}]',
            "Splits with an invalid file name (1)",
        ),
        ("captions.txt", "no names here\n", "captions.txt: it is none of the caption files that are known"),
        ("captions.csv", "image;caption\na.png;\n", "captions.csv, line 2: '' of 'a.png'"),
        ("captions.csv", "image,caption\na.png,\n", "captions.csv, line 2: '' of 'a.png'"),
    ],
)
def test_files_of_no_kind_are_refused_with_the_kinds_that_are_known(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=re.escape(message)):
        read_split(tmp_path / name, "dev")


TABLES = {  # a table's text of rows (file, caption), with its columns in other orders and other marks between them
    "semicolons, the caption first": lambda rows: (
        "Caption ;Image Name\r\n" + "".join(f'"{text}; or so";{name}\r\n' for name, text in rows)
    ),
    "tabs": lambda rows: "caption\tfilename\n" + "".join(f"{text}; or so\t{name}\n" for name, text in rows),
    "an index in front": lambda rows: (
        ",img,caption\n" + "".join(f"{i},{n},{t}; or so\n" for i, (n, t) in enumerate(rows))
    ),
    "commas that no quotation marks hold": lambda rows: (
        "image,caption\n" + "".join(f"{n},{t}; or so\n" for n, t in rows)
    ),
    "Flickr30K's later table": lambda rows: (
        "image_name,comment_number,comment\n"
        + "".join(f'{name},{i % 5},"{text}; or so"\n' for i, (name, text) in enumerate(rows))
    ),
    "Flickr30K's table, a bar missing": lambda rows: (
        "image_name| comment_number| comment\n"
        + "".join(f"{name}| {i % 5}{' ' if i == 4 else '|'} {text}; or so\n" for i, (name, text) in enumerate(rows))
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_may_have_any_order_and_marks(folder: Path, kind: str) -> None:
    odd = ", caf\u00e9" if "index" not in kind else " caf\u00e9"  # a comma in each caption
    rows = [(f"COCO_{i}.png", text + odd) for i in range(IMAGES) for text in captions(i)]
    file = folder / ("pairs.tsv" if kind == "tabs" else "pairs.csv")
    file.write_text("\ufeff" + TABLES[kind](rows), encoding="utf-8")
    assert content(read_split(file, "all")) == [(n, tuple(f"{t}{odd}; or so" for t in texts)) for n, texts in ALL]


def test_lines_of_json_are_a_list(folder: Path) -> None:
    rows = [{"file_name": f"COCO_{i}.png", "text": text} for i in range(IMAGES) for text in captions(i)]
    write_lines(folder / "metadata.jsonl", [json.dumps(row) for row in rows])
    assert content(read_split(folder / "metadata.jsonl", "all")) == ALL


def test_captions_that_are_written_as_tokens_alone_are_read(folder: Path) -> None:
    entries = json.loads(karpathy(folder).read_text())
    for image in entries["images"]:
        for sentence in image["sentences"]:
            del sentence["raw"]
    (folder / "dataset_coco.json").write_text(json.dumps(entries))
    assert content(read_split(folder / "dataset_coco.json", "train")) == ALL[:2]


def test_a_files_name_tells_its_split_where_nothing_else_does(folder: Path) -> None:
    text = table(folder).read_text().splitlines()
    for i, name in enumerate(("train.csv", "flickr_val_2.csv", "captions-test.csv", "train_val.csv")):
        write_lines(folder / name, [text[0], *text[1 + 5 * i : 6 + 5 * i]])
    names = ("train.csv", "flickr_val_2.csv", "captions-test.csv", "train_val.csv")
    assert [sole_split(folder / name) for name in names] == ["train", "dev", "test", "all"]
    sizes, _ = convert([folder / name for name in names[:3]], folder / "new")
    assert sizes == {"train": 1, "dev": 1, "test": 1}
    assert convert([folder / "train.csv", folder / "train_val.csv"], folder / "two", dev=0, split="dev")[0] == {
        "train": 1,
        "dev": 1,
    }


def test_the_only_split_may_be_called_otherwise_or_divided(folder: Path) -> None:
    assert convert([coco(folder)], folder / "a", split="test")[0] == {"test": IMAGES}
    assert convert([coco(folder)], folder / "b", dev=1)[0] == {"train": 3, "dev": 1}
    with pytest.raises(ValueError, match=r"--split is '\.\./beside'"):
        convert([coco(folder)], folder / "c", split="../beside")
    assert {file.name for file in folder.iterdir()} == {"a", "b", "captions_val2014.json", "pictures"}


def test_capitals_make_no_other_split(folder: Path) -> None:
    file = table(folder, split=True)
    file.write_text(file.read_text().replace(",val", ",TRAIN").replace(",split", ",Split"))
    split = read_split(file, "train")
    assert (content(split), split.notes) == (ALL, ())


def test_an_image_in_two_files_is_told(folder: Path) -> None:
    with pytest.raises(DataError, match="Images in two of the files"):
        convert([coco(folder), coco(folder)], folder / "new")
    with pytest.raises(DataError, match="Images in two of the files"):
        convert([tokens(folder), results(folder)], folder / "new")
    assert not (folder / "new").exists()


def test_uneven_numbers_of_captions_are_told_with_what_to_do(folder: Path) -> None:
    rows = [f"COCO_{i}.png,{text}" for i in range(IMAGES) for text in captions(i, 1 + i % 3)]
    write_lines(folder / "pairs.csv", ["image,caption", *rows])
    with pytest.raises(DataError, match="Images with fewer captions than 3"):
        read_split(folder / "pairs.csv", "all")
    split = read_split(folder / "pairs.csv", "all", captions_per_image=1)
    assert split.notes == ("2 images of pairs.csv with more than 1 caption: the first of each are taken.",)
    assert content(split) == [(name, texts[:1]) for name, texts in ALL]
    for wrong, message in ((0, "--captions-per-image is 0"), (-1, "--captions-per-image is -1")):
        with pytest.raises(ValueError, match=re.escape(message)):
            convert([folder / "pairs.csv"], folder / "new", captions_per_image=wrong)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("captions.json.gz", b"\x1f\x8b\x08", "captions.json.gz: it is packed with gzip"),
        ("annotations.zip", b"PK\x03\x04", "annotations.zip: it is a zip archive"),
        ("train.parquet", b"PAR1", "train.parquet: it is a Parquet table"),
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
            "list.json",
            b'[{"file": "a.png", "caption": "a"}, {"file": "b.png", "caption": ["b", ""]}, {"caption": "c"}]',
            "put them there, or take their captions out (1)",
        ),
    ],
)
def test_what_is_no_caption_file_is_called_what_it_is(tmp_path: Path, name: str, text: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises(DataError, match=re.escape(message)):
        read_split(tmp_path / name, "all")


def test_lists_of_splits_that_fit_no_image_or_each_other_are_told(folder: Path) -> None:
    write_lines(folder / "Flickr_8k.trainImages.txt", ["other.png"])
    with pytest.raises(DataError, match=r"Flickr8k\.token\.txt has no image named by its split lists"):
        convert([tokens(folder)], folder / "new")
    write_lines(folder / "Flickr_8k.trainImages.txt", ["COCO_0.png"])
    write_lines(folder / "Flickr_8k.testImages.txt", ["COCO_0.png"])
    with pytest.raises(DataError, match=r"COCO_0\.png in train and test"):
        convert([tokens(folder)], folder / "new")


def test_an_image_in_two_splits_is_told_once(folder: Path) -> None:
    rows = [f"COCO_0.png,{text},{'train' if k < 2 else 'test'}" for k, text in enumerate(captions(0))]
    write_lines(folder / "pairs.csv", ["image,caption,split", *rows])
    with pytest.raises(DataError, match=r"COCO_0\.png in train and test"):
        read_split(folder / "pairs.csv", "train")


@pytest.mark.parametrize("there", ["000000000391.jpg", "COCO_val2014_000000000391.jpg"])
def test_cocos_photographs_go_by_the_names_of_both_years(tmp_path: Path, there: str) -> None:
    draw(tmp_path / there, 0)
    for name in ("000000000391.jpg", "COCO_val2014_000000000391.jpg"):
        entries = [{"filepath": "val2014", "filename": name, "sentences": [{"raw": "a"}]}]
        (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": entries}))
        assert read_split(tmp_path / "dataset_coco.json", "all").image_files == (tmp_path / there,)


def test_empty_cells_that_a_table_wrote_as_words_are_told(folder: Path) -> None:
    rows = [f"COCO_{i}.png,{'nan' if i == 1 else 'a dog'}" for i in range(IMAGES)]
    write_lines(folder / "pairs.csv", ["image,caption", *rows])
    note = read_split(folder / "pairs.csv", "all").notes[0]
    assert note.startswith("1 of 4 captions of pairs.csv are 'nan' or the like")
    assert convert([folder / "pairs.csv"], folder / "new")[1] == [note]


def test_a_file_is_no_place_for_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = karpathy(folder)
    assert main([str(file), "--to", str(file)]) == 2
    assert "is a file: give a folder to --to" in capsys.readouterr().err
    assert not (folder / "new").exists()


def test_all_files_are_written_or_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def full(path: Path, text: str, encoding: str) -> int:
        if path.name.startswith("test_caps"):
            raise OSError("No space left on device")
        return write(path, text, encoding=encoding)

    file = karpathy(folder)
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        convert([file], folder / "new")
    assert not list((folder / "new").iterdir())


def test_a_folder_that_holds_caption_files_names_them(folder: Path) -> None:
    file = karpathy(folder)
    with pytest.raises(DataError) as error:
        read_split(folder, "train")
    assert f"dataset_coco.json: python -m seps.data.convert {file} --to DIR" in join_message_lines(str(error.value))


def test_the_other_splits_of_a_file_are_looked_at_too(folder: Path) -> None:
    file = karpathy(folder)
    assert [split.name for split in find_other_splits(read_split(file, "val"), None)] == ["test", "train"]


def test_a_caption_file_has_no_phrases(folder: Path) -> None:
    with pytest.raises(DataError, match=r"dataset_coco\.json contains captions but no phrases with"):
        read_entities(karpathy(folder), "train")
