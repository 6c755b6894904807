"""Whole sentences of errors, by test name in one sentences.json a room, which pytest --write-sentences writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

FILE = "sentences.json"
Error = TypeVar("Error", bound=BaseException)


class Sentences:
    """The sentences that stand in the rooms' files, and those of the test that runs now."""

    current: Sentences  # of the innermost run: a test may run pytest itself

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.write = config, bool(config.getoption("write_sentences"))
        self.files: dict[Path, dict[str, list[str]]] = {}
        self.temporary = Path()
        self.name, self.expected, self.actual = "", list[str](), list[str]()

    def room(self, file: Path) -> dict[str, list[str]]:
        """Give what stands in a room's file: of each test its sentences, in their order."""
        if file not in self.files:
            entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            self.files[file] = {name: [text] if isinstance(text, str) else text for name, text in entries.items()}
        return self.files[file]

    def place(self, nodeid: str) -> tuple[Path, str]:
        """Give the file of a test's room, and the test's name in it."""
        folders = nodeid.partition("::")[0].split("/")[:-1][:3]  # such as tests/seps/judge
        return self.config.rootpath.joinpath(*folders, FILE), nodeid.removeprefix("/".join(folders) + "/")

    def plain(self, text: str) -> str:
        """Put TMP for a temporary folder, REPO for that of the repo, and SERVER for one that a test runs."""
        text = re.sub(re.escape(str(self.temporary)) + r"/[\w.-]+", "TMP", text)
        text = re.sub(r"http://127\.0\.0\.1:\d+", "SERVER", text)
        return text.replace(str(self.config.rootpath), "REPO")

    def compare(self, error: BaseException) -> None:
        """Compare a sentence with the next of the test; one that comes again at once stands once."""
        __tracebackhide__ = True
        text = self.plain(str(error))
        if self.actual[-1:] == [text]:
            return
        self.actual.append(text)
        place = slice(len(self.actual) - 1, len(self.actual))
        if not self.write and self.expected[place] != [text]:
            expected = "".join(self.expected[place]) or "no further sentence"
            pytest.fail(f"The sentence is\n  {text}\nbut {FILE} has\n  {expected}\n(--write-sentences writes it anew)")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Run a test beside its sentences, all of which have to be raised."""
        outer, Sentences.current = getattr(Sentences, "current", self), self
        file, self.name = self.place(item.nodeid)
        self.expected, self.actual = self.room(file).get(self.name, []), []
        try:
            yield
        finally:
            Sentences.current = outer
        if self.write:
            self.room(file)[self.name] = self.actual
        elif self.actual != self.expected:
            pytest.fail(f"{FILE} has of {self.name} what was not raised:\n  {self.expected[len(self.actual)]}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drop the sentences of tests that are gone from the rooms that are read whole."""
        arguments = {(self.config.invocation_params.dir / argument).resolve() for argument in self.config.args}
        places = {self.place(item.nodeid) for item in items} if self.write else set()
        for file in {file for file, _ in places if arguments & set(file.parents)}:
            self.files[file] = {name: text for name, text in self.room(file).items() if (file, name) in places}

    def pytest_sessionfinish(self) -> None:
        """Write the files, sorted, a sentence a line."""
        for file, room in self.files.items() if self.write else ():
            entries = {name: text if text[1:] else text[0] for name, text in sorted(room.items()) if text}
            if entries or file.exists():
                file.write_text(json.dumps(entries, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the files."""
    parser.addoption("--write-sentences", action="store_true", help=f"write the {FILE} of the tests that run, anew")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to compare, or to write."""
    if config.getoption("write_sentences") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--write-sentences writes from one process: leave out -n.")
    config.pluginmanager.register(Sentences(config), FILE)


@pytest.fixture(autouse=True, scope="session")
def _temporary_folder(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> None:
    plugin = pytestconfig.pluginmanager.get_plugin(FILE)
    assert isinstance(plugin, Sentences)
    plugin.temporary = tmp_path_factory.getbasetemp()


@contextmanager
def refused(kind: type[Error]) -> Iterator[pytest.ExceptionInfo[Error]]:
    """Expect an error of a class that says the next sentence of this test in the file of its room."""
    __tracebackhide__ = True
    with pytest.raises(kind) as info:
        yield info
    Sentences.current.compare(info.value)
