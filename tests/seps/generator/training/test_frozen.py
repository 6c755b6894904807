import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import load_file, save_file

from seps.data import open_image, read_split
from seps.data.dataset import augment_image, item_random
from seps.generator import ImageTextGenerator
from seps.generator.config import GeneratorConfig
from seps.generator.model.network import GeneratorNetwork, to_values
from seps.generator.training import loop
from seps.generator.training.data import cells_of, features_of
from seps.generator.training.settings import GeneratorSettings, Stage
from seps.runs.run_log import read_epochs

ENCODER = "test_efficientnet"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> GeneratorConfig:
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("weights")
    save_file(timm.create_model(ENCODER).state_dict(), folder / "model.safetensors")
    values: dict[str, Any] = {
        "image_size": 64,
        "encoders": {"vision": ENCODER, "vision_weights": f"folder:{folder}", "frozen": True},
        "captioner": {"width": 32, "layers": 1, "heads": 2, "max_words": 24, "dropout": 0.0, "vocabulary": 50},
        "draws": False,
        "reads": False,
    }
    return GeneratorConfig.from_dict(values)


def settings(**values: Any) -> GeneratorSettings:
    stage = Stage(("captions",), epochs=3, patience=values.pop("patience", 0))
    return GeneratorSettings((stage,), batch_size=2, held_back=4, learning_rate=0.003, mirrored=True, **values)


def test_cached_features_are_those_of_mirrored_and_crops(config: GeneratorConfig, drawn: Path, tmp_path: Path) -> None:
    network, split = GeneratorNetwork(config), read_split(drawn, "dev")
    cells = features_of(network, split, tmp_path, mirrored=True, crops=2)
    assert cells.shape[1] == 4
    picture = open_image(split.image_files[1])
    crop = augment_image(picture, item_random(0, 1, 1, "image"))
    views = torch.cat([to_values([picture], 64), to_values([picture], 64).flip(3), to_values([crop], 64)])
    expected = cells_of(network.images, views).numpy()
    seen = cells[1, [0, 1, 3]].astype(np.float32)
    assert np.abs(seen - expected).mean() < 0.03 * np.abs(expected).mean()  # bfloat16 rounds
    assert np.abs(cells[1, 2].astype(np.float32) - expected[2]).mean() > 0.1 * np.abs(expected).mean()
    (file,) = tmp_path.glob("*.npy")
    written = file.stat().st_mtime_ns
    features_of(network, split, tmp_path, mirrored=True, crops=2)
    assert file.stat().st_mtime_ns == written


def test_it_learns_from_part_of_train_and_not_the_encoder(config: GeneratorConfig, drawn: Path, tmp_path: Path) -> None:
    before = GeneratorNetwork(config).images.backbone.state_dict()
    network = loop.train(config, settings(), drawn, tmp_path / "run")
    after = network.images.backbone.state_dict()
    assert all(torch.equal(after[key], tensor) for key, tensor in before.items())
    losses = [row["dev_loss"] for row in read_epochs(tmp_path / "run")]
    assert losses[-1] < losses[0]
    assert not list((tmp_path / "run" / "pictures").glob("dev*"))
    assert len(np.load(tmp_path / "run" / "pictures" / f"held_back-{ENCODER}-64-mirrored.npy")) == 4
    saved = load_file(tmp_path / "run" / "model" / "captioner.safetensors")
    assert not any(key.startswith("images.backbone") for key in saved)
    first = ImageTextGenerator(tmp_path / "run" / "model", "cpu")
    pictures = [open_image(path) for path in read_split(drawn, "dev").image_files]
    known = first.network.captioner.written
    assert known is not None
    used = {token for caption in first.write(pictures) for best in caption for token in best.words}
    assert used <= set(first.network.tokenizer.labels(known.tolist()))


def test_a_stage_with_patience_ends_early_and_keeps_its_best_epoch(
    config: GeneratorConfig, drawn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[torch.Tensor] = []

    def worse_each_time(run: loop.Run, *_: object) -> dict[str, float]:
        kept.append(run.objective.network.captioner.tokens.weight.detach().clone())
        return {"dev_loss": float(len(kept))}

    monkeypatch.setattr(loop, "measure", worse_each_time)
    network = loop.train(config, settings(patience=1), drawn, tmp_path / "run")
    assert len(kept) == 2  # the second was no better than the first
    torch.testing.assert_close(network.captioner.tokens.weight.detach(), kept[0], atol=1e-3, rtol=1e-3)
    assert not torch.allclose(kept[1], kept[0], atol=1e-3, rtol=1e-3)
    loop.train(config, settings(patience=1), drawn, tmp_path / "run", resume=True)
    assert len(kept) == 2


@pytest.mark.parametrize(
    ("encoders", "more", "message"),
    [
        ({"frozen": True}, {}, "encoders.frozen needs a timm model with weights"),
        ({"vision": ENCODER, "vision_weights": "seps:photos"}, {}, "encoders.vision_weights is 'seps:photos'"),
        ({}, {"draws": True, "reads": False}, "draws is true, but reads is false"),
        ({"vision": ENCODER, "vision_weights": "package:"}, {}, "encoders.vision_weights is 'package:'"),
        ({"vision": "resnet18", "vision_weights": "seps:scenes", "frozen": True}, {}, "encoders.vision is 'resnet18'"),
    ],
    ids=str,
)
def test_encoders_that_cannot_be_are_refused(encoders: dict[str, Any], more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        GeneratorNetwork(GeneratorConfig.from_dict({"encoders": encoders, "draws": False} | more))


def test_losses_that_need_more_are_refused(config: GeneratorConfig, drawn: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="The recipe's reads is false"):
        loop.train(config, GeneratorSettings((Stage(("contrastive", "captions")),)), drawn, tmp_path / "a")
    with pytest.raises(ValueError, match=r"training\.held_back is 9"):
        loop.train(config, GeneratorSettings((Stage(("captions",)),), held_back=9), drawn, tmp_path / "b")
