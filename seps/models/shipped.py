"""Resolution of a name, a folder or a repo id to a model, without loading it."""

import re
from importlib import resources
from pathlib import Path

CONFIG_NAME = "config.json"  # the model hub's name
REPO_ID = re.compile(r"[\w.-]+/[\w.-]+")


def shipped_models(config_name: str = CONFIG_NAME) -> dict[str, Path]:
    """Find the models that ship with SEPS, by name: folders of assets/models with the file `config_name`."""
    return {
        folder.name: folder
        for root in shipped_roots()
        for folder in sorted(root.iterdir())
        if (folder / config_name).is_file()
    }


def shipped_roots() -> list[Path]:
    """List the existing folders of shipped models."""
    return [root / "models" for root in asset_roots() if (root / "models").is_dir()]


def asset_roots() -> tuple[Path, Path]:
    """Return the possible asset folders: in the repo, and inside an installed package (see setup.py)."""
    package = Path(str(resources.files("seps")))
    return package.parent / "assets", package / "assets"


def shipped_file(name: str) -> Path:
    """Find a file that ships with SEPS by its path below `assets`; ValueError without one."""
    for root in asset_roots():
        if (root / name).is_file():
            return root / name
    raise ValueError(f"No file {name!r} ships with SEPS: name one by its path below assets.")


def is_repo_id(name: str) -> bool:
    """Return whether a name looks like a repo of the model hub and not like a mistyped local path."""
    return REPO_ID.fullmatch(name) is not None and not name.startswith(".") and not Path(name).parent.is_dir()


def model_folder(name: str) -> Path | None:
    """Find the folder of a shipped or local model; None for a repo on the model hub."""
    shipped = shipped_models()
    if name in shipped:
        return shipped[name]
    if REPO_ID.fullmatch(name) and "." not in name:
        for root in shipped_roots():
            if (root / name / CONFIG_NAME).is_file():
                return root / name
    folder = Path(name)
    if folder.is_dir():
        if not (folder / CONFIG_NAME).is_file():
            best = folder / "best"  # the model's folder in a run of seps.train
            hint = f": give {best}" if (best / CONFIG_NAME).is_file() else ""
            raise ValueError(f"{folder} has no {CONFIG_NAME}, so it holds no model{hint}.")
        return folder
    if folder.parent != Path() and folder.parent.is_dir():  # a mistyped path, not an owner on the hub
        beside = ", ".join(sorted(config.parent.name for config in folder.parent.glob(f"*/{CONFIG_NAME}")))
        there = f"; in {folder.parent} there are: {beside}" if beside else f", and {folder.parent} holds no model"
        raise ValueError(f"There is no folder {name}{there}.")
    if REPO_ID.fullmatch(name) is None or name.startswith("."):
        raise ValueError(
            f"{name!r} is no folder, no hub repo (owner/name) and no shipped model; shipped are: "
            f"{', '.join(shipped) or 'none'}."
        )
    return None
