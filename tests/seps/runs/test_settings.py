import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seps.generator.training.settings import read_recipe as read_generator
from seps.judge.training.settings import read_recipe as read_judge
from seps.training.settings import read_recipe as read_retrieval

TINY = Path(__file__).resolve().parents[3] / "seps" / "configs" / "recipes" / "tiny.json"
CLIP: dict[str, Any] = {"kind": "clip", "name": "any"}
SEPS: dict[str, Any] = {"kind": "seps", "name": "photos"}
RETRIEVAL: list[tuple[dict[str, Any], str]] = [  # values of "training"
    ({"loss": "hinge"}, "training.loss is 'hinge'"),
    ({"epochs": 0}, "training.epochs is 0"),
    ({"dense_share": 0.0}, "training.dense_share is 0.0"),
    ({"pretrain_epochs": 2, "pooled_weight": 0.0, "grounding_weight": 0.0}, "training.pretrain_epochs is 2"),
    ({"frozen": False, "similar_batches": 0.5}, "training.similar_batches is for frozen backbones"),
    ({"lr_schedules": [9, 9]}, "training.lr_schedules is [9, 9]"),
    ({"lr_schedules": [0]}, "training.lr_schedules is 0"),
    ({"neighbours": 7}, "training.neighbours is 7"),
    ({"align_weight": 0.0, "pooled_weight": 0.0}, "training.align_weight and training.pooled_weight are 0"),
    ({"align_weight": 0.0, "pooled_weight": 1.0, "map_weight": 0.5}, "training.align_weight is 0"),
    ({"frozen": False, "significance_weight": 0.5}, "training.significance_weight is for frozen backbones"),
]
JUDGE: list[tuple[dict[str, Any], str]] = [
    ({"encoder": CLIP, "scale_q": 1.5}, "scale_q is 1.5, but it must be at most 1.0"),
    ({"encoder": CLIP | {"freeze": "layers", "freeze_layers": {"vision": 18}}}, "encoder.freeze_layers lacks the key"),
    ({"encoder": CLIP | {"freeze_layers": {"vision": 1, "text": 1}}}, "encoder.freeze_layers is set"),
    ({"encoder": SEPS | {"stages": [1], "freeze": "none"}}, "encoder.freeze is 'none'"),
    ({"encoder": SEPS}, "encoder.stages is [] with kind 'seps'"),
    ({"encoder": CLIP, "training": {"warmup": 1.0}}, "training.warmup is 1.0"),
    ({"encoder": CLIP, "use_refinement": True}, "the config has the key use_refinement"),  # of the published scorer
    ({"encoder": CLIP, "training": {"w_q": 0.5}}, "training has the key w_q"),
    (
        {"encoder": CLIP, "training": {"quality_weight": 0.0, "consistency_weight": 0.0}},
        "training.quality_weight and training.consistency_weight are 0",
    ),
]
GENERATOR: list[tuple[dict[str, Any], str]] = [
    ({"image_size": 100}, "image_size is 100"),
    ({"diffusion": {"channels": [33, 64]}}, "diffusion.channels has 33"),
    ({"captioner": {"width": 30, "heads": 4}}, "captioner.width is 30"),
    ({"autoencoder": {"decoder_channels": [8, 16]}}, "autoencoder.decoder_channels has 2 numbers"),
    ({"training": {"stages": [{"losses": ["beauty"]}]}}, "training.stages.losses is 'beauty'"),
    ({"training": {"stages": [{"losses": ["teacher"]}]}}, 'training.stages has the loss "teacher"'),
    ({"training": {"stages": [{"losses": ["representation"]}]}}, 'training.stages has "representation"'),
    ({"embed_dim": 512}, "the config has the key embed_dim"),  # of other programs, as the next
    ({"encoders": {"use_simple_cnn": True}}, "encoders has the key use_simple_cnn"),
    ({"encoders": {"vision_weights": "hub"}}, "encoders.vision_weights is 'hub'"),
    ({"encoders": {"vision": "resnet50", "vision_weights": "imagenet"}}, "encoders.vision_weights is 'imagenet'"),
    ({"training": {"recon_weight": 0.5}}, "training has the key recon_weight"),
]
ROWS: list[tuple[Any, dict[str, Any], str]] = [
    (read_retrieval, {"training": values}, message) for values, message in RETRIEVAL
]
ROWS += [(read_judge, *row) for row in JUDGE] + [(read_generator, *row) for row in GENERATOR]


def written(folder: Path, values: dict[str, Any]) -> Path:
    (folder / "recipe.json").write_text(json.dumps(values))
    return folder / "recipe.json"


@pytest.mark.parametrize(("read", "values", "message"), ROWS, ids=[message for *_, message in ROWS])
def test_what_does_not_fit_is_told_with_the_file(
    tmp_path: Path, read: Callable[[Path], object], values: dict[str, Any], message: str
) -> None:
    if read is read_retrieval:
        tiny = json.loads(TINY.read_text())
        values = tiny | {"training": tiny["training"] | values["training"]}
    with pytest.raises(ValueError, match=re.escape(f"{tmp_path}/recipe.json: {message}")):
        read(written(tmp_path, values))


def test_defaults_are_the_published_ones() -> None:
    config, settings = read_retrieval("vit_base_patch16_224")
    assert config.vision.encoder == "vit_base_patch16_224"
    assert (settings.loss, settings.margin, settings.clip, settings.hard_after) == ("triplet", 0.2, 2.0, 1)
    assert (settings.schedule, settings.lr_schedules, settings.decay_rate) == ("multistep", (9, 15, 20, 25), 0.3)
    assert (settings.ratio_weight, settings.lambda_sparse, settings.lambda_dense) == (2.0, 1.0, 1.0)
