import argparse
import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import pytest
from typer.main import get_command

from demo.__main__ import PROGRAM
from seps.__main__ import COMMANDS
from seps.__main__ import main as seps_main
from seps.generator.training.settings import read_recipe as read_generator
from seps.judge.program import COMMANDS_PAGE
from seps.judge.training.settings import read_recipe as read_judge
from seps.runs.recipe import recipe_files, with_values
from seps.training.settings import read_recipe as read_train

ROOT = Path(__file__).parents[1]
SETTING = re.compile(r"\b(?:[a-z_0-9]+\.)+[a-z_0-9]+=(?![A-Z]+\b)[^\s,;)]+")  # not KEY=VALUE
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
COMMAND = re.compile(r"python -m ((?:seps|demo)[\w.]*)((?: [^\n`]*)?)")
TRAINERS: dict[str, tuple[Callable[..., Any], str]] = {
    "train": (read_train, "configs/recipes"),
    "judge": (read_judge, "judge/recipes"),
    "generator": (read_generator, "generator/recipes"),
}


@cache
def parser_of(name: str, *words: str) -> argparse.ArgumentParser:
    """Return the parser of a command of `seps` for these arguments, before it parses anything."""
    parse = create_autospec(argparse.ArgumentParser.parse_args, side_effect=AssertionError)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse)
        with pytest.raises(AssertionError):
            seps_main([name, *words])
    parser: argparse.ArgumentParser = parse.call_args.args[0]
    return parser


def parts(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parts(command)


DEMO: dict[str, Any] = vars(get_command(PROGRAM))["commands"]
PARAMETERS = [parameter for command in DEMO.values() for parameter in command.params]


def options_of(name: str) -> set[str]:
    if name == "demo":
        return {option for parameter in PARAMETERS for option in parameter.opts}
    return {option for part in parts(parser_of(name)) for action in part._actions for option in action.option_strings}


@cache
def help_of(name: str) -> str:
    """Return the help texts of a program and its commands, each on as few lines as it has paragraphs."""
    if name == "demo":
        return "\n".join(parameter.help or "" for parameter in PARAMETERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "10000")
        return "\n".join(part.format_help() for part in parts(parser_of(name)))


PROGRAMS = [name for name in (*COMMANDS, "demo") if name != "training.guide"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_option_that_a_help_text_names_is_one_of_the_program(name: str) -> None:
    assert len(help_of(name)) > 50
    assert set(OPTION.findall(COMMAND.sub("", help_of(name)))) <= options_of(name)


@pytest.mark.parametrize("name", TRAINERS)
def test_each_setting_that_a_help_text_names_is_one_of_every_recipe_of_the_program(name: str) -> None:
    read, folder = TRAINERS[name]
    settings = SETTING.findall(help_of(name))
    assert settings
    for recipe in recipe_files(folder):
        config, values = read(recipe)
        with_values(config, values, settings)


def test_each_command_that_help_texts_show_is_parsed() -> None:
    texts = "\n".join((*map(help_of, PROGRAMS), COMMANDS_PAGE))
    shown = [(module, arguments.split("  #")[0].strip()) for module, arguments in COMMAND.findall(texts)]
    whole = [each for each in shown if each[1] and not re.search(r"[|\[\]]|^[A-Z]+$|\.\.\.", each[1])]
    assert len(whole) > 4
    for module, arguments in whole:
        parser = parser_of(module.removeprefix("seps."))
        if arguments.startswith("--"):  # an option that is named with its program
            assert set(OPTION.findall(arguments)) <= options_of(module.removeprefix("seps.")), arguments
        else:
            parser.parse_args(shlex.split(arguments))


BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "assets" / "guide").glob("*.md"))]
GUIDED = [
    match.groups()
    for page in PAGES
    for block in BLOCK.findall(page.read_text(encoding="utf-8"))
    for line in block.splitlines()
    if (match := re.match(r"python -m (demo|seps\.[\w.]+) (.*)", line.partition(" #")[0]))
]


@pytest.mark.parametrize(("program", "arguments"), GUIDED)
def test_each_command_of_the_guides_is_parsed(program: str, arguments: str) -> None:
    given = shlex.split(arguments)
    if program == "demo":
        with DEMO[given[0]].make_context(given[0], given[1:]) as context:
            assert context.params
    else:
        assert parser_of(program.removeprefix("seps."), *given).parse_args(given)
