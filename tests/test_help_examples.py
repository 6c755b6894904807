"""Every example in the help texts and hints of all programs works: settings, options, commands and recipes."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from inspect import signature
from typing import Any

import pytest

from demo.__main__ import main as demo_main
from seps.__main__ import COMMANDS
from seps.__main__ import main as seps_main
from seps.generator.program import options_meant as generator_hints
from seps.generator.settings import read_recipe as read_generator
from seps.judge.program import options_meant as judge_hints
from seps.judge.settings import read_recipe as read_judge
from seps.method.network import CrossSparseAggrNet
from seps.runs.recipe import recipe_files, with_values
from seps.training.command import options_meant as train_hints
from seps.training.settings import read_recipe as read_train

SETTING = re.compile(r"\b(?:[a-z_0-9]+\.)+[a-z_0-9]+=(?![A-Z]+\b)[^\s,;)]+")  # not KEY=VALUE
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
COMMAND = re.compile(r"python -m ((?:seps|demo)[\w.]*)((?: [^\n`]*)?)")
TRAINERS: dict[str, tuple[Callable[..., Any], str, Callable[[], dict[str, str]]]] = {
    "train": (read_train, "configs/recipes", train_hints),
    "judge": (read_judge, "judge/recipes", judge_hints),
    "generator": (read_generator, "generator/recipes", generator_hints),
}
RECIPES = [(name, recipe) for name, (_, folder, _) in TRAINERS.items() for recipe in recipe_files(folder)]


class FoundError(Exception):
    """Raised with the parser of a program, before it parses anything."""


@cache
def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of a program: a command of `seps`, or "demo"."""

    def parse(self: argparse.ArgumentParser, *_: Any, **__: Any) -> Any:
        raise FoundError(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse)
        patch.setattr(argparse.ArgumentParser, "parse_known_args", parse)
        with pytest.raises(FoundError) as caught:
            demo_main([]) if name == "demo" else seps_main([name])
    parser = caught.value.args[0]
    assert isinstance(parser, argparse.ArgumentParser)
    return parser


def parts(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and its commands' parsers."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parts(command)


@cache
def help_of(name: str) -> str:
    """Return the help texts of a program and its commands, each on as few lines as it has paragraphs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "10000")
        return "\n".join(part.format_help() for part in parts(parser_of(name)))


PROGRAMS = [name for name in (*COMMANDS, "demo") if name not in ("training.guide",)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_option_that_a_help_text_names_is_one_of_the_program(name: str) -> None:
    taken = {option for part in parts(parser_of(name)) for action in part._actions for option in action.option_strings}
    assert len(help_of(name)) > 50
    assert set(OPTION.findall(COMMAND.sub("", help_of(name)))) <= taken


def test_settings_are_found_where_help_texts_have_some() -> None:
    assert {name for name in PROGRAMS if SETTING.search(help_of(name))} >= TRAINERS.keys()


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_setting_that_a_help_text_names_is_one_of_every_recipe_of_the_program(name: str) -> None:
    settings = SETTING.findall(help_of(name))
    assert not settings or name in TRAINERS
    for recipe in [recipe for owner, recipe in RECIPES if owner == name and settings]:
        for setting in settings:
            config, training = TRAINERS[name][0](recipe)
            with_values(config, training, [setting])


def current(values: Any, key: str) -> Any:
    """Return the value of a key, which is the first stage's where each stage has one."""
    for section in key.split("."):
        values = values[0] if isinstance(values, list | tuple) else values
        values = values[section] if section in values else signature(CrossSparseAggrNet).parameters[section].default
    return values


@pytest.mark.parametrize(("name", "recipe"), RECIPES)
def test_each_key_that_a_hint_names_is_one_that_set_takes(name: str, recipe: str) -> None:
    read, _, hints = TRAINERS[name]
    config, settings = read(recipe)
    values = {**asdict(config), "training": asdict(settings)}
    keys = {key for hint in hints().values() for key in re.findall(r"--set ([\w.]+)=VALUE", hint)}
    assert len(keys) > 20
    for key in keys:
        value = current(values, key)
        text = value if isinstance(value, str) else json.dumps(value)
        with_values(config, settings, [f"{key}={text}"])


@pytest.mark.parametrize("name", TRAINERS)
def test_each_hint_names_a_key_or_options_that_are_there(name: str) -> None:
    taken = {option for part in parts(parser_of(name)) for action in part._actions for option in action.option_strings}
    for option, hint in TRAINERS[name][2]().items():
        assert set(OPTION.findall(hint)) <= taken, option
        assert "see --set" not in hint, f"{option}: {hint}"  # a hint that names no key


def commands() -> Iterator[tuple[str, str]]:
    """Yield the commands that help texts and printed guides show: the program, and its arguments."""
    from seps.judge.advice import COMMANDS_PAGE

    for text in (*map(help_of, PROGRAMS), COMMANDS_PAGE):
        for module, arguments in COMMAND.findall(text):
            yield module, arguments.split("  #")[0].strip()


def test_each_command_that_help_texts_show_is_parsed() -> None:
    shown = [(module, arguments) for module, arguments in commands() if arguments and "..." not in arguments]
    whole = [(module, arguments) for module, arguments in shown if not re.search(r"[|\[\]]|^[A-Z]+$", arguments)]
    assert len(whole) > 4
    for module, arguments in whole:
        parser = parser_of(module.removeprefix("seps."))
        if arguments.startswith("--"):  # an option that is named with its program
            taken = {option for part in parts(parser) for action in part._actions for option in action.option_strings}
            assert set(OPTION.findall(arguments)) <= taken, arguments
        else:
            parser.parse_args(shlex.split(arguments))


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("training.epochs=3", [3, 3, 3, 3]),
        ("training.stages.epochs=3", [3, 3, 3, 3]),
        ("training.stages.2.epochs=3", [20, 3, 12, 14]),
        ("training.stages.freeze_text=true", [20, 6, 12, 14]),
    ],
)
def test_a_key_of_stages_is_set_in_each_or_in_one(setting: str, values: list[int]) -> None:
    _, settings = with_values(*read_generator("scenes"), [setting])
    assert [stage.epochs for stage in settings.stages] == values
    if "freeze_text" in setting:
        assert all(stage.freeze_text for stage in settings.stages)


@pytest.mark.parametrize(
    "setting", ["training.stages.0.epochs=3", "training.stages.9.epochs=3", "training.stages.x.y=3"]
)
def test_a_stage_that_is_not_there_is_refused(setting: str) -> None:
    with pytest.raises(ValueError, match="names no key of the recipe"):
        with_values(*read_generator("scenes"), [setting])


def test_an_option_of_others_names_the_setting_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    for option, key in (
        ("--freeze_bert", "stages.freeze_text"),
        ("--num_epochs", "stages.epochs"),
        ("--lr", "learning_rate"),
    ):
        with pytest.raises(SystemExit):
            seps_main(["generator", "train", "scenes", "--data", "d", "--out", "o", option, "1"])
        assert f"give --set training.{key}=VALUE" in capsys.readouterr().err
