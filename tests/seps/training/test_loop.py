"""Training end to end on images that the tests draw: it learns, resumes exactly, and its exports load."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from seps.data import open_image, read_split
from seps.evaluation.scenes import pooled_similarity
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.runs.run_log import read_epochs, read_steps
from seps.scenes import write_split as write_scenes
from seps.search.metrics import retrieval_metrics
from seps.training.cache import cache_features, cache_key
from seps.training.command import main
from seps.training.loop import dense_note, epoch_title, negatives_note, train
from seps.training.pooled import main as pooled_main
from seps.training.settings import TrainSettings, read_recipe
from seps.training.step import TrainingStep
from tests.helpers.drawn import WORDS, draw_split
from tests.helpers.tiny import tiny_settings, write_tiny_bert

ROOT = Path(__file__).parents[3]
PIXELS: dict[str, Any] = {"epochs": 3, "batch_size": 8, "learning_rate": 2e-3, "backbone_rate": 0.5, "augment": False}
SHORT: dict[str, Any] = PIXELS | {"epochs": 1, "captions_an_epoch": 1}  # 2 steps
WARMED: dict[str, Any] = PIXELS | {
    "epochs": 2,
    "loss": "infonce",
    "captions_an_epoch": 2,
    "images_an_epoch": 12,
    "neighbours": 4,
    "dense_share": 0.3,
    "pretrain_epochs": 2,
    "pretrain_batch": 8,
    "pooled_weight": 1.0,
    "grounding_weight": 0.5,
    "map_weight": 0.5,
    "bf16_backbones": True,
}
CACHED: dict[str, Any] = {
    "epochs": 2,
    "batch_size": 8,
    "loss": "infonce",
    "learning_rate": 2e-3,
    "schedule": "linear",
    "lr_warmup_steps": 2,
    "frozen": True,
    "dense_share": 0.5,
    "similar_batches": 0.3,
    "pretrain_epochs": 2,
    "pretrain_batch": 8,
    "pooled_weight": 1.0,
    "pooled_batch": 32,
    "grounding_weight": 0.5,
    "map_weight": 0.5,
    "aggregation_scale": 10.0,
    "dev_images": 6,
}

ALONG: dict[str, Any] = CACHED | {
    "frozen_until": "blocks.1",
    "frozen_text_layers": 1,
    "mirrored": True,
    "backbone_rate": 0.5,
    "pretrain_captions": 1,
    "bf16_backbones": True,
}


TUNED: dict[str, Any] = CACHED | {
    "pretrain_epochs": 0,
    "mirrored": True,
    "heads_rate": 0.5,
    "context_rate": 0.0,
    "word_weight": 0.5,
    "significance_weight": 0.5,
    "decision_weight": 0.5,
    "blind_weight": 0.5,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    draw_split(folder, "train", 16, seed=1)
    draw_split(folder, "dev", 8, seed=2)
    write_tiny_bert(folder / "bert", WORDS)
    return folder


def recipe(data: Path, training: dict[str, Any], **network: Any) -> str:
    """A recipe's file: with cached features heads have context. The drawn data have no dense captions."""
    training = {"join_captions": True} | training
    settings = tiny_settings(data / "bert")
    settings["network"] |= network
    if training.get("frozen"):
        settings["vision"] |= {"cls": "none", "context_size": 80, "dropout": 0.1}
        settings["text"] |= {"context": True, "dropout": 0.1}
    if training.get("frozen_until"):
        settings["vision"] |= {"encoder": "test_efficientnet"}
        settings["text"] |= {"low_rank": 2}
    path = data / f"recipe-{abs(hash(json.dumps([training, network])))}.json"
    path.write_text(json.dumps(settings | {"training": training}))
    return str(path)


def run(data: Path, out: Path, config: str, *options: str) -> list[dict[str, float]]:
    """Train, and read the curve without the seconds."""
    assert main([config, "--data", str(data), "--out", str(out), "--workers", "0", "--keep", "0", *options]) == 0
    return [{name: number for name, number in row.items() if name != "seconds"} for row in read_epochs(out)]


@pytest.mark.usefixtures("curves")
@pytest.mark.parametrize(
    "training",
    [CACHED, *(pytest.param(settings, marks=pytest.mark.slow) for settings in (PIXELS, WARMED, ALONG, TUNED))],
    ids=["cached", "pixels", "warmed", "along", "tuned"],
)
def test_learns_resumes_and_exports(data: Path, tmp_path: Path, training: dict[str, Any]) -> None:
    config = recipe(data, training)
    rows = run(data, tmp_path / "run", config)
    assert [row["epoch"] for row in rows] == list(range(1, len(rows) + 1))
    trained = [row for row in rows if "align" in row]
    assert trained[-1]["align"] < trained[0]["align"]
    assert any("maps" in row for row in trained) == bool(training.get("map_weight"))
    for name in ("metrics.csv", "loss.png", "loss_curves.png", "recall.png", "recipe.json", "tensorboard"):
        assert (tmp_path / "run" / name).exists()
    with Image.open(tmp_path / "run" / "recall.png") as picture:
        assert picture.size[0] > 400

    resumed = run(data, tmp_path / "run", config, "--resume", str(len(rows) - 1))
    assert resumed == rows

    model = load_model(tmp_path / "run" / "best")
    with Image.open(data / "images" / "dev0.png") as photo:
        record = model.explain(photo, "a red square")
    assert sum(record.terms.values()) == pytest.approx(record.similarity, abs=1e-5)


def test_the_parts_after_the_frozen_ones_learn_along_and_no_others(data: Path, tmp_path: Path) -> None:
    config = recipe(data, ALONG)
    run(data, tmp_path, config)
    torch.manual_seed(0)  # the recipe's seed
    before, after = SEPSModel(read_recipe(config)[0]).state_dict(), load_model(tmp_path / "best").state_dict()
    moved = {key for key, tensor in before.items() if not torch.allclose(tensor, after[key])}
    blocks, layers = "img_enc.visual_encoder.", "txt_enc.bert.encoder.layer."
    of_backbones = {key for key in moved if key.startswith((blocks, "txt_enc.bert."))}
    assert f"{blocks}conv_head.weight" in of_backbones
    assert any(key.startswith(f"{blocks}blocks.2") for key in of_backbones)
    for key in of_backbones:
        assert key.startswith(
            (f"{blocks}blocks.2", f"{blocks}blocks.3", f"{blocks}blocks.4", f"{blocks}conv_head", f"{blocks}bn2")
        ) or (key.startswith(f"{layers}1.") and "parametrizations.weight.0" in key), key
        assert "running_" not in key
    assert any(key.startswith(layers) for key in of_backbones)


def test_heads_and_what_learns_along_stay_after_pre_training_where_their_rate_is_0(data: Path, tmp_path: Path) -> None:
    rows = run(data, tmp_path, recipe(data, ALONG | {"heads_rate": 0.0}))
    assert [("pooled_rsum" in row, "rsum" in row) for row in rows] == [(True, False)] * 2 + [(False, True)] * 2
    states = [load_file(tmp_path / "checkpoints" / f"epoch-00{i}" / "checkpoint.safetensors") for i in (2, 4)]
    moved = {
        key for key, tensor in states[0].items() if key.startswith("modules.") and not tensor.equal(states[1][key])
    }
    assert moved and all(key.startswith(("modules.model.cross_net.", "modules.log_scale")) for key in moved)


def test_the_image_head_s_context_stays_where_its_rate_is_0(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path, recipe(data, TUNED | {"epochs": 2}))
    states = [load_file(tmp_path / "checkpoints" / f"epoch-00{i}" / "checkpoint.safetensors") for i in (1, 2)]
    head = "modules.model.img_enc."
    moved = {key for key, tensor in states[0].items() if key.startswith(head) and not tensor.equal(states[1][key])}
    assert moved == {f"{head}vision_proj.weight", f"{head}vision_proj.bias"}


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


def test_a_recipe_that_ships_says_what_stands_in_for_dense_captions(tmp_path: Path) -> None:
    models = [file.parent for file in (ROOT / "assets" / "models").glob("*/config.json")]
    files = [file for folder in models for file in folder.glob("recipe*.json")]
    files += (ROOT / "seps/configs/recipes").glob("*.json")
    recipes = {path: read_recipe(path)[1] for path in files}
    assert len(recipes) >= 9
    draw_split(tmp_path, "train", 1, seed=1)  # no dense captions, as Flickr8k's
    split = read_split(tmp_path, "train")
    for path, settings in recipes.items():
        of_scenes = path.parent.name == "scenes" or path.stem == "ratio"  # which are written with dense captions
        if settings.dense == "own" and not of_scenes:
            assert "joined" in (dense_note(split, settings) or ""), path


@pytest.mark.slow
def test_training_goes_on_from_a_model(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = recipe(data, PIXELS)
    run(data, tmp_path / "first", config)
    start = str(tmp_path / "first" / "best")
    anew, on = (
        run(data, tmp_path / name, recipe(data, PIXELS | {"epochs": 1, "seed": 5}), *options)
        for name, options in (("anew", ()), ("on", ("--start", start)))
    )
    assert on[0]["align"] < 0.9 * anew[0]["align"]
    wrong = recipe(data, PIXELS, use_paper_version=False, sparse_ratio=1.0)
    assert main([wrong, "--data", str(data), "--out", str(tmp_path), "--start", "judge/encoders"]) == 2
    assert "cannot start from" in capsys.readouterr().err


def test_s_p_learns_alone(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "first", recipe(data, TUNED | {"epochs": 1}))
    alone = TUNED | {"heads_rate": 0.0, "network_rate": 0.0, "weight_decay": 0.1, "epochs": 1}
    start = str(tmp_path / "first" / "best")
    rows = run(data, tmp_path / "second", recipe(data, alone), "--start", start)
    assert rows[0].keys() >= {"decision", "blind"}
    before, after = load_model(start).state_dict(), load_model(tmp_path / "second" / "best").state_dict()
    changed = {name for name, tensor in after.items() if not torch.equal(tensor, before[name])}
    assert changed and all(".score_predictor." in name for name in changed)


def test_a_tuned_model_s_heads_and_another_network_train_on_its_own_features(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(data, tmp_path / "along", recipe(data, ALONG | {"epochs": 1, "pretrain_epochs": 1}))
    start = load_model(tmp_path / "along" / "best")
    cache = tmp_path / "along" / "features"
    config = recipe(data, TUNED | {"heads_rate": 0.0}, aggr_ratio=0.8)
    values = json.loads(Path(config).read_text())
    values["vision"]["encoder"], values["text"]["low_rank"] = "test_efficientnet", 2
    Path(config).write_text(json.dumps(values))
    options = ("--start", str(tmp_path / "along" / "best"), "--cache", str(cache))
    rows = run(data, tmp_path / "tuned", config, *options)
    assert {"significance", "words", "maps", "decision", "blind"} <= rows[0].keys()
    assert rows[-1]["significance"] < rows[0]["significance"]
    assert "The network starts from random weights" in capsys.readouterr().out
    tuned = load_model(tmp_path / "tuned" / "best")
    assert tuned.cross_net.num_tokens == 2 * start.cross_net.num_tokens
    before = start.state_dict()
    for name, tensor in tuned.state_dict().items():  # statistics of the heads too
        assert name.startswith("cross_net.") or torch.equal(tensor, before[name]), name

    split, dev = (read_split(data, name) for name in ("train", "dev"))
    start.freeze_backbones()
    kept = cache_features(start, split, "none", cache, mirrored=True)
    photos = [open_image(path) for path in split.image_files[:3]]
    with torch.no_grad():
        features = start.img_enc.features(start.preprocess(photos))
    torch.testing.assert_close(kept.image_features(torch.arange(3)), features, atol=0.05, rtol=0.05)
    untrained = SEPSModel(read_recipe(config)[0])
    untrained.freeze_backbones()
    assert cache_key(untrained, dev) != cache_key(start, dev)


def test_without_the_ranking_loss_embeddings_train_and_dev_is_ranked_by_pooled_ones(data: Path, tmp_path: Path) -> None:
    training = WARMED | {"pretrain_epochs": 0, "align_weight": 0.0, "map_weight": 0.0, "dense": "none"}
    config = recipe(data, training)
    rows = run(data, tmp_path, config)
    assert all({"align", "maps", "kept"}.isdisjoint(row) for row in rows)
    assert rows[-1]["pooled"] < rows[0]["pooled"]
    best = max(rows, key=lambda row: row["rsum"])
    model = load_model(tmp_path / "best")
    dev = read_split(data, "dev")
    similarity = pooled_similarity(model, dev)
    assert best["rsum"] == pytest.approx(retrieval_metrics(similarity, dev.captions_per_image).rsum)

    torch.manual_seed(0)  # the recipe's seed
    untrained = SEPSModel(read_recipe(config)[0]).cross_net
    for (name, trained), drawn in zip(model.cross_net.named_parameters(), untrained.parameters(), strict=True):
        assert torch.equal(trained, drawn), name


def test_images_elsewhere_train_and_measure_the_pooled_rival(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = recipe(data, CACHED | {"epochs": 1, "pretrain_epochs": 1})
    folder, images = shutil.copytree(data, tmp_path / "data"), tmp_path / "elsewhere"
    (folder / "images").rename(images)
    run(folder, tmp_path / "run", config, "--images", str(images))
    capsys.readouterr()
    places = ["--data", str(folder), "--images", str(images), "--cache", str(tmp_path / "run" / "features")]
    assert pooled_main([config, *places, "--epochs", "1", "--seeds", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["seed"] == 3
    assert result["rsum"] > 0


def test_gumbel_softmax_logs_its_kept_ratio_and_warns(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    training = PIXELS | {"epochs": 2, "ratio_weight": 6.0, "augment": True}
    rows = run(data, tmp_path, recipe(data, training, use_gumbel_softmax=True, sparse_ratio=0.9))
    assert [row["ratio_weight"] for row in rows] == [6.0, 6.0]
    assert [row["target_ratio"] for row in rows] == [0.9, 0.9]
    steps = read_steps(tmp_path)
    assert [row["step"] for row in steps] == list(range(1, 21))
    for row in rows:
        of_epoch = [step for step in steps if step["epoch"] == row["epoch"]]
        for name in ("loss", "align", "ratio", "kept"):
            assert sum(step[name] for step in of_epoch) / len(of_epoch) == pytest.approx(row[name], rel=1e-6)
    warned = capsys.readouterr().err
    assert "Warning: In epoch 1 " in warned
    assert "Warning: The ratio weight is 6, above 5" in warned
    assert "Warning: The ratio loss of epoch 1 is" in warned


def test_the_kept_ratio_is_a_mean_over_branches_in_the_released_variant_too(data: Path, tmp_path: Path) -> None:
    row = run(data, tmp_path, recipe(data, SHORT, use_paper_version=False, sparse_ratio=0.5))[0]
    assert row["kept"] == pytest.approx(0.5)  # both branches keep half, their masks added come to 1


def test_target_and_lambdas_reach_the_ratio_loss_and_the_ramp_the_ranking_loss(data: Path, tmp_path: Path) -> None:
    settings = {"lambda_sparse": 3.0, "lambda_dense": 1.0}
    row = run(data, tmp_path / "ratio", recipe(data, SHORT | settings, sparse_ratio=0.3))[0]
    assert row["target_ratio"] == 0.3
    assert row["ratio"] == pytest.approx((3.0 + 1.0) * (row["kept"] - 0.3) ** 2, rel=1e-4)
    ramped = run(data, tmp_path / "ramp", recipe(data, SHORT | {"align_ramp_epochs": 1}))[0]
    assert 0 < ramped["loss"] < 0.8 * ramped["align"]  # on average half of it


def test_a_loss_that_is_not_finite_names_its_batch(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = []
    proper = TrainingStep.forward

    def spoilt(self: TrainingStep, batch: Any) -> dict[str, torch.Tensor]:
        calls.append(batch)
        losses = proper(self, batch)
        return losses | {"loss": losses["loss"] * float("nan")} if len(calls) == 3 else losses

    monkeypatch.setattr(TrainingStep, "forward", spoilt)
    config = recipe(data, PIXELS)
    assert main([config, "--data", str(data), "--out", str(tmp_path), "--workers", "0"]) == 2
    message = capsys.readouterr().err
    assert "The loss is nan in epoch 1, batch 3 of 10" in message
    assert str(int(calls[2].img_ids[0])) in message
    assert not (tmp_path / "checkpoints").exists()


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


def test_what_a_run_cannot_go_on_from_is_told_in_a_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [recipe(data, PIXELS), "--data", str(data), "--out", str(tmp_path), "--workers", "0", "--resume"]
    checkpoint = tmp_path / "checkpoints" / "epoch-001"
    checkpoint.mkdir(parents=True)
    (checkpoint / "checkpoint.safetensors").write_bytes(b"")
    for content, message in (
        ("{}", f"{checkpoint / 'checkpoint.json'}: the state lacks the key 'epoch'"),
        ('{"epoch": 7, "best": 0}', "written after 7 epochs, but the recipe has 3"),
        ('{"epoch": 1, "best": 0}', "checkpoint.safetensors is no safetensors file, or damaged"),
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


def test_an_epoch_s_title_says_its_stage() -> None:
    settings = TrainSettings(epochs=5, pretrain_epochs=3, pooled_weight=1.0)
    titles = [epoch_title(settings, epoch) for epoch in (0, 2, 3, 7)]
    assert titles == [
        "epoch 1 of 8 (pre-training, 1 of 3)",
        "epoch 3 of 8 (pre-training, 3 of 3)",
        "epoch 4 of 8 (training, 1 of 5)",
        "epoch 8 of 8 (training, 5 of 5)",
    ]
    assert epoch_title(TrainSettings(epochs=2), 1) == "epoch 2 of 2"


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
    assert (process.returncode, process.stderr.splitlines()) == (
        0,
        [f"error: {sentence}" for sentence in given],
    )


def test_the_tiny_recipe_trains_on_64_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, settings = read_recipe("tiny")
    assert (config.text.encoder, settings.frozen) == ("seps:scenes", False)
    write_scenes(tmp_path, "train", 8, 0)
    write_scenes(tmp_path, "dev", 2, 0)
    short = replace(settings, epochs=1, pretrain_epochs=1, batch_size=4, pretrain_batch=4)
    train(config, short, tmp_path, tmp_path / "run", workers=0)
    assert load_model(tmp_path / "run" / "best").grid == (10, 10)


def test_the_epoch_in_which_hardest_negatives_begin_is_told_before_it() -> None:
    settings = TrainSettings(epochs=4, hard_after=2, pretrain_epochs=3, captions_an_epoch=1, pooled_weight=1.0)
    notes = [negatives_note(settings, epoch) for epoch in range(7)]
    assert [bool(note) for note in notes] == [epoch == 5 for epoch in range(7)]
    assert notes[5].startswith("From epoch 6 on only the hardest negative of each image and caption counts")
    assert negatives_note(replace(settings, loss="infonce", hard_after=0), 3) == ""


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
