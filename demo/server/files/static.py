"""Scripts (native ES modules, held in memory) and styles of the page. The address of a script contains a digest of all
scripts, so that browsers can cache it forever and still get every update."""

import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath

from demo.drawing.palette import DARK, LIGHT, VEIL, variables

ASSETS = Path(__file__).resolve().parents[3] / "assets"
SCRIPTS, STYLES, HEAD = ASSETS / "js", ASSETS / "css", ASSETS / "head.html"
PREFIX = "gradio_api/scripts"  # proxies pass everything below gradio_api on to Python
MEDIA_TYPE = "text/javascript; charset=utf-8"
IMPORT = re.compile(r'(?: from|^import) "(\.[^"]+)"', re.MULTILINE)
CACHING = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def scripts() -> dict[str, bytes]:
    """Return every module by its path below assets/js, as "viewer/viewer.js"."""
    files = sorted(SCRIPTS.rglob("*.js"))
    return {file.relative_to(SCRIPTS).as_posix(): file.read_bytes() for file in files}


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return twelve hexadecimal digits that change with any file's name or content."""
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]


@lru_cache(maxsize=1)
def digest() -> str:
    """Return the digest of all modules."""
    return digest_of(scripts())


def find_script(address: str) -> bytes | None:
    """Return the module at an address below the page, as `script_address` makes it; None if it does not exist."""
    start = f"{PREFIX}/{digest()}/"
    return scripts().get(address.removeprefix(start)) if address.startswith(start) else None


@lru_cache(maxsize=512)
def packed(content: bytes) -> bytes:
    """Compress content with gzip; cached."""
    return gzip.compress(content, 6, mtime=0)


def script_address(name: str) -> str:
    """Return the address of a module, relative to the page, so that it works under any root path."""
    return f"{PREFIX}/{digest()}/{name}"


def reached(entry: str) -> list[str]:
    """Return a module and those that it imports, directly or by another one."""
    waiting, names = {entry}, set[str]()
    while waiting:
        names |= waiting
        waiting = {other for name in waiting for other in imports_of(name, scripts()[name].decode())} - names
    return sorted(names)


def imports_of(name: str, source: str) -> list[str]:
    """Return the modules that a module imports by name, as paths below assets/js."""
    return [normpath(join(dirname(name), path)) for path in IMPORT.findall(source)]


def style_sheets(names: Sequence[str]) -> str:
    """Return the page's colours in light and dark, and those style sheets of assets/css."""
    sheets = [(STYLES / name).read_text(encoding="utf-8") for name in names]
    colours = f":root {{ {variables(LIGHT)} --veil-colour: {VEIL}; }} .dark {{ {variables(DARK)} }}"
    return "\n".join([colours, *sheets])


def build_own_page(file: Path, parts: Mapping[str, str]) -> str:
    """Return a page: assets/head.html with the head and the body of `file`, which `<!--BODY-->` separates; each
    placeholder in `parts` is replaced once."""
    head, _, body = file.read_text(encoding="utf-8").partition("<!--BODY-->\n")
    page = HEAD.read_text(encoding="utf-8")
    for place, content in {"<!--HEAD-->": head, "<!--BODY-->": body, **parts}.items():
        page = page.replace(place, content, 1)
    return page
