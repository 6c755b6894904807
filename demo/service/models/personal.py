"""Encoding of a session's own pictures, only in memory."""

from collections.abc import Sequence
from dataclasses import replace

from demo.galleries.indexes.index import GalleryInMemory, index_gallery
from demo.galleries.reading.photos import read_upload
from demo.galleries.sources.folder import CAMERA, uploads_gallery
from demo.service.retrieval import RetrievalService
from demo.service.threads import Encode
from seps import Explanation
from seps.common.progress import Progress


def encoder_of(service: RetrievalService) -> Encode:
    """Return the encoder of a session's pictures: a leased GPU if available, else the service's model."""
    return service.encode_uploads or service.encode_photos


def index_uploads(
    service: RetrievalService,
    uploads: Sequence[tuple[str, bytes]],
    progress: Progress = False,
    before: GalleryInMemory | None = None,
) -> GalleryInMemory:
    """Index uploaded photographs, given as names and contents; those in `before` are not encoded again. ValueError for
    too many, or if none is readable."""
    return index_gallery(service.model, uploads_gallery(uploads), None, progress, encoder_of(service), before)


def index_frame(service: RetrievalService, name: str, content: bytes, title: str) -> GalleryInMemory:
    """Index a camera frame, given as name and content; ValueError if it is unreadable."""
    gallery = replace(uploads_gallery([(name, content)]), name=CAMERA, title=title)
    return index_gallery(service.model, gallery, None, encode=encoder_of(service))


def explain_frame(service: RetrievalService, name: str, content: bytes, caption: str) -> Explanation:
    """Explain a camera frame, without storing it, and a validated caption; ValueError if it is unreadable."""
    photo = read_upload(content, name)
    return service.explain_embeddings(encoder_of(service)([photo.image])[0], photo.image, caption, None)


class SessionData(dict[str, GalleryInMemory]):
    """A session's own galleries by name: uploads, the frames of a video, a camera frame."""

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes."""
        return sum(indexed.nbytes for indexed in list(self.values()))

    def add(self, indexed: GalleryInMemory) -> None:
        """Put a gallery in the place of the one of its name; the others stay, also if several are added at a time."""
        self[indexed.gallery.name] = indexed
