"""The page's modules as a single script inside a page: a notebook has no addresses to fetch modules from, and VS Code
lets no script run but what stands in the page."""

from __future__ import annotations

import re
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import PurePosixPath
from posixpath import normpath

from demo.server.static import scripts

IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"(\.[^"]+)";$', re.MULTILINE)
DECLARED = re.compile(r"^export (?=(?:async function|function|const|class)\s+(\w+))", re.MULTILINE)
LISTED = re.compile(r"^export \{([\w\s,]*)\};$", re.MULTILINE)
NEEDLESS = re.compile(r"^(?:\s*//.*\n|\s+)", re.MULTILINE)  # comments, and room before a line
OTHER = re.compile(r"^\s*(?:import|export)\b.*|\bimport\(|\bimport\.meta\b", re.MULTILINE)


@lru_cache(maxsize=4)
def single_script(entry: str) -> str:
    """Return a module and all that it imports, each run once and after those that it imports itself.

    Args:
        entry: its path below assets/js.

    Raises:
        ValueError: a module that imports or exports in a way that is not read here.
    """
    sources: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in sources:
            sources[name] = scripts()[name].decode()
            imports[name] = [below(name, path) for _, path in IMPORT.findall(sources[name])]
            waiting += imports[name]
    parts = [as_function(name, sources[name]) for name in TopologicalSorter(imports).static_order()]
    return "const modules = {};\n" + "".join(parts).replace("</script", "<\\/script")


def as_function(name: str, source: str) -> str:
    """Return a module as a function that is called at once and returns its exports."""
    source = NEEDLESS.sub("", source)
    listed = [part.strip() for names in LISTED.findall(source) for part in names.split(",")]
    exports = [*DECLARED.findall(source), *filter(None, listed)]
    body = LISTED.sub("", DECLARED.sub("", IMPORT.sub(lambda match: assigned(name, *match.groups()), source)))
    if other := OTHER.search(body):
        raise ValueError(
            f"{name} has {other[0].strip()!r}, which no single script can hold: see demo/notebook/script.py."
        )
    return f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {", ".join(exports)} }};\n}})();\n'


def assigned(name: str, names: str, path: str) -> str:
    """Return an import as the declaration of what it takes from a module that has run."""
    taken = names.partition(" as ")[2] if names.startswith("*") else names.replace(" as ", ": ")
    return f'const {taken} = modules["{below(name, path)}"];'


def below(name: str, path: str) -> str:
    """Return the path below assets/js that a module calls `path`."""
    return normpath(str(PurePosixPath(name).parent / path))
