"""The recipe `coco`: both directions on photographs in COCO's own format, with BERT, here a tiny one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from PIL import Image

from seps.data.convert import main as convert_main
from seps.generator.diffusion import build_unet
from seps.generator.program import main
from seps.generator.settings import read_recipe
from seps.runs.recipe import with_values
from seps.runs.run_log import read_epochs
from tests.helpers.tiny import write_tiny_bert

GUIDE = (Path(__file__).parents[3] / "assets" / "guide" / "generate.md").read_text(encoding="utf-8")
PHOTOS = Path(__file__).parents[3] / ".." / "shared" / "data" / "coco_dev"
SMALLER = (  # the recipe's stages, losses and kinds of parts at a size that trains in seconds
    "image_size=64",
    "encoders.vision=resnet10t",
    "encoders.vision_weights=none",
    "encoders.text_weights=none",
    "captioner.width=64",
    "captioner.layers=1",
    "captioner.heads=4",
    "captioner.vocabulary=200",
    "autoencoder.channels=[8,16,16]",
    "autoencoder.decoder_channels=[]",
    "diffusion.channels=[32,32,64]",
    "diffusion.layers=1",
    "training.learning_rate=0.002",
    "training.lr_warmup_epochs=0.5",
    "training.stages.learning_rate=0.002",
    "training.stages.1.epochs=4",
    "training.stages.2.epochs=1",
    "training.batch_size=8",
)


@pytest.fixture(scope="module")
def coco(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photographs of MS-COCO with a caption file in its own format, converted as the guide says."""
    if not PHOTOS.is_dir():
        pytest.skip("../shared/data/coco_dev is missing")
    folder = tmp_path_factory.mktemp("coco")
    photos = json.loads((PHOTOS / "manifest.json").read_text(encoding="utf-8"))
    annotations = {
        "images": [{"id": photo["image_id"], "file_name": photo["file"]} for photo in photos],
        "annotations": [
            {"id": 10 * photo["image_id"] + number, "image_id": photo["image_id"], "caption": caption}
            for photo in photos
            for number, caption in enumerate(photo["captions"])
        ],
    }
    file = folder / "captions_train2017.json"
    file.write_text(json.dumps(annotations), encoding="utf-8")
    split = ["--captions-per-image", "1", "--dev", "8"]
    assert convert_main([str(file), "--to", str(folder / "data"), "--images", str(PHOTOS / "images"), *split]) == 0
    return folder / "data"


def words_of(data: Path) -> tuple[str, ...]:
    """Return a vocabulary of a folder's training captions."""
    words = sorted({w.strip(".,'\"").lower() for w in (data / "train_caps.txt").read_text(encoding="utf-8").split()})
    return ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", *(word for word in words if word.isalpha()))


def test_the_recipe_trains_both_directions_with_bert() -> None:
    config, settings = read_recipe("coco")
    assert config.draws
    assert config.reads
    assert config.encoders.text == "bert-base-uncased"
    assert not config.encoders.frozen
    assert set(settings.stages[0].losses) == {"contrastive", "captions", "pixels", "diffusion"}
    assert not settings.stages[0].freeze_text  # BERT learns along
    assert settings.stages[1].freeze_text
    frozen = with_values(config, settings, ["training.stages.freeze_text=true"])[1]
    assert all(stage.freeze_text for stage in frozen.stages)


def test_the_guide_has_the_size_of_the_recipe() -> None:
    config, _ = with_values(*read_recipe("coco"), ["encoders.vision_weights=none", "encoders.text_weights=none"])
    with torch.device("meta"):
        unet = build_unet(config.diffusion, config.latent_size, config.autoencoder.latent_channels, 512)
    assert GUIDE.count("UNet 102.4") == 1
    assert round(sum(parameter.numel() for parameter in unet.parameters()) / 1e6, 1) == 102.4
    assert f"{config.image_size**2 * 3:,} bytes each" in GUIDE
    assert f"{113_287 * 3 * config.image_size**2 / 1e9:.1f} GB on disk" in GUIDE


def test_32_photographs_train_a_generator_that_draws_and_captions(
    coco: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bert = write_tiny_bert(tmp_path / "bert", words_of(coco))
    run, photo = tmp_path / "run", next((PHOTOS / "images").glob("*.jpg"))
    settings = [f"encoders.text=folder:{bert}", *SMALLER]
    arguments = ["train", "coco", "--data", str(coco), "--images", str(PHOTOS / "images"), "--out", str(run)]
    assert main([*arguments, *(part for setting in settings for part in ("--set", setting))]) == 0
    printed = capsys.readouterr().out
    assert "24 images to train on, 8 to measure on" in printed
    assert "This run is " in printed
    assert printed.splitlines()[-1].startswith(f"The generator in {run / 'model'} has the epoch of each stage")

    rows = read_epochs(run)
    first = [row for row in rows if row["stage"] == 1]
    assert len(first) == 4
    for loss in ("contrastive", "captions", "pixels", "diffusion"):
        assert first[-1][loss] < first[0][loss], loss

    model = ["--model", str(run / "model")]
    drawing = tmp_path / "drawing.png"
    text = "two baseball players in a field"
    assert main(["--mode", "t2i", *model, "--text", text, "--output", str(drawing), "--steps", "3", "--seed", "0"]) == 0
    with Image.open(drawing) as image:
        assert image.size == (64, 64)
    capsys.readouterr()
    assert main(["--mode", "i2t", *model, "--image", str(photo), "--beams", "2", "--all"]) == 0
    assert capsys.readouterr().out.count("(mean log probability -") == 2
