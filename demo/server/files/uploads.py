"""Uploads: stored under random names, and read only from the folder of uploads."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from demo.galleries.reading.photos import MAX_BYTES
from demo.galleries.sources.folder import MAX_UPLOADS
from demo.server.files.folder import LIFETIME, is_in_folder

MAX_TOGETHER = 250 * 2**20  # of the files of one call together
MAX_VIDEO = 200 * 2**20
NOT_THERE = f"This is no upload, or one that is gone: uploads stay for {LIFETIME // 60} minutes. Upload it once more."

NOT_SENT = (
    "This photo is text, but an uploaded file is needed: with gradio_client, write handle_file(PATH); in another "
    'program, upload the file to /gradio_api/upload and give {"path": PATH} with the path that it answers.'
)


class Upload(NamedTuple):
    """An uploaded file, read once: its name for people, and at most MAX_BYTES + 1 bytes of its content."""

    name: str
    content: bytes


def takes_uploads(component: Any, several: bool = False) -> Any:
    """Make a Gradio component return an `Upload`, or a list of them; its `check_uploads`, which validates the files of
    a call, is called first."""
    folder = Path(component.GRADIO_CACHE).resolve()

    def read(payload: Any) -> Any:
        if payload is None:
            return None
        uploads = read_uploads([Path(file.path) for file in (payload.root if several else [payload])], folder)
        return uploads if several else uploads[0]

    component.preprocess = read
    component.check_uploads = partial(validate_files if several else validate_file, folder)
    return component


def validate_files(folder: Path, value: Any) -> list[dict[str, Any]] | None:
    """Return the files of a call in Gradio's format; errors as `validate_file`."""
    if value is None or value == []:
        return None
    if not isinstance(value, list):
        raise ValueError(NOT_THERE)
    if len(value) > MAX_UPLOADS:
        raise ValueError(f"There are {len(value)} photos, but at most {MAX_UPLOADS} can be uploaded at once.")
    return [file for each in value if (file := validate_file(folder, each)) is not None]


def validate_file(folder: Path, value: Any) -> dict[str, Any] | None:
    """Return a file of a call, {"path": ...}, in Gradio's format, without opening it; ValueError for a path outside the
    folder (its links resolved), whether the file exists or not."""
    if value is None:
        return None
    if isinstance(value, str):
        raise ValueError(NOT_SENT)
    path = value.get("path") if isinstance(value, dict) else None
    if not isinstance(path, str) or not is_in_folder(folder, path):
        raise ValueError(NOT_THERE)
    return {"path": str(Path(path).resolve()), "meta": {"_type": "gradio.FileData"}}


def find_sent_file(path: str, folder: Path) -> Path:
    """Return the upload at a path that the page reports; ValueError if there is none."""
    file = Path(path).resolve() if is_in_folder(folder, path) else folder
    if not file.is_file():
        raise ValueError(NOT_THERE)
    return file


def read_uploads(paths: list[Path], folder: Path) -> list[Upload]:
    """Read validated files; ValueError if one is gone, or all together are too large."""
    uploads, left = [], MAX_TOGETHER
    for path in paths:
        try:
            if not is_in_folder(folder, path) or not path.is_file():
                raise ValueError(NOT_THERE)
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:  # a name too long, or a file that went meanwhile
            raise ValueError(NOT_THERE) from error
        left -= len(content)
        if left < 0:
            raise ValueError(f"These photos have more than {MAX_TOGETHER // 2**20} MB together: upload fewer at once.")
        uploads.append(Upload(path.name, content))
    return uploads
