"""Tables of photographs, local or on object storage, ranked in two stages; used for folders too large for memory."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from torch import Tensor

from demo.galleries.indexes.index import IndexedGallery, index_gallery
from demo.galleries.indexes.indexing import FolderIndexing
from demo.galleries.indexes.stored import IndexingStatus, StoredGallery
from demo.galleries.indexes.table import table_place
from demo.galleries.reading.paths import default_cache, write_whole
from demo.galleries.sources.folder import create_listed_gallery, folder_gallery
from demo.service.models.own_models import check_model, name_model
from demo.service.retrieval import RetrievalService
from demo.service.threads import best_device, computing
from seps import CaptionIndex, ImageIndex, ScoringEngine, SEPSModel, load_model
from seps.common.checks import Mask
from seps.common.progress import Progress
from seps.indexing.layout import table_layout
from seps.models.encoder_key import encoder_key, files_key
from seps.models.shipped import model_folder
from seps.search.features import feature_key
from seps.search.store import GalleryStore

LARGE = 500  # photographs: a folder of more is indexed into a table while it is searched
PRECISION = "float16"  # of such a table: half the room, and half the reading


class EngineInTurn(ScoringEngine):
    """Engine that scores on the computing threads, so that other requests run in between."""

    @computing
    def encode_images(self, img_embs: Tensor) -> ImageIndex:
        """Encode as `ScoringEngine`."""
        return super().encode_images(img_embs)

    @computing
    def score(
        self, images: ImageIndex, captions: CaptionIndex, mask: Mask | None = None, dense_mask: Mask | None = None
    ) -> Tensor:
        """Score as `ScoringEngine`."""
        return super().score(images, captions, mask, dense_mask)


def open_folder(
    model: SEPSModel,
    folder: Path,
    cache: Path,
    progress: Progress = False,
    notify: Callable[[str], Any] = lambda line: None,
    recursive: bool = False,
    beside: bool = False,
) -> IndexedGallery:
    """Index a folder of photographs in memory, or with more than LARGE files in a table of the cache; with `beside` in
    the background, once some are searchable. ValueError without a readable photograph, or if its table cannot be
    written."""
    gallery, files = create_listed_gallery(folder, recursive)
    if len(files) <= LARGE:
        return index_gallery(model, folder_gallery(folder, progress, recursive), cache, progress)
    place = table_place(cache, gallery, model)
    engine = EngineInTurn(model.cross_net)
    layout = table_layout(model, PRECISION, feature_key(engine))
    stored = StoredGallery(engine, layout, gallery, place, computing(model.encode_photos))
    indexing = FolderIndexing(stored, files, progress, notify)
    indexing.start()
    if not beside:
        indexing.wait()
    return stored


def folder_status(service: RetrievalService) -> IndexingStatus | None:
    """Return the indexing progress of a service's large folder, or None."""
    stored = [indexed for indexed in service.galleries.values() if isinstance(indexed, StoredGallery)]
    return stored[0].indexing() if stored and stored[0].indexing is not None else None


def open_table(name_or_folder: str, uri: str) -> tuple[RetrievalService, GalleryStore]:
    """Load a model, and open a table of it; ValueError if either is missing or they do not belong together. The image
    encoder is only loaded where its key is not known yet: it brings timm with it."""
    check_model(name_or_folder)
    folder, device = model_folder(name_or_folder), best_device()
    key = "" if folder is None else files_key(folder, device)
    known = default_cache() / "encoder-keys" / key
    if folder is not None and key and known.is_file():
        store = GalleryStore.read(uri)
        encoder, _, patches = known.read_text(encoding="ascii").partition(" ")
        if encoder == store.layout.encoder:
            model = SEPSModel.from_pretrained(folder, stored_patches=int(patches)).to(device)
            model.name = folder.name
            return RetrievalService(model, name_model(name_or_folder)), store
    service = RetrievalService(load_model(folder or name_or_folder).to(device), name_model(name_or_folder))
    encoder = encoder_key(service.model)
    if key:
        with suppress(OSError):
            write_whole(known, f"{encoder} {service.model.img_enc.num_patches}".encode())
    return service, GalleryStore.read(uri, encoder)
