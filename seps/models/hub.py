"""load_model: a shipped model by name, a folder, or a repo on the model hub."""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import constants

from seps.encoders.sources import hub_folder
from seps.models.model import SEPSModel
from seps.models.shipped import model_folder
from seps.models.shipped import shipped_models as shipped_models


def load_model(name_or_folder_or_repo_id: str | Path) -> SEPSModel:
    """Load a trained model, in evaluation mode, on the CPU.

    Args:
        name_or_folder_or_repo_id: the name of a shipped model (`shipped_models()`), a folder with config.json and
            model.safetensors, or a repo id like "owner/name".

    Raises:
        ValueError: none of these; or files that are missing or do not fit; the message says what to do.
    """
    name = str(name_or_folder_or_repo_id)
    folder = model_folder(name)
    if folder is None:
        folder = hub_folder(name, (constants.CONFIG_NAME, constants.SAFETENSORS_SINGLE_FILE))
        if not (folder / constants.CONFIG_NAME).is_file():
            raise ValueError(f"{folder} has no {constants.CONFIG_NAME}, so it holds no model.")
    model = SEPSModel.from_pretrained(folder)
    model.name = Path(name).name
    return model
