"""Sessions of a person with galleries of their own."""

from demo.galleries.indexes.index import GalleryInMemory
from demo.service.models.personal import SessionData


def own(indexed: GalleryInMemory) -> SessionData:
    """Return a session that has one gallery."""
    session = SessionData()
    session.add(indexed)
    return session
