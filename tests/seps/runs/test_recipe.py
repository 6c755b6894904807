from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seps.generator.training.settings import read_recipe as read_generator
from seps.judge.training.settings import read_recipe as read_judge
from seps.runs.recipe import find_recipe, recipe_files, with_values, write_recipe
from seps.training.settings import read_recipe as read_retrieval

SYSTEMS = [("configs/recipes", read_retrieval), ("judge/recipes", read_judge), ("generator/recipes", read_generator)]


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
