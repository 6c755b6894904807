"""The app without a browser."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from demo.__main__ import main
from demo.drawing import files as exports
from demo.drawing.formats import Download
from demo.galleries import photos
from demo.galleries.paths import photo_paths
from demo.service import start
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.judge.judgement import score_sentence
from seps import SEPSModel, load_model, measure_blurred, shipped_file
from seps.indexing.command import index_folder
from seps.models.config import ModelConfig
from seps.photos import open_image
from tests.helpers.clips import BLUE, RED, write_clip
from tests.helpers.judged import photos_judge
from tests.helpers.tiny import tiny_settings


@pytest.fixture
def photo(service: RetrievalService, tmp_path: Path) -> Path:
    file = tmp_path / "cup.png"
    service.find("examples").gallery.items[service.find("examples").gallery.position("coffee")].photo().save(file)
    return file


@pytest.fixture(autouse=True)
def own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEPS_CACHE", str(cache))


def test_explain_draws_a_picture(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.png"
    assert main(["explain", str(photo), "a cup on a table", "-o", str(out), "--layer", "score"]) == 0
    with Image.open(out) as image:
        assert image.width >= 1400
    assert "S(I, T) = " in capsys.readouterr().out
    assert main(["explain", str(photo), "a cup", "-o", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["caption"] == "a cup"


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
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = photo.parent
    copy = tmp_path / "elsewhere.png"
    copy.write_bytes(photo.read_bytes())
    Image.new("RGB", (64, 64), "green").save(folder / "field.png")
    captions = {photo.name: ["a cup", "a mug"], "field.png": ["a green field"]}
    (folder / "captions.json").write_text(json.dumps(captions))
    assert main(["rank", "--photo", str(photo), "--photos", str(folder)]) == 0
    printed = {line.split("  ")[-1]: line for line in capsys.readouterr().out.splitlines()}
    marks = {caption: line.split("  ")[-2] for caption, line in printed.items()}
    assert marks == {"a cup": "right", "a mug": "right", "a green field": "wrong"}
    assert main(["rank", "--photo", str(copy), "--photos", str(folder)]) == 0
    assert not re.search("right|wrong", capsys.readouterr().out)


def test_a_folder_stands_for_its_photos_in_name_order(tmp_path: Path) -> None:
    for name in ("b.png", "a.HEIC"):
        (tmp_path / name).write_bytes(b"photo")
    (tmp_path / "notes.txt").write_text("no photo")
    assert photo_paths([tmp_path, tmp_path / "b.png"]) == [tmp_path / name for name in ("a.HEIC", "b.png", "b.png")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="contains no photos: give a folder with photos, or files"):
        photo_paths([tmp_path / "empty"])


def test_a_folder_of_photos_is_ranked(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (photo.parent / "notes.txt").write_text("no photo")
    assert main(["rank", "a cup", "--photos", str(photo.parent)]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1  # only the ranking
    assert "cup.png" in out
    assert 'Left out: The photo "notes.txt" is no photo' in err


def test_a_folder_too_large_for_memory_is_ranked_in_two_stages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for name in ("flower", "china"):
        shutil.copy(shipped_file(f"galleries/photos/{name}.jpg"), folder)
    monkeypatch.setenv("SEPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("demo.service.stored.LARGE", 1)
    monkeypatch.setattr("demo.galleries.stored.SHORTLIST", 1)
    command = ["rank", "an orange flower", "--photos", str(folder)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert [line.split()[-1] for line in out.splitlines()] == ["flower.jpg"]
    assert "1 of 2 were scored exactly; --all scores every one." in err.splitlines()
    assert main([*command, "--all"]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["flower.jpg", "china.jpg"]
    assert main([*command, "--name", "CHI"]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["china.jpg"]


def test_a_folder_is_ranked_without_the_examples(
    photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unasked() -> None:
        raise AssertionError("the examples are not asked for")

    monkeypatch.setattr(start, "examples_gallery", unasked)
    assert main(["rank", "a cup", "--photos", str(photo.parent), "--gallery", "folder"]) == 0
    assert main(["rank", "a cup", "--photos", str(photo.parent)]) == 0
    assert "cup.png" in capsys.readouterr().out


def test_layers_that_are_told_at_the_command_line_count_words_from_1(
    service: RetrievalService, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: service)
    out = str(photo.with_name("out.png"))
    assert main(["explain", str(photo), "a cup", "-o", out, "--layer", "wrd:2"]) == 2
    err = capsys.readouterr().err
    assert "word:1 (or another number)" in err
    assert "word:0" not in err


def test_how_many_are_shown_is_told_and_folders_below_are_asked_for(
    service: RetrievalService, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    below = photo.parent / "below"
    below.mkdir()
    for name in ("one", "two"):
        photo.with_name(f"{name}.png").write_bytes(photo.read_bytes())
        (below / f"{name}.png").write_bytes(photo.read_bytes())
        (photo.parent / f"{name}.txt").write_text("no photo")
    assert main(["rank", "a cup", "--photos", str(photo.parent), "--top", "2"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert "The best 2 of 3 photographs (--top 3 prints all):" in err
    assert 'Left out: 2 files are no photos: "one.txt", "two.txt".' in err
    assert 'Left out: Subfolders are read only with --recursive: "below".' in err
    assert main(["rank", "a cup", "--photos", str(photo.parent), "--recursive"]) == 0
    out, err = capsys.readouterr()
    assert "below/one.png" in out
    assert "All 5 photographs, the best first:" in err


def test_a_caption_that_is_not_english_gets_a_hint(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hint = "The model has learnt English captions; it may not know: Tasse, Kaffee, Holztisch."
    assert main(["rank", "eine Tasse Kaffee auf Holztisch"]) == 0
    assert hint in capsys.readouterr().err
    arguments = ["explain", str(photo), "eine Tasse Kaffee auf Holztisch", "-o", str(photo.with_name("out.json"))]
    assert main(arguments) == 0
    assert hint in capsys.readouterr().err


def test_words_are_counted_as_in_a_sentence(
    service: RetrievalService, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn: list[str] = []

    def noted(*given: Any, **_: Any) -> Download:
        drawn.append(given[5])
        return Download("", b"", "")

    monkeypatch.setattr(exports, "explanation_file", noted)
    monkeypatch.setattr(start, "open_model", lambda name: service)
    pieces = service.model.words("a tabby cat")
    assert pieces == ["[CLS]", "a", "tab", "##by", "cat", "[SEP]"]
    for asked in ("word:1", "word:2", "word:3", "word:[CLS]", "word:sep", "piece:3", "mask", "token:2"):
        out = str(photo.with_name("out.png"))
        assert main(["explain", str(photo), "a tabby cat", "-o", out, "--layer", asked]) == 0
    assert drawn == ["word:1", "word:2", "word:4", "word:0", "word:5", "word:3", "mask", "token:2"]
    capsys.readouterr()
    assert main(["explain", str(photo), "a tabby cat", "-o", out, "--layer", "word:4"]) == 2
    assert capsys.readouterr().err == "error: The caption has 3 words, 1 to 3, but word 4 was asked for.\n"


@pytest.fixture
def run(scenes_model: Path, tmp_path: Path) -> Path:
    """A run with a tiny best model."""
    folder = tmp_path / "My run"
    shutil.copytree(scenes_model, folder / "best")
    return folder


def test_a_model_of_one_s_own_explains_and_ranks(run: Path, photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out = str(run / "best"), photo.with_name("out.json")
    assert main(["explain", str(photo), "a red dog", "-o", str(out), "--model", model]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["model"] == "My-run"
    capsys.readouterr()
    assert main(["rank", "a red dog", "--model", model, "--top", "2"]) == 0
    out_lines, err = capsys.readouterr()
    assert len(out_lines.splitlines()) == 2
    assert "The best 2 of 14 photographs" in err
    assert main(["rank", "a red dog", "--model", model, "--photos", str(photo.parent)]) == 0
    assert "cup.png" in capsys.readouterr().out


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of the two photographs that ship, in one folder and in the one below it."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "photos" / "below").mkdir(parents=True)
    shutil.copy(shipped_file("galleries/photos/china.jpg"), folder / "photos")
    shutil.copy(shipped_file("galleries/photos/flower.jpg"), folder / "photos" / "below")
    index_folder(load_model("photos"), folder / "photos", str(folder / "table.lance"))
    return folder / "table.lance"


def test_a_table_of_photographs_is_ranked(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv_file = tmp_path / "ranking.csv"
    assert main(["rank", "an orange flower", "--photos", str(table), "--csv", str(csv_file)]) == 0
    out, err = capsys.readouterr()
    model = load_model("photos")
    photos = [open_image(shipped_file(f"galleries/photos/{name}.jpg")) for name in ("flower", "china")]
    with torch.no_grad():
        words, lengths = model.encode_captions(["an orange flower"])
        plain = model.cross_net(model.encode_photos(photos), words, lengths)[:, 0].tolist()
    assert out.splitlines() == [f"   1  {plain[0]:.4f}  below/flower.jpg", f"   2  {plain[1]:.4f}  china.jpg"]
    assert err.splitlines()[-1].startswith("All 2 photographs were scored exactly, in ")
    rows = csv_file.read_text(encoding="utf-8-sig").splitlines()
    assert rows[:2] == ["rank,photo,score,caption", f"1,below/flower.jpg,{round(plain[0], 6)},an orange flower"]
    assert main(["rank", "an orange flower", "--photos", str(table), "--shortlist", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [f"   1  {plain[0]:.4f}  below/flower.jpg"]
    assert err.splitlines()[-1].startswith("1 of 2 photographs, by similarity of mean patch and mean word, were")
    assert main(["rank", "an orange flower", "--photos", str(table), "--shortlist", "1", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["rank", "an orange flower", "--photos", str(table), "--name", "CHINA"]) == 0
    assert capsys.readouterr().out == f"   1  {plain[1]:.4f}  china.jpg\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--photo", "x.jpg"], "is not there, or is no file"),
        (["--gallery", "scenes"], "--gallery does not go with --photos"),
        (["--recursive"], "--recursive does not go with --photos"),
        (["--shortlist", "0"], "--shortlist is 0, but at least 1 is needed."),
        (["--model", "scenes"], "was indexed by another image encoder"),
    ],
)
def test_what_does_not_go_with_a_table_is_told(
    table: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rank", "a cup", "--photos", str(table), *arguments]) == 2
    assert message in capsys.readouterr().err


SLIPS: list[tuple[str, list[str], str]] = [
    ("demo.__main__", ["--help"], ""),
    ("demo.__main__", ["rank", "a cup", "--photos", "nowhere"], "error: There is no folder nowhere"),
    ("demo.__main__", ["rank", "a cup", "--csv", "nowhere/a.csv"], "error: The folder nowhere does not exist"),
    ("demo.__main__", ["rank", "a cup", "--model", "moon"], "error: There is no model 'moon' here"),
    ("demo.__main__", ["rank", "a cup", "--top", "0"], "error: --top is 0"),
    (
        "demo.__main__",
        ["explain", "nowhere.png", "a cup", "-o", "out.png"],
        'error: The photo "nowhere.png" is',
    ),
    ("demo.__main__", ["explain", "app.py", "a cup", "-o", "out.gif"], "error: format is 'gif'"),
    ("demo.__main__", ["judge", "app.py", "--prompt", " "], "error: --prompt is empty"),
    ("demo.__main__", ["judge", "app.py", "--prompt", "a cup", "--out", "out.png"], "error: format is 'png'"),
    ("demo.__main__", ["generate", "a dog", "-o", "out.svg"], "error: format is 'svg'"),
    ("demo.__main__", ["generate", "a dog", "-o", "out.png", "--steps", "5"], "error: steps is '5'"),
    ("demo.__main__", ["generate", "a dog", "-o", "nowhere/out.png"], "error: The folder nowhere does not exist"),
    ("demo.__main__", ["judge", "nowhere.png", "--prompt", "a cup"], 'error: The photo "nowhere.png" is'),
    ("app", ["--help"], ""),
    ("app", ["--photos", "nowhere"], "error: There is no folder nowhere"),
    ("app", ["--model", "moon"], "error: There is no model 'moon' here"),
    ("app", ["--model", "tests/bst"], "error: There is no folder tests/bst, and tests holds no model."),
    ("app", ["--model", "photos"], "error: The model photos is here already"),
]
# Each answer of a program, in one process for all: the exit code, its output, and the modules imported by then.
ANSWERS = """
import contextlib, importlib, io, json, sys
answers = []
for program, arguments in json.load(sys.stdin):
    sys.argv, written = ["it", *arguments], io.StringIO()
    with contextlib.redirect_stderr(written), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = importlib.import_module(program).main()
        except SystemExit as end:
            code = end.code
    slow = sorted({"torch", "gradio", "transformers", "matplotlib", "numpy"} & sys.modules.keys())
    answers.append((code, written.getvalue(), slow))
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers() -> list[tuple[int, str, list[str]]]:
    given = json.dumps([(program, arguments) for program, arguments, _ in SLIPS])
    done = subprocess.run(
        [sys.executable, "-c", ANSWERS], cwd=Path(__file__).parents[2], input=given, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [(code, written, slow) for code, written, slow in json.loads(done.stdout)]


@pytest.mark.parametrize("number", range(len(SLIPS)), ids=[f"{program} {given}" for program, given, _ in SLIPS])
def test_help_and_slips_are_answered_before_torch_is_imported(
    answers: list[tuple[int, str, list[str]]], number: int
) -> None:
    (code, written, slow), error = answers[number], SLIPS[number][2]
    assert code == (2 if error else 0), written
    assert written.startswith(error)
    assert written.count("\n") == bool(error)
    assert slow == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "nowhere.png", "a cup", "-o", "out.png"], "nowhere.png"),
        (["rank", "a cup", "--photos", "nowhere"], "There is no folder"),
        (["rank", "a cup", "--gallery", "moon"], "There is no gallery 'moon'"),
        (["rank"], "The caption is empty"),
        (["rank", "a cup", "--shortlist", "3"], "--shortlist goes with --photos URI"),
        (["rank", "a cup", "--all"], "--all and --name go with --photos, a folder or a table"),
        (["rank", "a cup", "--photos", "memory://nothing"], "There is no table memory://nothing"),
        (["rank", "a cup", "--recursive"], "--recursive reads the folders below --photos FOLDER"),
        (["rank", "a cup", "--photo", "PHOTO", "--photos", "FOLDER"], "leave one of the two"),
        (["rank", "--photo", "PHOTO", "--photos", "FOLDER"], "leave one of the two"),
        (["rank", "a cup", "--photo", "PHOTO", "--gallery", "scenes"], "--gallery names captions to rank, but others"),
        (["rank", "a cup", "--photo", "PHOTO", "--csv", "FOLDER/a.csv"], "--csv goes with a ranking of photographs"),
        (["rank", "a cup", "--photo", "PHOTO", "--dense", "a cup"], "--dense goes with a ranking of photographs"),
        (["why", "PHOTO", "a cup", "--other-caption", ""], "--other-caption is empty: write another one"),
        (["why", "PHOTO", "a cup", "--other-caption", " \n"], "--other-caption is empty: write another one"),
        (["why", "PHOTO", "a cup", "--other-caption", "a  cup "], "--other-caption is the same caption"),
        (["why", "PHOTO", "a cup", "--other", "PHOTO"], "--other is the same photograph"),
        (["generate", "a dog", "-o", "FOLDER"], "is a folder, so that no file can be written there"),
        (["explain", "PHOTO", "a dog", "-o", "FOLDER"], "is a folder, so that no file can be written there"),
        (["judge", "PHOTO", "--prompt", "a dog", "-o", "FOLDER"], "is a folder, so that no file can be written there"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    photo: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for service in ("generating.service.GeneratingService", "judging.JudgingService"):
        monkeypatch.delattr(f"demo.service.{service}")  # nothing long is begun
    places = {"PHOTO": str(photo), "FOLDER": str(photo.parent)}
    assert main([re.sub("PHOTO|FOLDER", lambda name: places[name[0]], argument) for argument in arguments]) == 2
    assert message in capsys.readouterr().err


def test_pictures_are_judged_sorted_and_written(
    photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = photos_judge()
    monkeypatch.setattr(start, "load_shipped_judge", lambda: judge)
    grey = photo.with_name("grey.png")
    Image.new("RGB", (64, 64), "grey").save(grey)
    table, record = photo.with_name("out.csv"), photo.with_name("out.json")
    arguments = ["judge", str(photo), str(grey), "--prompt", "a cup of coffee", "--by", "consistency"]
    assert main([*arguments, "--out", str(table)]) == 0
    out = capsys.readouterr().out
    expected = {file: judge.score(Image.open(file).convert("RGB"), "a cup of coffee") for file in (photo, grey)}
    order = sorted(expected, key=lambda file: -expected[file].consistency.final)
    assert out.splitlines()[::3] == [str(file) for file in order]
    assert f"quality      {score_sentence(expected[order[0]].quality)}" in out
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["picture"] for row in rows] == [str(file) for file in order]
    assert float(rows[0]["consistency_final"]) == pytest.approx(expected[order[0]].consistency.final, abs=1e-5)
    assert main([*arguments, "-o", str(record)]) == 0
    value = json.loads(record.read_text())[0]
    assert sum(value["shares"]) == pytest.approx(value["logit"], abs=1e-4)


def test_why_prints_shares_that_add_up_and_writes_them(
    service: RetrievalService, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: service)
    grey, table = photo.with_name("grey.png"), photo.with_name("out.csv")
    Image.new("RGB", (64, 64), "grey").save(grey)
    assert main(["why", str(photo), "a cup of coffee", "--other", str(grey), "-o", str(table)]) == 0
    order, *printed = capsys.readouterr().out.splitlines()
    lines = [line for line in printed if line.startswith(" ")]  # the rest are sentences
    record = service.explain_photo(Image.open(photo).convert("RGB"), "a cup of coffee")
    assert f"{record.similarity:.4f}" in order
    assert sum(float(line.split()[-3]) for line in lines) == pytest.approx(record.similarity, abs=1e-3)
    with table.open(encoding="utf-8-sig", newline="") as file:
        *parts, total = csv.DictReader(file)
    assert sum(float(part["left"]) for part in parts) == pytest.approx(record.similarity, abs=1e-4)
    assert float(total["left"]) == pytest.approx(record.similarity, abs=1e-4)
    out = photo.with_name("out.png")
    pair = ["why", str(photo), "a cup of coffee", "--other-caption", "a red car"]
    assert main([*pair, "-o", str(out), "--word", "2"]) == 0
    with Image.open(out) as image:
        assert image.width >= 1400
    assert "For cup, the first caption comes before the second caption" in capsys.readouterr().out
    assert main([*pair, "--word", "9"]) == 2
    assert "there are words 1 to " in capsys.readouterr().err


CAPTIONS_OF = {
    "paper": ("a cup of coffee", "a white cup of coffee on a wood table"),
    "released": ("a dog", "dogs running in snow"),
}


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_why_takes_a_dense_caption_beside_that_of_two_photographs(
    service: RetrievalService,
    bert: Path,
    photo: Path,
    variant: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if variant == "released":
        settings = tiny_settings(bert)
        settings["network"]["use_paper_version"] = False
        service = RetrievalService(SEPSModel(ModelConfig.from_dict(settings)).eval(), "released")
    caption, dense = CAPTIONS_OF[variant]
    monkeypatch.setattr(start, "open_model", lambda name: service)
    grey, out = photo.with_name("grey.png"), photo.with_name("out.json")
    Image.new("RGB", (64, 64), "grey").save(grey)
    command = ["why", str(photo), caption, "--other", str(grey), "--dense", dense]
    assert main([*command, "-o", str(out)]) == 0
    assert "A dense caption is used" in capsys.readouterr().out
    value = json.loads(out.read_text(encoding="utf-8"))
    parts = [*value["words"], *value["rest"].values()]
    assert ("dense" in value["rest"]) == (variant == "released")  # there the dense caption has a separate alignment
    for name, file in (("left", photo), ("right", grey)):
        image = Image.open(file).convert("RGB")
        expected = service.explain_photo(image, caption, dense).similarity
        assert sum(part[name] for part in parts) == pytest.approx(expected, abs=1e-5)
        assert abs(expected - service.explain_photo(image, caption).similarity) > 1e-4
    assert main(["why", str(photo), caption, "--other-caption", "a red car", "--dense", dense]) == 2
    assert "--dense goes with one caption of two photographs" in capsys.readouterr().err


def test_an_unknown_kind_of_file_is_refused(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(photo), "a cup", "-o", str(photo.with_suffix(".gif"))]) == 2
    assert "must be one of png, svg, pdf, json" in capsys.readouterr().err


def test_scenes_are_explained_and_ranked_by_their_own_model(
    registry: ModelRegistry,
    scenes_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shipped = {**start.shipped_models(), "scenes": scenes_model}
    monkeypatch.setattr(start, "shipped_models", lambda: shipped)
    service, indexed = registry.open("scenes")
    caption = indexed.gallery.items[0].captions[0]
    best = service.rank_images(indexed, caption)
    expected = f"{best.scores[0]:.4f}  {indexed.gallery.items[best.order[0]].title}"
    for chosen in (["--model", "scenes"], ["--gallery", "scenes"]):
        assert main(["rank", caption, "--top", "1", *chosen]) == 0
        assert expected in capsys.readouterr().out
    source, out = indexed.gallery.items[0].source, tmp_path / "out.json"
    assert main(["explain", str(source), caption, "-o", str(out), "--model", "scenes"]) == 0
    value = json.loads(out.read_text(encoding="utf-8"))
    assert value["model"] == "scenes"
    assert value["explanation"]["similarity"] == pytest.approx(
        service.explain(indexed, 0, caption).similarity, abs=1e-5
    )
    assert main(["rank", caption, "--model", "photos", "--gallery", "scenes"]) == 2
    assert "belongs to the model 'scenes', not 'photos'" in capsys.readouterr().err


def test_blurred_patches_are_drawn_and_said_to_be_slower(
    registry: ModelRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service, indexed = registry.open("scenes")
    monkeypatch.setattr(start, "open_model", lambda name: service)
    source, out = tmp_path / "scene.png", tmp_path / "out.json"
    indexed.gallery.items[7].photo().save(source)
    command = ["explain", str(source), "a red car", "-o", str(out), "--layer", "blurred:2", "--keep", "1-9"]
    assert main(command) == 0
    assert "slower, since 101 pictures are encoded" in capsys.readouterr().err
    value = json.loads(out.read_text(encoding="utf-8"))["explanation"]
    mask = np.array(value["branches"][0]["kept"], dtype=bool)
    expected = measure_blurred(service.model, Image.open(source), "a red car", mask=mask)
    assert value["measures"]["blurred"]["values"] == pytest.approx(expected.effects.tolist(), abs=1e-6)


@pytest.mark.parametrize("command", [["rank", "a cup"], ["explain", "x.png", "a cup", "-o", "out.png"]])
def test_an_unknown_model_is_told(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--model", "moon"]) == 2
    assert "There is no model 'moon' here; there are: photos" in capsys.readouterr().err


def test_a_decision_by_hand_is_told_and_drawn(
    service: RetrievalService, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "open_model", lambda name: service)
    out = photo.with_name("out.json")
    command = ["explain", str(photo), "a cup", "-o", str(out), "--layer", "effect"]
    assert main([*command, "--drop", "all", "--keep", "1,2,5-9"]) == 0
    value = json.loads(out.read_text(encoding="utf-8"))
    branch = value["explanation"]["branches"][0]
    assert [patch for patch, kept in enumerate(branch["kept"], start=1) if kept] == [1, 2, 5, 6, 7, 8, 9]
    assert branch["forced"] and len(value["explanation"]["measures"]["effect"]["values"]) == 196
    unforced = service.explain_photo(Image.open(photo).convert("RGB"), "a cup")
    assert value["by_hand"]["model"]["similarity"] == pytest.approx(unforced.similarity, abs=1e-5)
    assert f"S(I, T) = {value['explanation']['similarity']:.4f}" in capsys.readouterr().out
    assert main([*command, "--keep", "197"]) == 2
    assert "keep has 197, but there are patches 1 to 196" in capsys.readouterr().err
    assert main([*command[:-1], "smallest_set"]) == 2
    assert "needs a gallery" in capsys.readouterr().err


def test_rank_follows_captions_through_a_video(
    service: RetrievalService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_rank_reads_a_video_in_a_process_of_bounded_memory(
    service: RetrievalService, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("this process must not decode videos")

    monkeypatch.setattr("seps.videos.read_frames", refuse)
    clip = write_clip(tmp_path / "clip.avi", [(RED, 5), (BLUE, 5)])
    assert main(["rank", "a red wall", "--video", str(clip), "--at", "cuts"]) == 0
    assert "\n2 frames of 1.0 s:\n" in capsys.readouterr().err
    large = write_clip(tmp_path / "large.avi", [(RED, 1)], size=(9000, 5000))
    assert main(["rank", "a red wall", "--video", str(large)]) == 2
    assert "pictures of 9000 x 5000 pixels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--video", "gone.mp4"], 'error: "gone.mp4" cannot be read (No such file or directory): name a video'),
        (["--video", "gone.mp4", "--gallery", "scenes"], "error: --gallery does not go with --video: leave one"),
        (["--video", "gone.mp4", "--frames", "0"], "error: --frames is 0, but 1 to 600 can be looked at."),
        (["--other-caption", "a dog"], "error: -o and --other-caption go with --video FILE: --csv writes a ranking."),
    ],
)
def test_what_does_not_go_with_a_video_is_refused(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rank", "a cup", *options]) == 2
    assert capsys.readouterr().err.startswith(sentence)
