"""Ways in which a call can try to name a file that is not its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any


def metas() -> list[dict[str, Any]]:
    """Fields next to a path: Gradio looks at its files only if `meta` is valid."""
    wrong: list[Any] = [None, {}, [], "gradio.FileData", {"_type": "gradio.Other"}, {"_type": None}, 0]
    return [{}, {"meta": {"_type": "gradio.FileData"}}, *({"meta": meta} for meta in wrong)]


def paths(canary: Path, folder: Path) -> list[str]:
    """Paths and addresses of a file outside the folder of uploads; `folder`/link.png links to it."""
    up = "/".join([".."] * len(folder.parts))
    return [
        str(canary),
        f"{folder}/../{canary.name}",
        f"{folder}/{up}{canary}",
        f"{folder}/link.png",
        f"../{canary.name}",
        f"{up}{canary}",
        f"file://{canary}",
        f"file:{canary}",
        f"http://127.0.0.1:1/{canary.name}",
        f"https://localhost/{canary.name}",
        f"/gradio_api/file={canary}",
        f"{canary}\0.png",
        f"{folder}\0/../{canary.name}",
        str(folder),
        f"{folder}/",
        "",
        ".",
        "~",
        "/dev/zero",
        "/proc/self/environ",
        "data:image/png;base64,iVBORw0KGgo=",
    ]


def forms(canary: Path, folder: Path) -> Iterator[Any]:
    """Values that name the canary in any form that a call can have."""
    for path in paths(canary, folder):
        for more in metas():
            yield {"path": path, **more}
        yield path
        yield [path]
        yield {"path": {"path": path}}
        yield {"path": [path]}
        yield {"url": path, "meta": {"_type": "gradio.FileData"}}
        yield {"path": None, "url": path, "meta": {"_type": "gradio.FileData"}}
        yield {"image": {"path": path, "meta": {"_type": "gradio.FileData"}}}
    yield from (3, True, 1.5, {}, "photo")
