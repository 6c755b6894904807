"""Writing of a Space's folder: the app's files, and those for its installation and storage."""

import re
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from seps.common.files import LFS_POINTER, LFS_REMEDY, is_lfs_pointer, write_atomically

ROOT = Path(__file__).resolve().parents[2]
TAKEN = ("app.py", "LICENSE", "assets", "demo", "seps")
LEFT_OUT = (  # programs that are not part of the app, and files only they read
    *("demo/examples", "demo/space", "demo/static"),
    *("assets/guide", "assets/notebooks", "assets/readme", "assets/static"),
)
# Files in these folders that the app reads or the card shows.
KEPT = ("assets/guide/names.md", "assets/guide/losses.md", "assets/readme/app.gif")
PINNED = {"torch": "2.13.0", "torchvision": "0.28.0"}  # the newest that ZeroGPU lists, see assets/guide/host.md
DEBIAN = ("libgcc-s1", "libstdc++6", "zlib1g")  # system libraries of compiled packages
MARK = "# What git stores as large files. Written by python -m demo.space, which may overwrite this folder.\n"
ATTRIBUTES, LFS = ".gitattributes", "filter=lfs diff=lfs merge=lfs -text"
LINK_ALONE = re.compile(r"^\[[^\]]*\]\((?!https?:)[^)]*\)\n+", re.MULTILINE)
MAX_BYTES = 10_000_000  # largest file that the hub accepts without Git LFS


def write_space(folder: Path) -> dict[str, int]:
    """Write the folder, replacing a previous one, and return the bytes of each file; ValueError for a file, other
    content, weights that Git LFS has not fetched, or files that the hub would reject."""
    check_target(folder)
    with write_atomically(folder) as place:
        for path in app_files():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, place / path)
        card = space_card((ROOT / "README.md").read_text(encoding="utf-8"))
        texts = {
            "README.md": card,
            "requirements.txt": requirements((ROOT / "requirements.txt").read_text(encoding="utf-8"), card),
            "packages.txt": "\n".join(DEBIAN) + "\n",
        }
        for name, text in texts.items():
            (place / name).write_text(text, encoding="utf-8")
        (place / ATTRIBUTES).write_text(attributes(place), encoding="utf-8")
        check_files(place)
        return {file.relative_to(place).as_posix(): file.stat().st_size for file in files_of(place)}


def check_target(folder: Path) -> None:
    """Raise ValueError for a file, or a folder with files that this program did not write."""
    if folder.is_file():
        raise ValueError(f"{folder} is a file: name a folder.")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    attributes_file = folder / ATTRIBUTES
    written_here = attributes_file.is_file() and attributes_file.read_text(encoding="utf-8").startswith(MARK)
    if not written_here or (folder / ".git").exists():
        raise ValueError(f"{folder} holds other files, which would be lost: name another folder.")


def app_files() -> list[str]:
    """Return the files of the app, by their paths in the repo, without excluded, hidden and compiled ones."""
    below = (file for name in TAKEN for file in ((ROOT / name).rglob("*") if (ROOT / name).is_dir() else [ROOT / name]))
    paths = sorted(file.relative_to(ROOT).as_posix() for file in below if file.is_file())
    outside = tuple(f"{folder}/" for folder in LEFT_OUT)
    hidden = [path for path in paths if any(part[0] == "." or part == "__pycache__" for part in path.split("/"))]
    return [path for path in paths if path in KEPT or not (path in hidden or path.startswith(outside))]


def space_card(readme: str) -> str:
    """Return the Space's README.md: its configuration, and the introduction of the repo's README without links to
    other pages of the repo."""
    return LINK_ALONE.sub("", readme.partition("\n## ")[0]).rstrip() + "\n"


def requirements(lines: str, card: str) -> str:
    """Return the repo's requirements with PyTorch's version for ZeroGPU and the card's of Gradio; ValueError without
    one."""
    version = re.search(r"^sdk_version: ([\d.]+)$", card, re.MULTILINE)
    if version is None:
        raise ValueError("README.md has no line sdk_version, which names the Space's version of Gradio: add it.")
    pins = PINNED | {"gradio": version[1]}
    named = [(re.split(r"[<>=]", line)[0], line) for line in lines.split()]
    return "".join(f"{name}=={pins[name]}\n" if name in pins else f"{line}\n" for name, line in named)


def attributes(folder: Path) -> str:
    """Return the content of .gitattributes: all binary files are stored in Git LFS, whatever their size."""
    binaries = (file for file in files_of(folder) if not is_text(file))
    patterns = sorted({f"*{file.suffix}" if file.suffix else file.name for file in binaries})
    return MARK + "".join(f"{pattern} {LFS}\n" for pattern in patterns)


def check_files(folder: Path) -> None:
    """Raise ValueError for a file that the hub would reject, or accept without its content."""
    stored = [line.split()[0] for line in (folder / ATTRIBUTES).read_text(encoding="utf-8").splitlines() if LFS in line]
    for file in files_of(folder):
        name = file.relative_to(folder).as_posix()
        with file.open("rb") as stream:
            if is_lfs_pointer(stream.read(100)):
                raise ValueError(f"{name} is {LFS_POINTER}: {LFS_REMEDY}, and write the Space again.")
        if any(fnmatchcase(file.name, pattern) for pattern in stored):
            continue
        if not is_text(file):
            raise ValueError(f"{name} is no text, and {ATTRIBUTES} does not name it: the hub refuses it.")
        if file.stat().st_size > MAX_BYTES:
            raise ValueError(
                f"{name} has {file.stat().st_size / 1e6:.1f} MB, but the hub takes {MAX_BYTES / 1e6:.0f} MB of a text: "
                "take it out, or make it smaller."
            )


def is_text(file: Path) -> bool:
    """Return whether a file is UTF-8 without null characters."""
    content = file.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def files_of(folder: Path) -> Iterator[Path]:
    """Return every file in a folder and its subfolders, sorted."""
    return (file for file in sorted(folder.rglob("*")) if file.is_file())
