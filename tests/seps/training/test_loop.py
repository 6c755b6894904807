import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from seps.data import open_image, read_split
from seps.evaluation.scenes import pooled_similarity
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.search.metrics import retrieval_metrics
from seps.training.batches.cache import cache_features, cache_key
from seps.training.command import main
from seps.training.losses.step import TrainingStep
from seps.training.pooled import main as pooled_main
from seps.training.settings import read_recipe
from seps.training.setup import start_model
from tests.helpers.models.tiny import equal_states
from tests.seps.training.recipes import CACHED, PIXELS, SHORT, recipe, run

WARMED: dict[str, Any] = PIXELS | {
    "epochs": 2,
    "loss": "infonce",
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

ONCE: dict[str, Any] = {"epochs": 1, "pretrain_epochs": 1, "captions_an_epoch": 1}


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

    resumed = run(data, tmp_path / "run", config, "--resume", str(len(rows) - 1))
    assert resumed == rows

    model = load_model(tmp_path / "run" / "best")
    with Image.open(data / "images" / "dev0.png") as photo:
        record = model.explain(photo, "a red square")
    assert sum(record.terms.values()) == pytest.approx(record.similarity, abs=1e-5)


def test_the_parts_after_the_frozen_ones_learn_along_and_no_others(data: Path, tmp_path: Path) -> None:
    config = recipe(data, ALONG | ONCE | {"bf16_backbones": False})
    run(data, tmp_path, config)
    torch.manual_seed(0)  # the recipe's seed
    before, after = SEPSModel(read_recipe(config)[0]).state_dict(), load_model(tmp_path / "best").state_dict()
    moved = {key for key, tensor in before.items() if not torch.allclose(tensor, after[key])}
    blocks, layers = "img_enc.visual_encoder.", "txt_enc.bert.encoder.layer."
    of_backbones = {key for key in moved if key.startswith((blocks, "txt_enc.bert."))}
    assert f"{blocks}conv_head.weight" in of_backbones
    assert any(key.startswith(f"{blocks}blocks.2") for key in of_backbones)
    for key in of_backbones:
        parts = ("blocks.2", "blocks.3", "blocks.4", "conv_head", "bn2")
        is_low_rank = key.startswith(f"{layers}1.") and "parametrizations.weight.0" in key
        assert is_low_rank or key.startswith(tuple(f"{blocks}{part}" for part in parts)), key
        assert "running_" not in key
    assert any(key.startswith(layers) for key in of_backbones)


def test_training_starts_from_a_model_of_the_same_kind(data: Path, tmp_path: Path) -> None:
    config, settings = read_recipe(recipe(data, PIXELS))
    torch.manual_seed(7)
    start = SEPSModel(config)
    start.save_pretrained(tmp_path)
    assert equal_states(start_model(config, settings, str(tmp_path), torch.device("cpu")), start)
    with pytest.raises(ValueError, match="cannot start from judge/encoders"):
        start_model(config, settings, "judge/encoders", torch.device("cpu"))


def test_s_p_learns_alone(data: Path, tmp_path: Path) -> None:
    alone = {"heads_rate": 0.0, "network_rate": 0.0, "weight_decay": 0.1, "epochs": 1, "captions_an_epoch": 1}
    config, start = recipe(data, TUNED | alone), tmp_path / "start"
    SEPSModel(read_recipe(config)[0]).save_pretrained(start)
    rows = run(data, tmp_path / "run", config, "--start", str(start))
    assert rows[0].keys() >= {"decision", "blind"}
    before, after = load_model(start).state_dict(), load_model(tmp_path / "run" / "best").state_dict()
    changed = {name for name, tensor in after.items() if not torch.equal(tensor, before[name])}
    assert changed and all(".score_predictor." in name for name in changed)


@pytest.mark.slow
def test_heads_train_on_a_tuned_model_s_features(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = recipe(data, TUNED | {"heads_rate": 0.0}, aggr_ratio=0.8)
    values = json.loads(Path(config).read_text())
    values["vision"]["encoder"], values["text"]["low_rank"] = "test_efficientnet", 2
    Path(config).write_text(json.dumps(values))
    torch.manual_seed(7)
    other = read_recipe(config)[0]
    start = SEPSModel(replace(other, network={**other.network, "aggr_ratio": 0.4})).eval()
    start.save_pretrained(tmp_path / "start")
    cache = tmp_path / "features"
    rows = run(data, tmp_path / "tuned", config, "--start", str(tmp_path / "start"), "--cache", str(cache))
    assert {"significance", "words", "maps", "decision", "blind"} <= rows[0].keys()
    assert rows[-1]["significance"] < rows[0]["significance"]
    assert "The network starts from random weights" in capsys.readouterr().out
    tuned = load_model(tmp_path / "tuned" / "best")
    assert tuned.cross_net.num_tokens > start.cross_net.num_tokens
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
    untrained = SEPSModel(start.config)
    untrained.freeze_backbones()
    assert cache_key(untrained, dev) != cache_key(start, dev)


def test_without_the_ranking_loss_embeddings_train_and_dev_is_ranked_by_pooled_ones(data: Path, tmp_path: Path) -> None:
    training = {"pretrain_epochs": 0, "align_weight": 0.0, "map_weight": 0.0, "dense": "none", "bf16_backbones": False}
    config = recipe(data, WARMED | training)
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


def test_images_elsewhere_and_the_pooled_rival(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = recipe(data, CACHED | ONCE)
    folder, images = shutil.copytree(data, tmp_path / "data"), tmp_path / "elsewhere"
    (folder / "images").rename(images)
    places = [config, "--data", str(folder), "--images", str(images)]
    assert main([*places, "--out", str(tmp_path / "run"), "--workers", "0"]) == 0
    capsys.readouterr()
    cache = str(tmp_path / "run" / "features")  # next to the run, where none is named
    assert pooled_main([*places, "--cache", cache, "--epochs", "1", "--seeds", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["seed"] == 3 and result["rsum"] > 0


def test_the_ranking_loss_rises_over_its_ramp(data: Path, tmp_path: Path) -> None:
    row = run(data, tmp_path, recipe(data, SHORT | {"align_ramp_epochs": 1}, sparse_ratio=0.3))[0]
    assert 0 < row["loss"] < 0.8 * row["align"]  # on average half of it
    assert row["target_ratio"] == 0.3


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
    config = recipe(data, PIXELS | {"captions_an_epoch": 0})
    assert main([config, "--data", str(data), "--out", str(tmp_path), "--workers", "0"]) == 2
    message = capsys.readouterr().err
    assert "The loss is nan in epoch 1, batch 3 of 10" in message
    assert str(int(calls[2].img_ids[0])) in message
    assert not (tmp_path / "checkpoints").exists()
