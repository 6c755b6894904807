"""Addresses of the app's photographs, so that a browser fetches each once; a person's own pictures are data URLs in the
answers of their session."""

from base64 import b64decode
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from demo.galleries.indexes.index import IndexedGallery
from demo.page.html import GALLERY, SIZES, picture_address
from demo.record.photo import photo_value
from demo.server.files.static import CACHING
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService

NOT_FOUND = "There is no such picture: reload the page."
FOR_AN_HOUR = "public, max-age=3600"


def is_public(service: RetrievalService, indexed: IndexedGallery, index: int) -> bool:
    """Return whether a photograph is one of the app's galleries, and not uploaded or edited in a session."""
    public = service.galleries.get(indexed.gallery.name)
    return public is not None and public.gallery.items[index] is indexed.gallery.items[index]


def thumbnail_source(service: RetrievalService, indexed: IndexedGallery, index: int) -> str:
    """Return what shows a thumbnail: its address, or a data URL."""
    if not is_public(service, indexed, index):
        return indexed.thumbnail(index)
    return address_of(indexed, "thumb", index)


def addressed_photo(service: RetrievalService, indexed: IndexedGallery, index: int) -> dict[str, Any]:
    """Return a photograph as `photo_value` does, with an address in place of a data URL where it has one."""
    value = photo_value(indexed, index)
    if is_public(service, indexed, index):
        value["src"] = address_of(indexed, "photo", index)
    return value


def address_of(indexed: IndexedGallery, size: str, index: int) -> str:
    """Return a photograph's address: with its digest, but for the worked example's gallery, which ships."""
    name = indexed.gallery.name
    return picture_address(name, size, index, "" if name == GALLERY else indexed.digest(index))


def answering(registry: ModelRegistry) -> Callable[[Request], Any]:
    """Return the route of the pictures: only galleries that everybody sees, by index; no path is read."""

    def content(gallery: str, size: str, index: int) -> bytes:
        if gallery not in registry.names or size not in SIZES:
            raise ValueError(NOT_FOUND)
        _, indexed = registry.find(gallery)
        if not 0 <= index < len(indexed):
            raise ValueError(NOT_FOUND)
        url = indexed.thumbnail(index) if size == "thumb" else photo_value(indexed, index)["src"]
        return b64decode(url.partition(",")[2])

    async def picture(request: Request) -> Response:
        values = request.path_params
        try:
            image = await run_in_threadpool(content, values["gallery"], values["size"], values["index"])
        except ValueError:
            return PlainTextResponse(NOT_FOUND, 404)
        caching = CACHING if request.url.query else FOR_AN_HOUR
        return Response(image, media_type="image/jpeg", headers={"Cache-Control": caching})

    return picture
