"""Captioners on a frozen image encoder: caching, training and saving."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import load_file, save_file

from seps.data import open_image, read_split
from seps.data.augmentation import augment_image, item_random
from seps.generator import ImageTextGenerator, loop
from seps.generator.batches import batch_by_length
from seps.generator.captioner import Captioner
from seps.generator.config import CaptionerConfig, GeneratorConfig
from seps.generator.data import find_frequent_ids
from seps.generator.features import cells_of, features_of
from seps.generator.network import GeneratorNetwork, to_values
from seps.generator.settings import GeneratorSettings, Stage
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
    return GeneratorSettings((stage,), batch_size=4, held_back=4, learning_rate=0.003, mirrored=True, **values)


def test_what_is_cached_is_what_the_encoder_sees(config: GeneratorConfig, drawn: Path, tmp_path: Path) -> None:
    network, split = GeneratorNetwork(config), read_split(drawn, "dev")
    cells = features_of(network, split, tmp_path, mirrored=True)
    pictures = to_values([open_image(path) for path in split.image_files], 64)
    for number, view in enumerate((pictures, pictures.flip(3))):
        expected = network.images.maps(view).flatten(2).transpose(1, 2).numpy()
        difference = np.abs(cells[:, number].astype(np.float32) - expected)  # bfloat16 rounds
        assert difference.mean() < 0.03 * np.abs(expected).mean() and expected.std() > 0.001
    written = (tmp_path / f"dev-{ENCODER}-64-mirrored.npy").stat().st_mtime_ns
    features_of(network, split, tmp_path, mirrored=True)
    assert (tmp_path / f"dev-{ENCODER}-64-mirrored.npy").stat().st_mtime_ns == written


def test_crops_stand_beside_a_picture_and_its_mirror_image(
    config: GeneratorConfig, drawn: Path, tmp_path: Path
) -> None:
    network, split = GeneratorNetwork(config), read_split(drawn, "dev")
    cells = features_of(network, split, tmp_path, mirrored=True, crops=2)
    both = features_of(network, split, tmp_path, mirrored=True)
    assert cells.shape == (len(both), 4, *both.shape[2:])
    assert np.array_equal(cells[:, :2], both)
    image = open_image(split.image_files[1])
    crop = augment_image(image, item_random(0, 1, 1, "image"))
    assert crop.size != image.size or crop != image
    expected = cells_of(network.images, to_values([crop], 64))[0].numpy()
    difference = np.abs(cells[1, 3].astype(np.float32) - expected)
    assert difference.mean() < 0.03 * np.abs(expected).mean()
    assert np.abs(cells[1, 2].astype(np.float32) - expected).mean() > 0.1 * np.abs(expected).mean()


def test_it_learns_from_part_of_train_alone_and_leaves_the_encoder_as_it_is(
    config: GeneratorConfig, drawn: Path, tmp_path: Path
) -> None:
    before = GeneratorNetwork(config).images.backbone.state_dict()
    network = loop.train(config, settings(), drawn, tmp_path / "run", device="cpu")
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
    network = loop.train(config, settings(patience=1), drawn, tmp_path / "run", device="cpu")
    assert len(kept) == 2  # the second was no better than the first
    torch.testing.assert_close(network.captioner.tokens.weight.detach(), kept[0], atol=1e-3, rtol=1e-3)
    assert not torch.allclose(kept[1], kept[0], atol=1e-3, rtol=1e-3)
    loop.train(config, settings(patience=1), drawn, tmp_path / "run", resume=True, device="cpu")
    assert len(kept) == 2


def test_a_vocabulary_holds_what_captions_have_most() -> None:
    captions = [torch.tensor([90, 7, 7, 12, 91]), torch.tensor([90, 12, 7, 40, 91])]
    assert find_frequent_ids(captions, 5, (90, 91, 80)).tolist() == [7, 12, 80, 90, 91]
    assert find_frequent_ids(captions, 8, (90, 91)).tolist() == [0, 1, 2, 7, 12, 40, 90, 91]


def test_batches_hold_captions_of_about_one_length_and_every_row_once() -> None:
    torch.manual_seed(0)
    order, lengths = torch.randperm(1000), torch.randint(5, 25, (1000,))
    again = batch_by_length(order, lengths, 16)
    assert sorted(again.tolist()) == list(range(1000))
    length_of = dict(zip(order.tolist(), lengths.tolist(), strict=True))
    longest = [max(length_of[row] for row in rows.tolist()) for rows in again.split(16)]
    assert 1.1 * lengths.float().mean() > sum(longest) / len(longest)
    assert longest != sorted(longest)


def test_ids_that_are_not_written_are_read_as_unknown() -> None:
    captioner = Captioner(CaptionerConfig(width=8, heads=2, vocabulary=4), 8, 8, 100)
    assert captioner.written is not None
    captioner.written.copy_(torch.tensor([3, 10, 50, 90]))
    ids = torch.tensor([[10, 90, 11], [99, 3, 0]])
    rows = captioner.rows(ids, 50)
    assert rows.tolist() == [[1, 3, 2], [2, 0, 2]]
    assert captioner.ids(rows).tolist() == [[10, 90, 50], [50, 3, 50]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"encoders": {"frozen": True}}, "encoders.frozen needs a timm model with weights"),
        (
            {"encoders": {"vision": ENCODER, "vision_weights": "seps:photos"}},
            "encoders.vision_weights is 'seps:photos'",
        ),
        ({"draws": True, "reads": False}, "draws is true, but reads is false"),
        ({"encoders": {"vision": ENCODER, "vision_weights": "package:"}}, "encoders.vision_weights is 'package:'"),
    ],
    ids=str,
)
def test_encoders_that_cannot_be_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        GeneratorConfig.from_dict(values)


def test_a_seps_model_of_another_encoder_is_refused() -> None:
    values = {"vision": "resnet18", "vision_weights": "seps:photos", "frozen": True}
    with pytest.raises(ValueError, match=r"encoders\.vision is 'resnet18'"):
        GeneratorNetwork(GeneratorConfig.from_dict({"encoders": values, "draws": False}))


def test_losses_that_need_a_text_encoder_or_more_images_are_refused(
    config: GeneratorConfig, drawn: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="The recipe's reads is false"):
        loop.train(config, GeneratorSettings((Stage(("contrastive", "captions")),)), drawn, tmp_path / "a")
    with pytest.raises(ValueError, match=r"training\.held_back is 9"):
        loop.train(config, GeneratorSettings((Stage(("captions",)),), held_back=9), drawn, tmp_path / "b")
