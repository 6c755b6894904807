"""load_model: a shipped model by name, a folder, or a repo on the model hub."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from huggingface_hub import constants

from seps.encoders.sources import hub_folder
from seps.models.model import SEPSModel


def load_model(name_or_folder_or_repo_id: str | Path) -> SEPSModel:
    """Load a trained model, in evaluation mode, on the CPU.

    Args:
        name_or_folder_or_repo_id: the name of a shipped model (`shipped_models()`), a folder with config.json and
            model.safetensors, or a repo id like "owner/name".

    Raises:
        ValueError: none of these; or files that are missing or do not fit; the message says what to do.
    """
    wanted = str(name_or_folder_or_repo_id)
    shipped = shipped_models()
    if wanted in shipped:
        return SEPSModel.from_pretrained(shipped[wanted])
    folder = Path(wanted)
    if not folder.is_dir():
        if folder.is_absolute() or wanted.startswith(".") or wanted.count("/") != 1:
            raise ValueError(
                f"{wanted!r} is no folder, no hub repo (owner/name) and no shipped model; shipped are: "
                f"{', '.join(shipped) or 'none'}."
            )
        folder = hub_folder(wanted, (constants.CONFIG_NAME, constants.SAFETENSORS_SINGLE_FILE))
    if not (folder / constants.CONFIG_NAME).is_file():
        raise ValueError(f"{folder} has no {constants.CONFIG_NAME}, so it holds no model.")
    return SEPSModel.from_pretrained(folder)


def shipped_models() -> dict[str, Path]:
    """List the models that ship with SEPS, by name: folders of assets/models in the repo, or inside the package."""
    package = Path(str(resources.files("seps")))
    roots = (package.parent / "assets" / "models", package / "assets" / "models")
    return {
        folder.name: folder
        for root in roots
        if root.is_dir()
        for folder in sorted(root.iterdir())
        if (folder / constants.CONFIG_NAME).is_file()
    }
