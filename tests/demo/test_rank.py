import csv
import json
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch
from PIL import Image

from demo.__main__ import main
from demo.galleries.reading import photos
from demo.galleries.reading.paths import photo_paths
from demo.service.models import start, stored
from demo.service.retrieval import RetrievalService
from demo.service.threads import best_device
from seps import SEPSModel, shipped_file
from seps.indexing.command import index_folder
from seps.media.photos import open_image
from seps.models.encoder_key import files_key
from seps.models.shipped import shipped_models
from tests.helpers.pictures.clips import BLUE, RED, write_clip

pytestmark = pytest.mark.usefixtures("own_cache")


def test_rank_prints_the_best(
    service: RetrievalService,
    photo: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(photos, "decoders", None)  # a user's photo needs no separate process
    table = tmp_path / "ranking.csv"
    assert main(["rank", "a tabby cat", "--top", "3", "--csv", str(table)]) == 0
    ranking = service.rank_images(service.find("examples"), "a tabby cat")
    titles = [service.find("examples").gallery.items[index].title for index in ranking.order]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ", 2)[-1].strip() for line in lines] == [
        f"{score:.4f}  {title}" for score, title in zip(ranking.scores[:3], titles[:3], strict=True)
    ]
    assert len(table.read_text(encoding="utf-8-sig").splitlines()) == 15
    assert main(["rank", "--photo", str(photo), "a cup", "a zebra"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_captions_of_a_folder_are_marked_right_or_wrong_for_its_photo(
    scenes_model: Path, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = photo.with_name("folder")
    folder.mkdir()
    copy, photo = photo, folder / photo.name
    photo.write_bytes(copy.read_bytes())
    Image.new("RGB", (64, 64), "green").save(folder / "field.png")
    captions = {photo.name: ["a cup", "a mug"], "field.png": ["a green field"]}
    (folder / "captions.json").write_text(json.dumps(captions))
    options = ["--photos", str(folder), "--model", str(scenes_model)]
    assert main(["rank", "--photo", str(photo), *options]) == 0
    printed = {line.split("  ")[-1]: line for line in capsys.readouterr().out.splitlines()}
    marks = {caption: line.split("  ")[-2] for caption, line in printed.items()}
    assert marks == {"a cup": "right", "a mug": "right", "a green field": "wrong"}
    assert main(["rank", "--photo", str(copy), *options]) == 0
    assert not re.search("right|wrong", capsys.readouterr().out)


def test_a_folder_stands_for_its_photos_in_name_order(tmp_path: Path) -> None:
    for name in ("b.png", "a.HEIC"):
        (tmp_path / name).write_bytes(b"photo")
    (tmp_path / "notes.txt").write_text("no photo")
    assert photo_paths([tmp_path, tmp_path / "b.png"]) == [tmp_path / name for name in ("a.HEIC", "b.png", "b.png")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="contains no photos: give a folder with photos, or files"):
        photo_paths([tmp_path / "empty"])


def test_a_folder_too_large_for_memory_is_ranked_in_two_stages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for name in ("flower", "china"):
        shutil.copy(shipped_file(f"galleries/photos/{name}.jpg"), folder)
    monkeypatch.setenv("SEPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("demo.service.models.stored.LARGE", 1)
    monkeypatch.setattr("demo.galleries.indexes.stored.SHORTLIST", 1)
    command = ["rank", "an orange flower", "--photos", str(folder)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert [line.split()[-1] for line in out.splitlines()] == ["flower.jpg"]
    assert "1 of 2 were scored exactly; --all scores every one." in err.splitlines()
    assert main([*command, "--all"]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["flower.jpg", "china.jpg"]


def test_how_many_are_shown_is_told_and_folders_below_are_asked_for(
    photo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "examples_gallery", lambda: pytest.fail("the examples are not asked for"))
    below = photo.parent / "below"
    below.mkdir()
    (below / "one.png").write_bytes(photo.read_bytes())
    for name in ("one.txt", "two.txt"):
        photo.with_name(name).write_text("no photo")
    assert main(["rank", "a cup", "--photos", str(photo.parent), "--recursive", "--top", "1"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert "The best 1 of 2 photographs (--top 2 prints all):" in err
    assert 'Left out: 2 files are no photos: "one.txt", "two.txt".' in err


@pytest.fixture(scope="module")
def table(service: RetrievalService, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of the two photographs that ship, in one folder and in the one below it."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "photos" / "below").mkdir(parents=True)
    shutil.copy(shipped_file("galleries/photos/china.jpg"), folder / "photos")
    shutil.copy(shipped_file("galleries/photos/flower.jpg"), folder / "photos" / "below")
    index_folder(service.model, folder / "photos", str(folder / "table.lance"))
    return folder / "table.lance"


def test_a_table_of_photographs_is_ranked(
    service: RetrievalService,
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(stored, "SEPSModel", Mock(from_pretrained=lru_cache(SEPSModel.from_pretrained)))
    csv_file, command = tmp_path / "ranking.csv", ["rank", "an orange flower", "--photos", str(table)]
    assert main([*command, "--csv", str(csv_file)]) == 0
    out, err = capsys.readouterr()
    model = service.model
    photos = [open_image(shipped_file(f"galleries/photos/{name}.jpg")) for name in ("flower", "china")]
    with torch.no_grad():
        words, lengths = model.encode_captions(["an orange flower"])
        plain = model.cross_net(model.encode_photos(photos), words, lengths)[:, 0].tolist()
    assert out.splitlines() == [f"   1  {plain[0]:.4f}  below/flower.jpg", f"   2  {plain[1]:.4f}  china.jpg"]
    assert err.splitlines()[-1].startswith("All 2 photographs were scored exactly, in ")
    rows = csv_file.read_text(encoding="utf-8-sig").splitlines()
    rank, photo, score, caption = rows[1].split(",")
    assert [rows[0], rank, photo, caption] == ["rank,photo,score,caption", "1", "below/flower.jpg", "an orange flower"]
    assert float(score) == pytest.approx(plain[0], abs=2e-6)
    assert main([*command, "--shortlist", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [f"   1  {plain[0]:.4f}  below/flower.jpg"]
    assert err.splitlines()[-1].startswith("1 of 2 photographs, by similarity of mean patch and mean word, were")
    assert main([*command, "--name", "CHINA"]) == 0
    assert capsys.readouterr().out == f"   1  {plain[1]:.4f}  china.jpg\n"


@pytest.mark.slow
def test_once_the_image_encoders_key_is_known_a_table_is_ranked_without_it(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEPS_CACHE", str(tmp_path))
    known = tmp_path / "encoder-keys" / files_key(shipped_models()["photos"], best_device())
    known.parent.mkdir()
    known.write_text("another 196")
    command = ["rank", "an orange flower", "--photos", str(table)]
    assert main(command) == 0
    complete = capsys.readouterr().out
    assert not known.read_text().startswith("another")
    unused = "any(name in sys.modules for name in ('timm', 'torchvision', 'scipy', 'accelerate'))"
    program = f"import sys; from demo.__main__ import main; sys.exit(main(sys.argv[1:]) or {unused})"
    fresh = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)
    assert fresh.stdout == complete


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--photos", "TABLE", "--gallery", "scenes"], "--gallery does not go with --photos"),
        (["--photos", "TABLE", "--shortlist", "0"], "--shortlist is 0, but at least 1 is needed."),
        (["--photos", "TABLE", "--model", "scenes"], "was indexed by another image encoder"),
        (["--video", "gone.mp4"], 'error: "gone.mp4" cannot be read (No such file or directory): name a video'),
        (["--video", "gone.mp4", "--gallery", "scenes"], "error: --gallery does not go with --video: leave one"),
        (["--video", "gone.mp4", "--frames", "0"], "error: --frames is 0, but 1 to 600 can be looked at."),
        (["--other-caption", "a dog"], "error: -o and --other-caption go with --video FILE: --csv writes a ranking."),
    ],
)
def test_what_does_not_go_together_is_told(
    table: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(table) if argument == "TABLE" else argument for argument in arguments]
    assert main(["rank", "a cup", *given]) == 2
    assert message in capsys.readouterr().err


def test_rank_follows_captions_through_a_video_that_another_process_reads(
    opened: RetrievalService, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seps.media.videos.read_frames", lambda *_, **__: pytest.fail("this process decodes a video"))
    clip, table, out = write_clip(tmp_path / "clip.avi", [(RED, 5), (BLUE, 5)]), tmp_path / "s.csv", tmp_path / "s.json"
    options = ["--frames", "3", "--other-caption", "a dog", "--csv", str(table), "-o", str(out)]
    assert main(["rank", "a red wall", "--video", str(clip), *options]) == 0
    printed = capsys.readouterr()
    for line in ("clip.avi has more frames than are kept: 3 of them are used.\n", "\n3 frames of 1.0 s:\n"):
        assert line in printed.err
    assert printed.out.startswith("a red wall\n   1  ") and "\na dog\n   1  " in printed.out
    record = json.loads(out.read_text(encoding="utf-8"))
    assert [entry["caption"] for entry in record["captions"]] == ["a red wall", "a dog"]
    rows = list(csv.reader(table.read_text(encoding="utf-8-sig").splitlines()))
    assert rows[0] == ["seconds", "a red wall", "a dog"]
    assert [float(row[1]) for row in rows[1:]] == record["captions"][0]["score"]
    best = max(record["captions"][0]["score"])
    assert f"   1  {best:.4f}  0:0" in printed.out
