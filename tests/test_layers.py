"""The tree shows the architecture: imports run one way, from what is built on to what it is built from, of rooms and of
files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GROUND = {"checks", "cli", "fields", "files", "notebook", "numbers", "photos", "precision", "progress", "videos"}
# Below each room, what it may import; every room may import the ground and itself.
SEPS: dict[str, set[str]] = {
    **{name: set() for name in GROUND},
    "fields": {"checks", "files"},
    "checks": {"files"},  # which knows what stands for a file that Git LFS has not fetched
    "photos": {"files"},
    "videos": {"files", "progress"},
    "method": set(),
    "explanation": {"method", "encoders"},
    "encoders": set(),
    "scenes": set(),
    "search": {"method"},
    "data": {"encoders", "scenes"},
    "models": {"method", "explanation", "encoders", "search"},
    "indexing": {"search", "models"},
    "runs": {"models"},  # none of the systems that are trained
    "training": {"method", "encoders", "scenes", "search", "data", "models", "runs"},
    "evaluation": {"method", "explanation", "encoders", "scenes", "search", "data", "models", "runs"},
    "judge": {"encoders", "models", "data", "scenes", "runs"},
    "generator": {"encoders", "models", "data", "scenes", "search", "evaluation", "runs"},
    # thin commands: each calls one function of the room it names
    "train": {"training"},
    "baseline": {"training"},
    "evaluate": {"evaluation"},
    "grounding": {"evaluation"},
    "convert": {"models"},
    "publish": {"models", "judge", "generator"},
    "index": {"indexing"},
    "__init__": {"method", "explanation", "search", "models"},
    "__main__": set(),  # runs a command by its name, without an import
}
# Commands that stand in a room for their name's sake: what they alone may import beside what the room may.
COMMANDS = {"seps/data/inspect.py": {"models"}}
# The rooms of the app from the bottom up: each may import those before it.
DEMO = [
    "galleries",
    "service",
    "record",
    "drawing",
    "server",
    "notebook",
    "screens",
    "assistant",
    "examples",
    "opening",
    "static",
    "space",
    "site",
    "video",
    "figure",
    "lesson",
    "__main__",
]


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@cache
def imported(file: Path) -> tuple[str, ...]:
    """Every module that a file imports, wherever in it, by its full name."""
    return tuple(imports_of(file))


def imports_of(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(name: str, package: str) -> str | None:
    """The part of a package that a module belongs to; None for another package's, "__init__" for its own face."""
    first, _, rest = name.partition(".")
    if first != package:
        return None
    part = rest.split(".")[0]
    is_module = (ROOT / package / part).is_dir() or (ROOT / package / f"{part}.py").is_file()
    return part if part and is_module else "__init__"


def arrows(package: str) -> list[tuple[str, str, str]]:
    """Each import from one room into another: the file, its room, the other room."""
    imports = []
    for file in modules(package):
        inside = file.relative_to(ROOT / package)
        home = inside.parts[0].removesuffix(".py")
        for name in imported(file):
            other = room(name, package)
            if other not in (None, home):
                imports.append((str(file.relative_to(ROOT)), home, str(other)))
    return imports


def test_every_room_is_in_the_plan() -> None:
    assert {file.relative_to(ROOT / "seps").parts[0].removesuffix(".py") for file in modules("seps")} <= SEPS.keys()
    parts = {file.relative_to(ROOT / "demo").parts[0].removesuffix(".py") for file in modules("demo")}
    assert parts - {"__init__"} <= set(DEMO)


def test_the_library_is_built_from_the_ground_up() -> None:
    wrong = [
        (file, other)
        for file, room, other in arrows("seps")
        if other not in SEPS[room] | COMMANDS.get(file, set()) | (GROUND if room not in GROUND else set())
        and other != "__init__"
    ]
    assert wrong == []
    names = {file.removesuffix(".py").replace("/", ".") for file in COMMANDS}
    assert not [file for file in modules("seps") if names & set(imported(file))]  # so that no arrow goes round by them
    assert [file for file, room, other in arrows("seps") if other == "__init__"] == []  # none goes round by the front


def test_the_library_knows_nothing_of_the_app() -> None:
    for file in modules("seps"):
        names = {name.partition(".")[0] for name in imported(file)}
        assert not names & {"demo", "gradio", "tests", "app"}, file


def test_no_arrow_of_the_app_runs_back_up() -> None:
    wrong = [
        (file, other)
        for file, room, other in arrows("demo")
        if room != "__init__" and other != "__init__" and DEMO.index(other) > DEMO.index(room)
    ]
    assert wrong == []


def screen_of(module: str) -> str | None:
    """The screen's folder in which a module of the app lies; None of what lies elsewhere, or beside the screens."""
    parts = module.split(".")
    return (
        parts[2]
        if len(parts) > 2 and parts[:2] == ["demo", "screens"] and (ROOT / "/".join(parts[:3])).is_dir()
        else None
    )


def test_a_screen_imports_no_other_screen() -> None:
    """Nor what stands beside the screens and imports one."""
    files = {module_name(file, ROOT): file for file in modules("demo/screens")}
    wrong = [
        (name, other)
        for name, file in files.items()
        for other in imported(file)
        if screen_of(name) and screen_of(other) and screen_of(other) != screen_of(name)
    ]
    above = {name for name, file in files.items() if not screen_of(name) and any(map(screen_of, imported(file)))}
    wrong += [(name, other) for name, file in files.items() for other in imported(file) if other in above]
    assert {screen_of(name) for name in files} >= {"photos", "captions", "compare", "why", "edit", "judge", "generate"}
    assert wrong == []


def test_a_person_s_pictures_pass_from_a_screen_through_the_service_into_the_galleries() -> None:
    """What decodes and encodes them is called there, so that nothing of them goes back and forth."""
    reading = {"read_upload", "read_video", "uploads_gallery", "index_gallery", "index_in_steps"}
    assert reading <= imported_names("demo/service")
    assert not reading & imported_names("demo/screens")


def imported_names(folder: str) -> set[str]:
    """What the files of a folder import, by its own name."""
    return {name.rpartition(".")[2] for file in modules(folder) for name in imported(file)}


def test_no_circle_of_files() -> None:
    files = {module_name(file, ROOT): file for package in ("seps", "demo") for file in modules(package)}
    assert circle({name: files.keys() & set(imported(file)) - {name} for name, file in files.items()}) == []


def module_name(file: Path, root: Path) -> str:
    """A file's full name as imports write it."""
    return ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def circle(imports: dict[str, set[str]]) -> list[str]:
    """The files of a circle, each imported by the next one; [] where there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_a_circle_of_files_is_seen_whole() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert sorted(set(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}))) == ["b", "c"]
    assert module_name(ROOT / "seps" / "runs" / "__init__.py", ROOT) == "seps.runs"


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("import seps.method.network as net", ["seps.method.network"]),
        ("def f():\n    from demo.screens import api", ["demo.screens", "demo.screens.api"]),
    ],
)
def test_imports_are_seen_wherever_they_stand(tmp_path: Path, file: str, names: list[str]) -> None:
    (tmp_path / "module.py").write_text(file)
    assert list(imported(tmp_path / "module.py")) == names
