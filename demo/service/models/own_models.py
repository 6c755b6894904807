"""Names of user-supplied models in addition to the shipped ones, without loading them."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from seps.models.beside import BESIDE, model_name
from seps.models.shipped import model_folder, shipped_models

MODEL = "photos"  # where none is named
TAKEN = (  # models and galleries of the app
    *("photos", "scenes", "examples", "open-photos", "moving", "folder", "photo", "video"),
    *("uploads", "own-video", "camera", "same"),
)
HUB_FILES = ("config.json", "model.safetensors")


def check_model(model: str) -> None:
    """Raise ValueError unless `model` is a shipped model, a folder with a model, or looks like a hub repo."""
    if model in shipped_models():
        return
    if "/" not in model and not Path(model).is_dir():
        raise ValueError(
            f"There is no model {model!r} here; there are: {', '.join(shipped_models())}, and any folder of a model "
            "or hub repo (owner/name)."
        )
    model_folder(model)


def name_model(model: str) -> str:
    """Return the name of a shipped model, or the one that a single user-supplied model gets."""
    return model if model in shipped_models() else next(iter(assign_names([model])))


def fetch_model(model: str) -> None:
    """Download a model from the hub, unless `model` is local; ValueError as `check_model`, or if the hub has none."""
    check_model(model)
    if model_folder(model) is not None:
        return
    from seps.encoders import sources  # the hub's library takes a moment to import

    try:
        sources.hub_folder(model, HUB_FILES, HUB_FILES, BESIDE)
    except ValueError as error:
        raise ValueError(f"There is no folder {model}, and {error}") from error


def assign_names(models: Sequence[str], taken: Collection[str] = TAKEN) -> dict[str, str]:
    """Assign unique names to the models: a folder's name, for RUN/best the run's, or a hub repo's last part."""
    named: dict[str, str] = {}
    for model in models:
        name = first = re.sub(r"[^\w.-]+", "-", model_name(Path(model))).strip("-") or "model"
        number = 2
        while name in named or name in taken:
            name, number = f"{first}-{number}", number + 1
        named[name] = model
    return named
