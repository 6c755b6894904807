"""load_model, and the folders of other kinds of models: a shipped name, a folder, or a repo on the model hub."""

from collections.abc import Mapping
from pathlib import Path

from seps.encoders.sources import hub_folder
from seps.models.model import SEPSModel
from seps.models.shipped import is_repo_id, model_folder
from seps.models.shipped import shipped_models as shipped_models


def load_model(name_or_folder_or_repo_id: str | Path, revision: str | None = None) -> SEPSModel:
    """Load a trained model on the CPU, in evaluation mode; ValueError if there is none or its files do not fit.

    Args:
        name_or_folder_or_repo_id: a name in `shipped_models()`, a folder with config.json and model.safetensors, or a
            repo id like "owner/name".
        revision: branch, tag or commit of a repo; None for its main branch.
    """
    name = str(name_or_folder_or_repo_id)
    folder = model_folder(name)
    if folder is None:
        model = SEPSModel.from_pretrained(name, revision=revision)
    elif revision is None:
        model = SEPSModel.from_pretrained(folder)
    else:
        raise ValueError(f"{name} is a local folder, which has no revisions: leave revision out.")
    model.name = Path(name).name
    return model


def folder_with(config_name: str, name: str, shipped: Mapping[str, Path], noun: str) -> Path:
    """Find the folder, with a file `config_name`, of a model other than SEPS, such as a judge."""
    folder = shipped.get(name, Path(name))
    if (folder / config_name).is_file():
        return folder
    if not folder.exists() and is_repo_id(name):
        return hub_folder(name, (config_name, "*.safetensors"), required=(config_name,))
    for part in ("best", "model"):  # of a run
        if (folder / part / config_name).is_file():
            raise ValueError(f"{name} is a run's folder, which contains a {noun} in a subfolder: give {folder / part}.")
    raise ValueError(
        f"{name!r} is no folder with {config_name}, no hub repo (owner/name) and no {noun} that ships; those are: "
        f"{', '.join(shipped) or 'none'}."
    )
