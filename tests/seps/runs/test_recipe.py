import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seps.generator.training.settings import read_recipe as read_generator
from seps.judge.training.settings import read_recipe as read_judge
from seps.runs.recipe import find_recipe, recipe_files, with_values, write_recipe
from seps.training.settings import read_recipe as read_retrieval

SYSTEMS = [("configs/recipes", read_retrieval), ("judge/recipes", read_judge), ("generator/recipes", read_generator)]
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


@pytest.mark.parametrize(("folder", "read"), SYSTEMS)
def test_what_a_run_writes_reads_as_its_recipe(folder: str, read: Callable[..., Any], tmp_path: Path) -> None:
    for name, path in recipe_files(folder).items():
        config, settings = read(name)
        assert (config, settings) == read(path)
        write_recipe(tmp_path, config, settings)
        assert read(tmp_path / "recipe.json") == (config, settings)


def test_a_recipe_that_is_nowhere_names_those_of_the_package_and_a_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'nothing' is neither a JSON file nor one of ours, over-3000-"):
        find_recipe("nothing", "judge/recipes")
    (tmp_path / "recipe.json").write_text("[]")
    with pytest.raises(ValueError, match=r"recipe\.json holds a list, but keys and values are needed\.$"):
        read_judge(tmp_path / "recipe.json")


@pytest.mark.parametrize(("folder", "read"), SYSTEMS)
def test_any_key_of_a_recipe_is_set(folder: str, read: Callable[..., Any]) -> None:
    config, settings = read(next(iter(recipe_files(folder))))
    assert with_values(config, settings, []) == (config, settings)
    changed, trained = with_values(config, settings, ["training.seed = 77", "training.seed=78"])
    assert (changed, trained.seed) == (config, 78)
    for wrong, message in (
        ("training.sead=3", "training has the unknown key 'sead'.*Did you mean seed"),
        ("training.seed", "--set 'training.seed' names no key of the recipe"),
        ("nothing.seed=3", "--set 'nothing.seed=3' names no key of the recipe"),
        ("training.seed=-1", "training.seed is -1"),
        ("=3", "--set '=3' names no key of the recipe"),
    ):
        with pytest.raises(ValueError, match=message):
            with_values(config, settings, [wrong])


def test_a_section_of_the_config_is_set_with_json_or_plain_words() -> None:
    config, settings = with_values(
        *read_judge("quick"), ["encoder.freeze=layers", 'encoder.freeze_layers={"vision": 9, "text": 8}', "scale_q=0.3"]
    )
    assert (config.encoder.freeze, config.encoder.freeze_layers) == ("layers", {"vision": 9, "text": 8})
    assert (config.scale_q, settings) == (0.3, read_judge("quick")[1])


@pytest.mark.parametrize(
    ("key", "set_in"), [("stages.2.epochs", [1]), ("stages.epochs", [0, 1, 2, 3]), ("epochs", [0, 1, 2, 3])]
)
def test_a_key_is_set_in_one_stage_or_in_each(key: str, set_in: list[int]) -> None:
    config, settings = read_generator("scenes")
    changed = with_values(config, settings, [f"training.{key}=77"])[1].stages
    assert [number for number, stage in enumerate(changed) if stage.epochs == 77] == set_in
    with pytest.raises(ValueError, match="names no key of the recipe"):
        with_values(config, settings, ["training.stages.0.epochs=77"])


@pytest.mark.parametrize(("read", "values", "message"), ROWS, ids=[message for *_, message in ROWS])
def test_what_does_not_fit_is_told_with_the_file(
    tmp_path: Path, read: Callable[[Path], object], values: dict[str, Any], message: str
) -> None:
    if read is read_retrieval:
        tiny = json.loads(recipe_files("configs/recipes")["tiny"].read_text())
        values = tiny | {"training": tiny["training"] | values["training"]}
    (tmp_path / "recipe.json").write_text(json.dumps(values))
    with pytest.raises(ValueError, match=re.escape(f"{tmp_path}/recipe.json: {message}")):
        read(tmp_path / "recipe.json")


def test_defaults_are_the_published_ones() -> None:
    config, settings = read_retrieval("vit_base_patch16_224")
    assert config.vision.encoder == "vit_base_patch16_224"
    assert (settings.loss, settings.margin, settings.clip, settings.hard_after) == ("triplet", 0.2, 2.0, 1)
    assert (settings.schedule, settings.lr_schedules, settings.decay_rate) == ("multistep", (9, 15, 20, 25), 0.3)
    assert (settings.ratio_weight, settings.lambda_sparse, settings.lambda_dense) == (2.0, 1.0, 1.0)
