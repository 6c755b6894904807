import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from PIL import Image

from seps.data import read_split
from seps.runs.run_log import read_epochs
from seps.training.command import main
from seps.training.loop import train
from seps.training.settings import read_recipe
from tests.seps.training.recipes import PIXELS, SHORT, recipe, run

ROOT = Path(__file__).parents[3]
Refused = Callable[..., str]
TWO = SHORT | {"epochs": 2, "hard_after": 1}


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a run, and what it printed."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    with redirect_stdout(StringIO()) as printed:
        run(data, folder, recipe(data, TWO))
    return folder, printed.getvalue()


@pytest.fixture
def refused(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Train into `tmp_path / "out"`, which has to end with exit code 2; returns the error."""

    def train_and_read(config: str, *options: str, data: Path = data) -> str:
        arguments = [config, "--data", str(data), "--out", str(tmp_path / "out"), "--workers", "0", *options]
        assert main(arguments) == 2
        return capsys.readouterr().err

    return train_and_read


def test_missing_dense_captions_are_told_first(
    data: Path, tmp_path: Path, finished: tuple[Path, str], refused: Refused
) -> None:
    lacking = f"Split train of {data} has no dense captions, neither train_dense.jsonl nor DATASET_train.jsonl"
    message = f"error: {lacking}, but training.dense is 'own': write them, or set join_captions"
    assert message in refused(recipe(data, SHORT | {"join_captions": False}))
    assert not (tmp_path / "out").exists()
    note = f"{lacking}: each caption comes with its image's other captions, joined, in their place.\n"
    assert finished[1].startswith(note)


def test_checkpoints_that_cannot_be_resumed(data: Path, tmp_path: Path, refused: Refused) -> None:
    config, checkpoint = recipe(data, PIXELS), tmp_path / "out" / "checkpoints" / "epoch-001"
    checkpoint.mkdir(parents=True)
    (checkpoint / "checkpoint.safetensors").write_bytes(b"")
    for content, message in (
        ("{}", f"{checkpoint / 'checkpoint.json'}: the state lacks the key 'epoch'"),
        ('{"epoch": 7}', "written after 7 epochs, but the recipe has 3"),
        ('{"epoch": 1}', "checkpoint.safetensors is no safetensors file, or damaged"),
    ):
        (checkpoint / "checkpoint.json").write_text(content)
        assert message in refused(config, "--resume")
    (tmp_path / "out" / "metrics.csv").write_text("epoch,loss\n1,half\n")
    assert "metrics.csv cannot be read at line 2" in refused(config, "--resume")
    checkpoint.rename(checkpoint.with_name("epoch-old"))
    (tmp_path / "out" / "metrics.csv").unlink()
    assert "has no checkpoint at all" in refused(config, "--resume")


def test_a_run_is_not_overwritten(data: Path, tmp_path: Path, finished: tuple[Path, str], refused: Refused) -> None:
    config, out = recipe(data, TWO), shutil.copytree(finished[0], tmp_path / "out")
    curve = (out / "metrics.csv").read_bytes()
    assert refused(config) == (
        f"error: {out} holds a run of 2 epochs: add --resume to go on with it, or give --out another folder to start "
        "again.\n"
    )
    with pytest.raises(ValueError, match="holds a run of 2 epochs"):
        train(*read_recipe(config), data, out)
    assert (out / "metrics.csv").read_bytes() == curve
    shutil.rmtree(out / "checkpoints")
    assert "holds metrics.csv and best of another run" in refused(config)


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


def test_a_run_leaves_curves(finished: tuple[Path, str]) -> None:
    folder, _ = finished
    for name in ("metrics.csv", "loss.png", "loss_curves.png", "recipe.json", "tensorboard"):
        assert (folder / name).exists()
    with Image.open(folder / "recall.png") as picture:
        assert picture.size[0] > 400


def test_a_best_epoch_is_told_and_noted(finished: tuple[Path, str]) -> None:
    folder, printed = finished
    sums = [row["rsum"] for row in read_epochs(folder)]
    best = sums.index(max(sums)) + 1
    kept = json.loads((folder / "best" / "epoch.json").read_text())
    assert kept == {"epoch": best, "rsum": max(sums)}
    assert f"Best so far by rSum on dev, {max(sums):.1f}: epoch {best} is in {folder / 'best'}." in printed
    assert printed.count("Best so far") == best
    assert "From epoch 2 on only the hardest negative" in printed
    assert f"Best rSum on dev: {max(sums):.1f}, after epoch {best}. The model is in" in printed


def test_wrong_data_and_recipes_are_told(data: Path, tmp_path: Path, refused: Refused) -> None:
    config = recipe(data, PIXELS)
    (tmp_path / "empty").mkdir()
    message = refused(config, data=tmp_path / "empty")
    assert message.startswith("error: Split train of ") and "train_caps.txt" in message and "dev_caps.txt" in message
    assert "set frozen to true" in refused(recipe(data, PIXELS | {"similar_batches": 0.3}))
    assert "training has the unknown key 'epoch'" in refused(recipe(data, PIXELS | {"epoch": 1}))
    (tmp_path / "out").write_text("")
    assert refused(config).count("\n") == 1


def test_a_caption_file_trains(
    data: Path, tmp_path: Path, refused: Refused, capsys: pytest.CaptureFixture[str]
) -> None:
    splits = [read_split(data, name) for name in ("train", "dev")]
    entries = [
        {
            "filename": str(file),
            "sentences": [{"raw": caption} for caption in split.captions[i * 5 : i * 5 + 5]],
            "split": {"dev": "val"}.get(split.name, split.name),
        }
        for split in splits
        for i, file in enumerate(split.image_files)
    ]
    out, file, images = tmp_path / "out", tmp_path / "captions.json", ("--images", str(data))
    file.write_text(json.dumps({"images": entries}))
    assert refused(recipe(data, SHORT | {"map_weight": 0.5, "grounding_weight": 1.0}), *images, data=file) == (
        f"error: Split train of {file} has no phrases with boxes, train_entities.jsonl, which the recipe's "
        "grounding_weight and map_weight need: write them, or train without, --set training.grounding_weight=0 "
        "--set training.map_weight=0.\n"
    )
    assert not out.exists()
    large = SHORT | {"pretrain_epochs": 1, "pretrain_batch": 99, "pooled_weight": 1.0}
    message = "makes no batch of 99: lower training.pretrain_batch."
    assert message in refused(recipe(data, large), *images, data=file)
    shutil.rmtree(out)
    assert len(run(file, out, recipe(data, SHORT), *images)) == 1
    printed = capsys.readouterr().out
    assert printed.count("captions.json calls val what is dev here.") == 1
    assert f"Split train of {file} has no dense captions: each caption comes with" in printed
