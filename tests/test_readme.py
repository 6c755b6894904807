import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seps
from demo.__main__ import PROGRAM
from demo.page.api import Endpoints

ROOT = Path(__file__).parents[1]
GUIDES = sorted((ROOT / "assets" / "guide").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "CONTRIBUTING.md", *GUIDES]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *GUIDES))
SAMPLES = dict(re.findall(r"<!-- (\w+) -->\n```python\n(.*?)```", TEXT, re.DOTALL))
RUN_FILES = {"README.md", "recipe.json", "config.json", "judge.json", "generator.json", "results.json", "gpu.json"}
RUN_FILES |= {"id_mapping.json", "manifest.json"}  # files that programs write


@pytest.fixture(scope="module", autouse=True)
def loaded_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seps, "load_model", cache(seps.load_model))
        yield


def run(name: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    exec(compile(SAMPLES[name], name, "exec"), scope)
    return scope


def expanded(name: str) -> list[str]:
    head, _, rest = name.partition("{")
    choice, _, tail = rest.partition("}")
    return [head + part + tail for part in choice.split(",")]


def test_every_sample_has_a_test() -> None:
    assert TEXT.count("```python") == len(SAMPLES)
    elsewhere = {"onnx", "client", "compact"}  # in seps/models/export and demo/page/test_api.py
    assert set(SAMPLES) == {"quickstart", "scores", "example"} | elsewhere


def test_the_first_sample_prints_the_stated_score(capsys: pytest.CaptureFixture[str]) -> None:
    record = run("quickstart")["record"]
    (stated,) = re.findall(r"# S\(I, T\) = (\d\.\d{4})", SAMPLES["quickstart"])
    assert record.similarity == pytest.approx(float(stated), abs=2e-3)
    assert "[0 0 0" in capsys.readouterr().out


def test_scores_are_the_stated_ones() -> None:
    stated = np.array([float(number) for number in re.findall(r"\d\.\d{4}", SAMPLES["scores"])]).reshape(2, 2)
    np.testing.assert_allclose(run("scores")["scores"], stated, atol=2e-3)


def test_the_sample_with_embeddings_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    record = run("example")["record"]
    assert abs(sum(record.terms.values()) - record.similarity) < 1e-6
    assert str(record.similarity) in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_files_and_commands_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!http)([^)]+)\)", text):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    named = re.findall(r"`((?:seps|demo|assets|tests)/[\w/.{},-]+|[a-z]+\.(?:py|md|json))`", text)
    for name in {path for each in named for path in expanded(each)} - RUN_FILES:
        assert (ROOT / name.replace("/NAME", "/photos")).exists(), name
    for command in re.findall(r"python -m ((?:seps|demo|tests)[a-z_.]*)", text):
        module = ROOT / command.rstrip(".").replace(".", "/")
        assert module.with_suffix(".py").is_file() or module.is_dir(), command


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_readme_links_every_guide() -> None:
    for name in ("README.md", "README.zh-CN.md"):
        links = set(re.findall(r"\]\(assets/guide/(\w+)\.md\)", (ROOT / name).read_text(encoding="utf-8")))
        assert links == {page.stem for page in GUIDES}, name


GUIDE = (ROOT / "assets" / "guide" / "use.md").read_text()


def named(column: int) -> set[str]:
    """The names in a column of the table of actions, without those of other programs."""
    table = GUIDE[GUIDE.index("| action |") :].split("\n\n")[0].splitlines()[2:]
    cells = [row.strip("|").split("|")[column] for row in table]
    return {name for cell in cells for name in re.findall(r"`([a-z_]+)`", cell)}


def test_every_endpoint_stands_in_the_guide() -> None:
    assert named(1) == {name for name in vars(Endpoints) if not name.startswith("_") and name != "draw"}


def test_every_command_stands_in_the_guide() -> None:
    commands = {command.callback.__name__ for command in PROGRAM.registered_commands if command.callback}
    assert named(2) == commands
