"""Files below a folder by the names that data have for them: other separators, capitals or accents."""

import os
from pathlib import Path

from seps.common.text import nfc

IMAGES = "images"  # the folder of image files in the layouts that are read


class FilesBelow:
    """Finds files by names relative to `root` or, with `anywhere`, by name only; lists each folder once."""

    def __init__(self, root: Path, anywhere: bool = False) -> None:
        self.root, self.anywhere = root, anywhere
        self._listed: dict[Path, set[str]] = {}
        self._tree: dict[str, list[Path]] | None = None

    def find(self, name: str) -> Path | None:
        """Return a file's path, None if not found, or several candidates for an ambiguous name."""
        files = self.matches(name)
        return files[0] if len(files) == 1 else None

    def matches(self, name: str) -> list[Path]:
        """Return the candidates for a name: the exact path if it exists, else all matching files."""
        for written in filter(None, dict.fromkeys((name, self._tidy(name)))):
            file = self.root / written
            if file.parent not in self._listed:
                self._listed[file.parent] = files_in(file.parent)
            if file.name in self._listed[file.parent]:
                return [file]
        if self._tree is None:
            self._tree = self._walked()
        path = _key(self._tidy(name))
        files = self._tree.get(path, [])
        return self._tree.get("*/" + path.rpartition("/")[2], []) if self.anywhere and not files else files

    def _tidy(self, name: str) -> str:
        """Return a name with forward slashes, without a leading "./"."""
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        return "/".join(parts[1:] if len(parts) > 1 and parts[0] in (self.root.name, IMAGES) else parts)

    def _walked(self) -> dict[str, list[Path]]:
        """All files by the keys of their path and, behind "*/", of their name."""
        tree: dict[str, list[Path]] = {}
        for folder, _, names in os.walk(self.root):
            for name in sorted(names):
                file = Path(folder, name)
                for key in (file.relative_to(self.root).as_posix(), f"*/{name}"):
                    tree.setdefault(_key(key), []).append(file)
        return tree


def _key(name: str) -> str:
    return nfc(name).lower()


def files_in(folder: Path) -> set[str]:
    """Return the names of a folder's files; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if entry.is_file()}
    except (OSError, ValueError):  # ValueError: a name that no folder can have
        return set()
