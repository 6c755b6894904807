"""Encoding of a session's own pictures, only in memory."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from demo.galleries.folder import uploads_gallery
from demo.galleries.gallery import Gallery
from demo.galleries.index import GalleryInMemory, index_gallery, index_in_steps
from demo.galleries.personal import CAMERA, OWN_VIDEO
from demo.galleries.photos import Photo, read_upload
from demo.galleries.video import read_video
from demo.service.gpu import Encode
from demo.service.retrieval import RetrievalService
from seps import Explanation
from seps.progress import Progress


def encoder_of(service: RetrievalService) -> Encode:
    """Return the encoder of a session's pictures: a leased GPU if available, else the service's model."""
    return service.encode_uploads or service.encode_photos


def index_uploads(
    service: RetrievalService,
    uploads: Sequence[tuple[str, bytes]],
    progress: Progress = False,
    before: GalleryInMemory | None = None,
) -> GalleryInMemory:
    """Index uploaded photographs, given as names and contents; those in `before` are not encoded again.

    Raises:
        ValueError: no readable photograph, or too many.
    """
    return index_gallery(service.model, uploads_gallery(uploads), None, progress, encoder_of(service), before)


def decode_upload(upload: tuple[str, bytes]) -> Photo:
    """Decode an uploaded picture, given as name and content; ValueError if it is unreadable."""
    name, content = upload
    return read_upload(content, name)


def index_frame(service: RetrievalService, name: str, content: bytes, title: str) -> GalleryInMemory:
    """Index a camera frame, given as name and content; ValueError if it is unreadable."""
    gallery = replace(uploads_gallery([(name, content)]), name=CAMERA, title=title)
    return index_gallery(service.model, gallery, None, encode=encoder_of(service))


def explain_frame(service: RetrievalService, name: str, content: bytes, caption: str) -> Explanation:
    """Explain a camera frame, without storing it, and a validated caption; ValueError if it is unreadable."""
    photo = decode_upload((name, content))
    return service.explain_embeddings(encoder_of(service)([photo.image])[0], photo.image, caption, None)


def read_frames(file: Path) -> Generator[int, None, Gallery]:
    """Read a session's video, as `demo.galleries.video.read_video`."""
    return read_video(file, OWN_VIDEO)


def index_frames(service: RetrievalService, frames: Gallery) -> Generator[int, None, GalleryInMemory]:
    """Index the frames of a session's video one by one, as `demo.galleries.index.index_in_steps`."""
    return index_in_steps(service.model, frames, None, encode=encoder_of(service))
