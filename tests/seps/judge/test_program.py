import csv
import json
import re
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from seps.judge.ablate import spread, variants
from seps.judge.config import EncoderConfig
from seps.judge.encoders import load_clip, with_first_layers
from seps.judge.judge import load_judge
from seps.judge.program import arguments_parser, changed_values, main
from seps.judge.training.settings import read_recipe
from seps.runs import bootstrap
from tests.helpers.models.judged import clip_settings, tiny_judge

Refusal = Callable[..., str]
TRAIN = ["train", "RECIPE", "--data", "RATED", "--out", "OUT"]
ABLATE = ["ablate", "--recipe", "RECIPE", "--data", "RATED", "--out", "OUT"]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "SAMPLES", 20)
    monkeypatch.setattr("seps.judge.ablate.SCALES", (0.2, 1.0))


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def model(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    tiny_judge(clip).save(folder)
    return folder


@pytest.fixture(scope="module")
def recipe(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("recipe") / "recipe.json"
    file.write_text(json.dumps(clip_settings(clip) | {"training": {"epochs": 1, "batch_size": 8, "versions": 1}}))
    return file


def test_train_then_evaluate(recipe: Path, rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, result = tmp_path / "run", tmp_path / "result.json"
    train = ["train", str(recipe), "--data", str(rated), "--out", str(run), "--seed", "3", "--freeze", "1"]
    assert main(train) == 0
    recipe_of_run = json.loads((run / "recipe.json").read_text())
    assert recipe_of_run["training"]["seed"] == 3
    assert recipe_of_run["encoder"]["freeze_layers"] == {"vision": 1, "text": 1}
    assert main([*train, "--resume"]) == 0
    arguments = f"evaluate --model {run / 'model'} --data {rated} --split dev --json {result}".split()
    assert main(arguments) == 0
    values = json.loads(result.read_text())
    for score in ("quality", "consistency"):
        assert set(values[score]) == {"srocc", "plcc", "krcc", "intervals"}
        assert values["within_prompt"][score]["prompts"] == 2
    assert set(values["by_generator"]) == {"system-0", "system-1"}
    assert {"partial_given_predicted_quality", "partial_given_rated_quality"} <= set(values["beyond_quality"])
    assert "quality" in capsys.readouterr().out
    cached = tmp_path / "cached.json"
    assert main([*arguments[:-1], str(cached), "--cache", str(tmp_path / "cache")]) == 0
    assert json.loads(cached.read_text())["quality"]["srocc"] == pytest.approx(values["quality"]["srocc"], abs=0.1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            "--epochs 1 --batch-size 6 --lr 5e-5 --residual-scale-q 0.1 --residual-scale-c 0.4",
            "training.epochs=1 training.batch_size=6 training.learning_rate=5e-05 scale_q=0.1 scale_c=0.4",
        ),
        ("--freeze all --no-residual", "residual=false encoder.freeze=all encoder.freeze_layers={}"),
        # the usual rate of encoders that learn whole
        ("--freeze none", "training.learning_rate=3e-05 encoder.freeze=none encoder.freeze_layers={}"),
    ],
)
def test_options_take_precedence_over_the_recipe(options: str, expected: str) -> None:
    parsed = arguments_parser().parse_args(["train", "quick", "--data", "D", "--out", "O", *options.split()])
    assert changed_values(parsed) == expected.split()


def test_score_writes_all_parts(model: Path, rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(rated / "images" / f"{i}.png") for i in (0, 1)]
    assert (
        main(["score", *files, "--prompt", "a red dog", "--model", str(model), "--csv", str(tmp_path / "s.csv")]) == 0
    )
    rows = read_csv(tmp_path / "s.csv")
    assert [row["image"] for row in rows] == ["0.png", "1.png"]
    for row in rows:
        for score in ("quality", "consistency"):
            base, correction, final = (float(row[f"{score}_{part}"]) for part in ("base", "correction", "final"))
            assert final == pytest.approx(min(1, max(0, base + correction)), abs=2e-6)
    assert "base" in capsys.readouterr().out


@pytest.mark.parametrize(("by", "names"), [("quality", ["quality"]), ("both", ["quality", "consistency"])])
def test_sort_puts_the_best_first(model: Path, rated: Path, tmp_path: Path, by: str, names: list[str]) -> None:
    output = tmp_path / "sorted.csv"
    arguments = ["sort", str(rated / "images"), "--prompts", str(rated / "ratings.csv"), "--model", str(model)]
    assert main([*arguments, "--by", by, "--csv", str(output)]) == 0
    rows = read_csv(output)
    worth = [sum(float(row[f"{name}_final"]) for name in names) for row in rows]
    assert len(rows) == 24 and worth == sorted(worth, reverse=True)


def test_odd_names_of_files(model: Path, rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = next((rated / "images").rglob("*.png"))
    folder, prompts, scores = tmp_path / "pictures", tmp_path / "prompts.csv", tmp_path / "scores.csv"
    folder.mkdir()
    for name in (unicodedata.normalize("NFD", "café.png"), "=1+1.png", "saved.jfif", "a\x1b[2J\nforged: 1.png"):
        shutil.copy(picture, folder / name)
    (folder / "notes.txt").write_text("no picture")
    with prompts.open("w", newline="", encoding="utf-8") as file:
        names = (unicodedata.normalize("NFC", "café.png"), "=1+1.png", "saved.jfif", "a\x1b[2J\nforged: 1.png")
        csv.writer(file).writerows([("image", "prompt"), *((name, "=HYPERLINK(1) 花") for name in names)])
    assert main(["sort", str(folder), "--prompts", str(prompts), "--model", str(model), "--csv", str(scores)]) == 0
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 4
    assert "\x1b" not in printed
    assert scores.read_bytes().startswith(b"\xef\xbb\xbfimage,prompt,")
    rows = read_csv(scores)
    assert {row["prompt"] for row in rows} == {"'=HYPERLINK(1) 花"}
    assert {"'=1+1.png", "saved.jfif", r"a\x1b[2J\nforged: 1.png"} < {row["image"] for row in rows}
    again = tmp_path / "again.csv"  # what was written names the same pictures when it is read
    with pytest.raises(SystemExit):
        main(["sort", str(folder), "--prompts", str(scores), "--model", str(model), "--csv", str(again)])
    assert r"no prompt for a\x1b[2J forged: 1.png" in capsys.readouterr().err
    (folder / "a\x1b[2J\nforged: 1.png").unlink()  # but for a name that cannot be printed
    assert main(["sort", str(folder), "--prompts", str(scores), "--model", str(model), "--csv", str(again)]) == 0
    assert [row for row in rows if "forged" not in row["image"]] == read_csv(again)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "absent.png", "--prompt", "a", "--model", "MODEL"], "absent.png cannot be read as an image"),
        (["score", "RATED/images/0.png", "--prompt", "a", "--model", "nobody"], "no judge that ships"),
        (["evaluate", "--data", "RATED", "--json", "absent/r.json"], "folder absent does not exist"),
        (["sort", "RATED/images", "--prompts", "RATED/images/0.png", "--model", "MODEL"], "cannot be read as a CSV"),
        (["sort", "RATED", "--prompts", "RATED/ratings.csv", "--model", "MODEL"], "holds no picture"),
        (["train", "unheard", *TRAIN[2:]], "neither a JSON file nor one of"),
        ([*TRAIN, "--no-residual", "--residual-scale-c", "0.2"], "--no-residual scores without corrections"),
        ([*ABLATE, "--seeds", "0"], "--seeds is 0"),
        ([*ABLATE, "--freeze", "4"], "has 3 vision and 2 text layers: freeze at most 3"),
        ([*ABLATE, "--freeze", "some"], "--freeze is 'some', but all, none or a number of layers"),
        ([*ABLATE, "--set", "training.nothing=3"], "training has the unknown key 'nothing'"),
        (
            [*ABLATE, "--set", 'encoder={"kind":"seps","name":"photos","stages":[2]}', "--freeze", "1"],
            "always stay frozen",
        ),
    ],
)
def test_errors_take_one_line(
    arguments: list[str], message: str, model: Path, recipe: Path, rated: Path, tmp_path: Path, refusal: Refusal
) -> None:
    places = {"RATED": rated, "MODEL": model, "RECIPE": recipe, "OUT": tmp_path / "out"}
    for name, place in places.items():
        arguments = [argument.replace(name, str(place)) for argument in arguments]
    error = refusal(main, arguments).strip().split("\n")[-1]
    assert error.startswith("error: ") and message in error
    assert not (tmp_path / "out").exists()


def test_a_run_in_a_judge_s_place_is_told_with_the_judge_in_it(tmp_path: Path) -> None:
    (tmp_path / "best").mkdir()
    (tmp_path / "best" / "judge.json").write_text("{}")
    with pytest.raises(ValueError, match="is a run's folder"):
        load_judge(tmp_path)


def test_one_number_freezes_that_many_layers_of_each_tower_and_all_of_a_shorter_one(clip: Path) -> None:
    """Of 3 image and 2 text layers, as 18 of ViT-L/14's 24 and 12."""
    config = EncoderConfig("clip", str(clip), "all")
    for count, layers in ((1, {"vision": 1, "text": 1}), (3, {"vision": 3, "text": 2})):
        frozen = with_first_layers(config, count)
        assert (frozen.freeze, frozen.freeze_layers) == ("layers", layers)
        learns = {name for name, tensor in load_clip(frozen).named_parameters() if tensor.requires_grad}
        left = {name for name in learns if ".layers." in name}
        assert {re.sub(r".*(vision|text)_model.*layers\.(\d).*", r"\1 \2", name) for name in left} == {
            f"{tower} {layer}" for tower, most in (("vision", 3), ("text", 2)) for layer in range(layers[tower], most)
        }
    with pytest.raises(ValueError, match=r"encoder\.freeze is 'layers'"):
        with_first_layers(EncoderConfig("seps", "judge/encoders", stages=(0,)), 1)


def test_an_ablation_compares_freezing_forms_and_scales(recipe: Path) -> None:
    rows = {name: config for name, config, _ in variants(*read_recipe(recipe))}
    freezing = ("all frozen", "half of each tower frozen", "2 of 3 layers frozen", "fully trained")
    forms = ("direct", "direct, two branches", "residual", "scale 0.2", "scale 1, no bound")
    assert list(rows) == [*(f"residual, {name}" for name in freezing), *forms]
    assert [rows[name].residual for name in forms] == [False, False, True, True, True]
    assert (rows["scale 1, no bound"].scale_q, rows["scale 1, no bound"].scale_c) == (1.0, 1.0)


def test_ablate_writes_every_run(recipe: Path, rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "ablation"
    arguments = ["ablate", "--data", str(rated), "--out", str(out), "--recipe", str(recipe), "--seeds", "1"]
    assert main([*arguments, "--rows", "freezing", "--freeze", "1"]) == 0
    rows = read_csv(out / "ablation.csv")
    names = {row["variant"] for row in rows}
    assert {"residual, all frozen", "residual, 1 of 3 layers frozen", "residual, fully trained"} < names
    assert {row["split"] for row in rows} == {"prompt", "row"} and len(rows) == 2 * len(names)
    assert (out / "ablation.png").stat().st_size > 1000
    trained = [row for row in rows if row["variant"] == "residual, fully trained" and row["split"] == "prompt"]
    columns = ("quality", "quality_plcc", "consistency", "consistency_plcc")
    cells = [spread([float(row[column]) for row in trained]) for column in columns]
    assert f"| residual, fully trained | {' | '.join(cells)} |" in capsys.readouterr().out
