import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from seps.data import read_split
from seps.runs.run_log import read_epochs
from seps.training.command import main
from seps.training.loop import train
from seps.training.settings import read_recipe
from tests.seps.training.recipes import PIXELS, SHORT, recipe, run

ROOT = Path(__file__).parents[3]


def test_dense_captions_that_are_missing_are_told_before_training(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = f"Split train of {data} has no dense captions, neither train_dense.jsonl nor DATASET_train.jsonl"
    config = recipe(data, SHORT | {"join_captions": False})
    assert main([config, "--data", str(data), "--out", str(tmp_path / "run")]) == 2
    assert not (tmp_path / "run").exists()
    assert f"error: {lacking}, but training.dense is 'own': write them, or set join_captions" in capsys.readouterr().err

    run(data, tmp_path / "joined", recipe(data, SHORT))
    note = f"{lacking}: each caption comes with its image's other captions, joined, in their place.\n"
    assert capsys.readouterr().out.startswith(note)
    run(data, tmp_path / "without", recipe(data, SHORT | {"join_captions": False, "dense": "none"}))
    assert "dense captions" not in capsys.readouterr().out


def test_what_a_run_cannot_go_on_from_is_told_in_a_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [recipe(data, PIXELS), "--data", str(data), "--out", str(tmp_path), "--workers", "0", "--resume"]
    checkpoint = tmp_path / "checkpoints" / "epoch-001"
    checkpoint.mkdir(parents=True)
    (checkpoint / "checkpoint.safetensors").write_bytes(b"")
    for content, message in (
        ("{}", f"{checkpoint / 'checkpoint.json'}: the state lacks the key 'epoch'"),
        ('{"epoch": 7}', "written after 7 epochs, but the recipe has 3"),
        ('{"epoch": 1}', "checkpoint.safetensors is no safetensors file, or damaged"),
    ):
        (checkpoint / "checkpoint.json").write_text(content)
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    (tmp_path / "metrics.csv").write_text("epoch,loss\n1,half\n")
    assert main(arguments) == 2
    assert "metrics.csv cannot be read at line 2" in capsys.readouterr().err


def test_a_folder_that_holds_a_run_is_not_overwritten(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = recipe(data, SHORT)
    rows = run(data, tmp_path, config)
    printed = capsys.readouterr()
    assert "epoch 1 of 1: loss " in printed.out + printed.err
    arguments = [config, "--data", str(data), "--out", str(tmp_path), "--workers", "0"]
    assert main(arguments) == 2
    assert capsys.readouterr().err == (
        f"error: {tmp_path} holds a run of 1 epoch: add --resume to go on with it, or give --out another folder to "
        "start again.\n"
    )
    with pytest.raises(ValueError, match="holds a run of 1 epoch"):
        train(*read_recipe(config), data, tmp_path)
    assert [{name: value for name, value in row.items() if name != "seconds"} for row in read_epochs(tmp_path)] == rows
    shutil.rmtree(tmp_path / "checkpoints")
    assert main(arguments) == 2
    assert "holds metrics.csv and best of another run" in capsys.readouterr().err
    assert run(data, tmp_path / "new", config) == rows


def test_a_mistyped_path_is_refused_before_torch_is_imported(tmp_path: Path) -> None:
    out, nowhere = ["--out", f"{tmp_path}/out"], f"{tmp_path}/nowhere"
    given = {
        f"The folder {nowhere} does not exist: give the folder with captions and images.": ["tiny", "--data", nowhere],
        f"The recipe {nowhere}.json does not exist: give a JSON file, or tiny.": [f"{nowhere}.json", "--data", "."],
        f"The folder {nowhere} does not exist: give the folder with the image files.": (
            ["tiny", "--data", ".", "--images", nowhere]
        ),
    }
    program = (
        "import sys; from seps.training.command import main\n"
        f"codes = [main([*arguments, *{out!r}]) for arguments in {list(given.values())!r}]\n"
        "assert not {'torch', 'transformers', 'accelerate'} & sys.modules.keys(); sys.exit(codes != [2, 2, 2])"
    )
    process = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr.splitlines()) == (0, [f"error: {sentence}" for sentence in given])


def test_a_best_epoch_is_told_and_known_from_its_folder(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = run(data, tmp_path, recipe(data, SHORT | {"epochs": 3, "hard_after": 1}))
    sums = [row["rsum"] for row in rows]
    best = sums.index(max(sums)) + 1
    kept = json.loads((tmp_path / "best" / "epoch.json").read_text())
    assert kept == {"epoch": best, "rsum": max(sums)}
    printed = capsys.readouterr().out
    assert f"Best so far by rSum on dev, {max(sums):.1f}: epoch {best} is in {tmp_path / 'best'}." in printed
    assert printed.count("Best so far") == sum(value > max([-1.0, *sums[:i]]) for i, value in enumerate(sums))
    assert "From epoch 2 on only the hardest negative" in printed
    assert f"Best rSum on dev: {max(sums):.1f}, after epoch {best}. The model is in" in printed


def test_wrong_data_and_recipes_are_told_in_a_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = recipe(data, PIXELS)
    (tmp_path / "empty").mkdir()
    assert main([config, "--data", str(tmp_path / "empty"), "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert message.startswith("error: Split train of ")
    assert "train_caps.txt" in message
    assert "dev_caps.txt" in message
    assert main([recipe(data, PIXELS | {"similar_batches": 0.3}), "--data", str(data), "--out", str(tmp_path)]) == 2
    assert "set frozen to true" in capsys.readouterr().err
    assert main([recipe(data, PIXELS | {"epoch": 1}), "--data", str(data), "--out", str(tmp_path)]) == 2
    assert "training has the unknown key 'epoch'" in capsys.readouterr().err
    (tmp_path / "checkpoints" / "epoch-old").mkdir(parents=True)
    assert main([config, "--data", str(data), "--out", str(tmp_path), "--resume"]) == 2
    assert "has no checkpoint at all" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main([config, "--data", str(data), "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_caption_file_trains_and_what_it_lacks_is_told_first(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    splits = [read_split(data, name) for name in ("train", "dev")]
    entries = [
        {
            "filename": str(file),
            "sentences": [{"raw": caption} for caption in split.captions[i * 5 : i * 5 + 5]],
            "split": {"dev": "val"}.get(name, name),
        }
        for name, split in zip(("train", "dev"), splits, strict=True)
        for i, file in enumerate(split.image_files)
    ]
    (tmp_path / "captions.json").write_text(json.dumps({"images": entries}))
    out, file = tmp_path / "out", str(tmp_path / "captions.json")
    arguments = ["--data", file, "--images", str(data), "--out", str(out), "--workers", "0"]
    settings = PIXELS | {"epochs": 1}
    assert main([recipe(data, settings | {"map_weight": 0.5, "grounding_weight": 1.0}), *arguments]) == 2
    assert capsys.readouterr().err == (
        f"error: Split train of {file} has no phrases with boxes, train_entities.jsonl, which the recipe's "
        "grounding_weight and map_weight need: write them, or train without, --set training.grounding_weight=0 "
        "--set training.map_weight=0.\n"
    )
    assert not out.exists()
    large = settings | {"pretrain_epochs": 1, "pretrain_batch": 99, "pooled_weight": 1.0}
    assert main([recipe(data, large), *arguments]) == 2
    assert "makes no batch of 99: lower training.pretrain_batch." in capsys.readouterr().err
    shutil.rmtree(out)
    assert main([recipe(data, settings), *arguments]) == 0
    printed = capsys.readouterr().out
    assert printed.count("captions.json calls val what is dev here.") == 1
    assert f"Split train of {file} has no dense captions: each caption comes with" in printed
    assert len(read_epochs(out)) == 1
