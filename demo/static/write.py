"""Writing of the static page: parts in folders named by a digest of their content, so that browsers cache them
forever."""

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile
from typing import Any

from demo.galleries.gallery import first_captions
from demo.galleries.indexes.index import GalleryInMemory, require_in_memory
from demo.galleries.sources.scenes import SCENES
from demo.record.photo import get_credit
from demo.record.texts.language import in_languages
from demo.server.files.static import digest_of, scripts
from demo.service.models.start import GalleryOptions, open_service, open_shipped_scenes
from demo.service.retrieval import RetrievalService
from demo.static.gallery import write_gallery
from demo.static.libraries import GPU_FILES, library_files
from demo.static.model import nodes_without_kernel, write_model
from demo.static.page import ASSETS, space_card, static_page
from demo.views.losses.claims import CLAIMS, claims_value, run_claim
from demo.views.losses.values import playground_value
from demo.views.viewer import worked_example
from seps.common.files import write_atomically
from seps.common.progress import Progress

MARK = "seps-static.json"  # marks a folder written by this program; only such folders are overwritten
OPENED = {"photos": "examples", SCENES: SCENES}  # a model's gallery
LATER = ("image", "lesson", "dense")  # how the names of graphs begin that are fetched when something asks for them
OF_LOSSES = "photos"  # the model that the page Losses is about

LOSSES = "losses.json"


def write_site(folder: Path, models: Sequence[str], progress: Progress = False) -> dict[str, int]:
    """Write the page into a folder, replacing a previous one; return the bytes of each part. The page starts with the
    first model. ValueError for a file, a folder with other content, or libraries that cannot be downloaded."""
    if folder.is_file():
        raise ValueError(f"{folder} is a file: name a folder.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise ValueError(f"{folder} holds other files, which would be lost: name another folder.")
    libraries, gpu = library_files(), library_files(named=GPU_FILES)
    with write_atomically(folder) as place:
        place.mkdir(parents=True)
        parts = {
            "libraries": write_files(place, "libraries", libraries),
            "webgpu": write_files(place, "webgpu", gpu),
            "js": write_files(place, "js", scripts()),
        }
        opened = {name: opened_model(name, progress) for name in models}
        galleries = [write_opened(place, *pair, parts, progress) for pair in opened.values()]
        shown = opened.get(OF_LOSSES) or opened_model(OF_LOSSES, progress)
        write_losses(shown[0], place / "losses")
        parts["losses"] = named_by_content(place / "losses")
        engine_bytes, gpu_bytes = (sum(map(len, files.values())) for files in (libraries, gpu))
        page = static_page(parts, galleries, engine_bytes, gpu_bytes)
        (place / "index.html").write_text(page, encoding="utf-8")
        copyfile(ASSETS / "offline.js", place / "offline.js")  # the service worker
        (place / "README.md").write_text(space_card(models), encoding="utf-8")
        sizes = {name: sum(file.stat().st_size for file in files_of(place / path)) for name, path in parts.items()}
        (place / MARK).write_text(json.dumps({"parts": parts, "bytes": sizes}, indent=1), encoding="utf-8")
        return sizes | {"page": (place / "index.html").stat().st_size}


def opened_model(name: str, progress: Progress) -> tuple[RetrievalService, GalleryInMemory]:
    """Return a shipped model and its gallery."""
    service = open_shipped_scenes() if name == SCENES else open_service(GalleryOptions(fetch=False, progress=progress))
    return service, require_in_memory(service.open(OPENED[name], progress))


def write_opened(
    place: Path, service: RetrievalService, indexed: GalleryInMemory, parts: dict[str, str], progress: Progress
) -> dict[str, Any]:
    """Write a model and its gallery, add their folders to `parts`, and return the facts for the initial page."""
    model, name = place / f"model {service.name}", indexed.gallery.name
    write_model(service, model, progress)
    parts[f"model {service.name}"] = named_by_content(model)
    folder = place / f"gallery {name}"
    facts = write_gallery(service, indexed, folder)
    parts[f"gallery {name}"] = named_by_content(folder)
    needed = {file.name: file.stat().st_size for file in files_of(place / parts[f"model {service.name}"])}
    embeddings = place / parts[f"gallery {name}"] / "embeddings.f16"
    later = sum(size for file, size in needed.items() if file.startswith(LATER))
    return {
        "name": name,
        "title": indexed.gallery.title,
        "model": service.name,
        "keep_ratio": service.model.cross_net.sparse_ratio,
        "bytes": sum(needed.values()) - later + embeddings.stat().st_size,
        "image_bytes": sum(size for file, size in needed.items() if file.startswith("image.")),
        "total": len(indexed),
        "credits": [f"{item.title}: {get_credit(item)}" for item in indexed.gallery.items if get_credit(item)],
        "image_on_cpu": nodes_without_kernel(place / parts[f"model {service.name}"] / "image.onnx"),
        "pictures": sorted(
            {item["thumb"] for item in facts["items"]} | {item["photo"]["src"] for item in facts["items"]}
        ),
        "files": sorted(set(needed) - {"config.json"}),
        "first": first_view(service, indexed, facts, parts[f"gallery {name}"]),
    }


def first_view(
    service: RetrievalService, indexed: GalleryInMemory, facts: dict[str, Any], folder: str
) -> dict[str, Any]:
    """Return the worked example of a gallery in the format of the page's scripts, with pictures by URL."""
    captions = first_captions(indexed.gallery)
    asked = (service, indexed, captions[0])
    index, _, viewer = worked_example(*asked)
    ranking = in_languages(lambda: worked_example(*asked)[1])
    shown = facts["items"][index]["photo"]
    viewer["photo"] = shown | {"src": f"{folder}/{shown['src']}"}
    for part in ranking["lists"]:
        for item in part["items"]:
            fact = facts["items"][item["index"]]
            item |= {"key": fact["key"], "thumb": f"{folder}/{fact['thumb']}"}
    return {"captions": list(captions), "ranking": ranking, "viewer": viewer}


def write_files(place: Path, name: str, files: dict[str, bytes]) -> str:
    """Write files to a folder named by their content; return its name."""
    folder = place / name
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return named_by_content(folder)


def named_by_content(folder: Path) -> str:
    """Append a digest of its files to a folder's name; return the name."""
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files_of(folder)}
    name = f"{folder.name.replace(' ', '-')}-{digest_of(files)}"
    folder.rename(folder.with_name(name))
    return name


def files_of(folder: Path) -> list[Path]:
    """Return every file in a folder and its subfolders, sorted."""
    return sorted(file for file in folder.rglob("*") if file.is_file())


def write_losses(service: RetrievalService, folder: Path) -> None:
    """Write the data of the view Losses to a folder; arguments as for `losses_facts`."""
    folder.mkdir(parents=True)
    (folder / LOSSES).write_text(json.dumps(losses_facts(service), separators=(",", ":")), encoding="utf-8")


def losses_facts(service: RetrievalService) -> dict[str, Any]:
    """Compute the JSON data of Losses with the model `photos`: `playground` under default settings, which
    assets/js/engine/answers/loss.js recomputes under others, and `claims` that the page cannot measure."""
    claims = in_languages(lambda: claims_value({name: run_claim(service, name) for name in CLAIMS}))
    return {"playground": playground_value(service), "claims": claims | {"live": False}}
