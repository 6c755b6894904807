import csv
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from demo.__main__ import main
from demo.galleries.sources import named
from demo.record.packing import packed
from demo.service.models import start
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.judge.values import score_sentence
from seps.judge import Judge
from tests.helpers.web.single_page import shown_in

pytestmark = pytest.mark.usefixtures("own_cache")


def test_explain_draws_a_picture(
    opened: RetrievalService, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, caption = tmp_path / "out.png", "eine Tasse Kaffee auf Holztisch"
    assert main(["explain", str(photo), caption, "-o", str(out), "--layer", "score"]) == 0
    with Image.open(out) as image:
        assert image.width >= 1400
    printed = capsys.readouterr()
    assert "S(I, T) = " in printed.out
    assert "learnt English captions; it may not know: Tasse, Kaffee, Holztisch." in printed.err


def test_a_model_of_one_s_own_explains_and_ranks(
    scenes_model: Path, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = named.examples_gallery()
    monkeypatch.setattr(start, "examples_gallery", lambda: replace(examples, items=examples.items[:2]))
    folder, out = photo.with_name("My run"), photo.with_name("out.json")
    model = str(shutil.copytree(scenes_model, folder / "best"))
    assert main(["explain", str(photo), "a red dog", "-o", str(out), "--model", model]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["model"] == "My-run"
    capsys.readouterr()
    assert main(["rank", "a red dog", "--model", model, "--top", "1"]) == 0
    out_lines, err = capsys.readouterr()
    assert len(out_lines.splitlines()) == 1
    assert "The best 1 of 2 photographs" in err


SLIPS: list[tuple[str, list[str], str]] = [
    ("demo.__main__", ["--help"], ""),
    ("demo.__main__", ["rank", "a cup", "--photos", "nowhere"], "error: There is no folder nowhere"),
    ("demo.__main__", ["rank", "a cup", "--model", "moon"], "error: There is no model 'moon' here"),
    ("demo.__main__", ["rank", "a cup", "--top", "0"], "error: --top is 0"),
    ("demo.__main__", ["explain", "nowhere.png", "a cup", "-o", "out.png"], 'error: The photo "nowhere.png" is'),
    ("demo.__main__", ["judge", "app.py", "--prompt", " "], "error: --prompt is empty"),
    ("demo.__main__", ["figure", "none.json", "-o", "a.gif"], "error: format is 'gif'"),
    ("demo.__main__", ["judge", "app.py", "--prompt", "a cup", "--out", "out.png"], "error: format is 'png'"),
    ("demo.__main__", ["generate", "a dog", "-o", "out.png", "--steps", "5"], "error: steps is '5'"),
    ("demo.__main__", ["generate", "a dog", "-o", "nowhere/out.png"], "error: The folder nowhere does not exist"),
    ("demo.__main__", ["lesson", "-o", "lesson.mp4"], "error: format is 'mp4', but it must be one of pdf, zip, gif,"),
    ("app", ["--help"], ""),
    ("app", ["--photos", "nowhere"], "error: There is no folder nowhere"),
    ("app", ["--frame-ancestors", "course"], "error: 'course' is no site that may show the app in a frame"),
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
    slow = sorted({"torch", "gradio", "transformers", "matplotlib", "numpy", "timm"} & sys.modules.keys())
    answers.append((code, written.getvalue(), slow))
print(json.dumps(answers))
"""


def test_help_and_slips_are_answered_before_torch_is_imported() -> None:
    given = json.dumps([(program, arguments) for program, arguments, _ in SLIPS])
    done = subprocess.run(
        [sys.executable, "-c", ANSWERS], cwd=Path(__file__).parents[2], input=given, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for (program, arguments, error), (code, written, slow) in zip(SLIPS, json.loads(done.stdout), strict=True):
        assert code == (2 if error else 0), written
        assert written.startswith(error), (program, arguments, written)
        assert written.count("\n") == bool(error), written
        assert slow == [], (program, arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "a cup", "--gallery", "moon"], "There is no gallery 'moon'"),
        (["rank", "a cup", "--shortlist", "3"], "--shortlist goes with --photos URI"),
        (["rank", "a cup", "--all"], "--all and --name go with --photos, a folder or a table"),
        (["rank", "a cup", "--recursive"], "--recursive reads the folders below --photos FOLDER"),
        (["rank", "a cup", "--photo", "PHOTO", "--photos", "FOLDER"], "leave one of the two"),
        (["rank", "a cup", "--photo", "PHOTO", "--gallery", "scenes"], "--gallery names captions to rank, but others"),
        (["rank", "a cup", "--photo", "PHOTO", "--dense", "a cup"], "--dense goes with a ranking of photographs"),
        (["why", "PHOTO", "a cup", "--other-caption", " \n"], "--other-caption is empty: write another one"),
        (["why", "PHOTO", "a cup", "--other", "PHOTO"], "--other is the same photograph"),
        (["why", "PHOTO", "a cup", "--other-caption", "a dog", "--dense", "a cup"], "--dense goes with one caption of"),
        (["why", "PHOTO", "a cup", "--other-caption", "a dog", "--word", "9"], "there are words 1 to "),
        (["explain", "PHOTO", "a cup", "-o", "FOLDER/a.png", "--layer", "word:4"], "The caption has 2 words, 1 to 2"),
        (["rank", "a cup", "--model", "photos", "--gallery", "scenes"], "belongs to the model 'scenes', not 'photos'"),
        (["rank"], "The caption is empty"),
        (["figure", "FOLDER/none.json", "-o", "FOLDER/a.pdf"], "none.json does not exist: name a spec"),
        (["lesson", "PHOTO", "-o", "FOLDER/a.pdf"], "The lesson on a photograph needs a caption"),
        (["lesson", "--dense", "long", "-o", "FOLDER/a.pdf"], "--dense and --credit need your own photograph"),
        (["generate", "a dog", "-o", "FOLDER"], "is a folder, so that no file can be written there"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    opened: RetrievalService,
    registry: ModelRegistry,
    photo: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("generating.service.GeneratingService", "judging.JudgingService"):
        monkeypatch.delattr(f"demo.service.{name}")  # nothing long is begun
    monkeypatch.setattr(start, "open_scenes", lambda *_: registry.of("scenes"))
    places = {"PHOTO": str(photo), "FOLDER": str(photo.parent)}
    assert main([re.sub("PHOTO|FOLDER", lambda name: places[name[0]], argument) for argument in arguments]) == 2
    assert message in capsys.readouterr().err


def test_pictures_are_judged_sorted_and_written(
    judge: Judge, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "load_shipped_judge", lambda: judge)
    grey = photo.with_name("grey.png")
    Image.new("RGB", (64, 64), "grey").save(grey)
    table = photo.with_name("out.csv")
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


def test_why_prints_shares_that_add_up_and_writes_them(
    opened: RetrievalService, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grey, table = photo.with_name("grey.png"), photo.with_name("out.csv")
    Image.new("RGB", (64, 64), "grey").save(grey)
    assert main(["why", str(photo), "a cup of coffee", "--other", str(grey), "-o", str(table)]) == 0
    order, *printed = capsys.readouterr().out.splitlines()
    lines = [line for line in printed if line.startswith(" ")]  # the rest are sentences
    record = opened.explain_photo(Image.open(photo).convert("RGB"), "a cup of coffee")
    assert f"{record.similarity:.4f}" in order
    assert sum(float(line.split()[-3]) for line in lines) == pytest.approx(record.similarity, abs=1e-3)
    with table.open(encoding="utf-8-sig", newline="") as file:
        *parts, total = csv.DictReader(file)
    assert sum(float(part["left"]) for part in parts) == pytest.approx(record.similarity, abs=1e-4)
    assert float(total["left"]) == pytest.approx(record.similarity, abs=1e-4)


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
    assert main(["rank", caption, "--top", "1", "--gallery", "scenes"]) == 0
    assert expected in capsys.readouterr().out
    source, out = indexed.gallery.items[0].source, tmp_path / "out.json"
    arguments = ["explain", str(source), caption, "-o", str(out), "--model", "scenes", "--layer", "blurred:2"]
    assert main(arguments) == 0
    assert "slower, since 101 pictures are encoded" in capsys.readouterr().err
    value = json.loads(out.read_text(encoding="utf-8"))
    assert value["model"] == "scenes"
    similarity = service.explain(indexed, 0, caption).similarity
    assert value["explanation"]["similarity"] == pytest.approx(similarity, abs=1e-5)
    blurred = value["explanation"]["measures"]["blurred"]["values"]
    assert len(blurred) == 100 and any(blurred)


def test_a_decision_by_hand_is_told_and_drawn(
    opened: RetrievalService, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = photo.with_name("out.json")
    assert main(["explain", str(photo), "a cup", "-o", str(out), "--drop", "all", "--keep", "1,2,5-9"]) == 0
    value = json.loads(out.read_text(encoding="utf-8"))
    branch = value["explanation"]["branches"][0]
    assert [patch for patch, kept in enumerate(branch["kept"], start=1) if kept] == [1, 2, 5, 6, 7, 8, 9]
    assert branch["forced"]
    unforced = opened.explain_photo(Image.open(photo).convert("RGB"), "a cup")
    assert value["by_hand"]["model"]["similarity"] == pytest.approx(unforced.similarity, abs=1e-5)
    assert f"S(I, T) = {value['explanation']['similarity']:.4f}" in capsys.readouterr().out


CAPTION = "a cup of coffee on a table"
MOST = 1_000_000  # bytes of a page


def test_a_page_of_the_worked_example_needs_no_server(
    opened: RetrievalService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "lesson.html"
    assert main(["lesson", "-o", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert len(page) <= MOST
    assert not re.search(r'(?:src|href)="(?!data:)', page)  # nothing of another place
    shown = shown_in(page)
    value, indexed = shown["value"], opened.find("examples")
    index = opened.rank_images(indexed, value["caption"]).order[0]
    assert (shown["component"], value["still"], len(value["steps"])) == ("lesson", True, 9)
    assert value["dense_caption"] == indexed.gallery.items[index].dense
    assert value["record"] == packed(opened.explain(indexed, index, value["caption"], value["dense_caption"]))
    assert value["photo"]["credit"] == indexed.gallery.items[index].credit
    assert f"is written: {len(page.encode()) / 1e6:.1f} MB" in capsys.readouterr().out


def test_a_photograph_is_ranked_among_the_examples(
    opened: RetrievalService, photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = opened.find("examples").gallery
    monkeypatch.setattr(named, "examples_gallery", lambda: replace(examples, items=examples.items[:2]))
    out = tmp_path / "lesson.html"
    assert main(["lesson", str(photo), CAPTION, "--credit", "a photographer, CC BY 2.0", "-o", str(out)]) == 0
    value = shown_in(out.read_text(encoding="utf-8"))["value"]
    assert (value["caption"], value["dense_caption"], value["photo"]["title"]) == (CAPTION, None, "cup.png")
    assert value["photo"]["credit"] == "a photographer, CC BY 2.0"
    assert value["rank"]["total"] == 3


def test_a_pass_and_a_contrast_are_pages_too(
    opened: RetrievalService, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "view.html"
    assert main(["explain", str(photo), CAPTION, "--layer", "word:2", "--opacity", "0.5", "-o", str(out)]) == 0
    shown = shown_in(out.read_text(encoding="utf-8"))
    assert (shown["component"], shown["value"]["layer"], shown["value"]["opacity"]) == ("viewer", "word:2", 0.5)
    assert shown["value"]["model"] == opened.name
    assert main(["explain", str(photo), CAPTION, "--drop", "all", "--keep", "1", "-o", str(out)]) == 2
    assert "do not go with html" in capsys.readouterr().err
    assert main(["why", str(photo), CAPTION, "--other-caption", "a red car", "--word", "1", "-o", str(out)]) == 0
    shown = shown_in(out.read_text(encoding="utf-8"))
    assert shown["component"] == "why" and shown["value"]["captions"]
    assert shown["value"]["layer"].startswith("word:")
    assert [side["caption"] for side in shown["value"]["sides"]] == [CAPTION, "a red car"]
