"""The page's modules bundled as one inline script: a notebook has no URLs of modules, and VS Code only runs inline
scripts."""

import re
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import PurePosixPath
from posixpath import normpath

from demo.server.files.static import scripts

IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"(\.[^"]+)";$', re.MULTILINE)
DECLARED = re.compile(r"^export (?=(?:async function|function|const|class)\s+(\w+))", re.MULTILINE)
LISTED = re.compile(r"^export \{([\w\s,]*)\};$", re.MULTILINE)
NEEDLESS = re.compile(r"^(?:\s*//.*\n|\s+)", re.MULTILINE)  # comments, and room before a line
OTHER = re.compile(r"^\s*(?:import|export)\b.*|\bimport\(|\bimport\.meta\b", re.MULTILINE)


@lru_cache(maxsize=4)
def single_script(entry: str) -> str:
    """Bundle a module of assets/js with its imports; ValueError for unsupported import or export syntax."""
    sources: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in sources:
            sources[name] = scripts()[name].decode()
            imports[name] = [_below(name, path) for _, path in IMPORT.findall(sources[name])]
            waiting += imports[name]
    parts = [wrap_module(name, sources[name]) for name in TopologicalSorter(imports).static_order()]
    return "const modules = {};\n" + "".join(parts).replace("</script", "<\\/script")


def wrap_module(name: str, source: str) -> str:
    """Wrap a module in an immediately called function that returns its exports."""
    source = NEEDLESS.sub("", source)
    listed = [part.strip() for names in LISTED.findall(source) for part in names.split(",")]
    exports = [*DECLARED.findall(source), *filter(None, listed)]

    def declare(match: re.Match[str]) -> str:
        names, path = match.groups()
        taken = names.partition(" as ")[2] if names.startswith("*") else names.replace(" as ", ": ")
        return f'const {taken} = modules["{_below(name, path)}"];'

    body = LISTED.sub("", DECLARED.sub("", IMPORT.sub(declare, source)))
    if other := OTHER.search(body):
        raise ValueError(
            f"{name} has {other[0].strip()!r}, which no single script can hold: see demo/notebook/script.py."
        )
    return f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {", ".join(exports)} }};\n}})();\n'


def _below(name: str, path: str) -> str:
    """Resolve the `path` of an import to a path in assets/js."""
    return normpath(str(PurePosixPath(name).parent / path))
