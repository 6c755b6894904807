"""A session's version of the gallery of scenes, with edited scenes in place of the originals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from PIL import Image
from torch import Tensor

from demo.galleries.annotation import SceneAnnotation, title_of
from demo.galleries.gallery import GalleryItem
from demo.galleries.index import GalleryInMemory, IndexedGallery, require_in_memory
from demo.galleries.photos import pixels_digest, thumbnail
from seps import ImageIndex, ScoringEngine, SEPSModel
from seps.scenes import Scene, dense_caption, draw, sparse_captions, true_of


@dataclass(frozen=True)
class EditedScene:
    """An edited and encoded scene.

    Attributes:
        history: the scene after each change; the last is current.
        item: the picture as a gallery item; thumbnail, digest: of it.
        embeddings: (N[+1], C), of the current scene.
    """

    history: tuple[Scene, ...]
    item: GalleryItem
    thumbnail: str
    digest: str
    embeddings: Tensor

    @property
    def scene(self) -> Scene:
        """The current scene."""
        return self.history[-1]


def encode_edited(model: SEPSModel, original: GalleryItem, history: tuple[Scene, ...]) -> EditedScene:
    """Draw and encode the last scene of a history."""
    scene = history[-1]
    picture = Image.fromarray(draw(scene).pixels)
    captions = (
        [caption for caption in sparse_captions(scene) if true_of(scene, caption.statements)] if scene.objects else []
    )
    dense = dense_caption(scene) if scene.objects else None
    item = replace(
        original,
        title=f"{title_of(scene)}, edited",
        captions=tuple(caption.text for caption in captions),
        dense=dense.text if dense is not None and true_of(scene, dense.statements) else None,
        source=picture.copy,
        known=SceneAnnotation(scene, tuple((caption.text, caption.mentions) for caption in captions)),
    )
    embeddings = model.encode_photos([picture])[0]
    return EditedScene(history, item, thumbnail(picture), pixels_digest(picture), embeddings)


def with_edits(model: SEPSModel, indexed: IndexedGallery, edits: Mapping[int, EditedScene]) -> IndexedGallery:
    """Return the gallery with edited scenes in their places; the original is unchanged."""
    if not edits:
        return indexed
    indexed = require_in_memory(indexed)
    items, thumbnails, digests = list(indexed.gallery.items), list(indexed.thumbnails), list(indexed.digests)
    for index, edit in edits.items():
        items[index], thumbnails[index], digests[index] = edit.item, edit.thumbnail, edit.digest
    indices = torch.tensor(list(edits), device=indexed.embeddings.device)
    rows = torch.stack([edit.embeddings for edit in edits.values()]).to(indexed.embeddings)  # (E, N[+1], C)
    return GalleryInMemory(
        gallery=replace(indexed.gallery, items=tuple(items)),
        images=with_rows(indexed.images, indices, ScoringEngine(model.cross_net).encode_images(rows)),
        thumbnails=tuple(thumbnails),
        digests=tuple(digests),
        embeddings=indexed.embeddings.index_copy(0, indices, rows),
    )


def with_rows(images: ImageIndex, indices: Tensor, rows: ImageIndex) -> ImageIndex:
    """Return the index with some images replaced."""

    def put(values: Tensor, new: Tensor) -> Tensor:
        return values.index_copy(0, indices, new.to(values))

    def put_where(values: Tensor | None, new: Tensor | None) -> Tensor | None:
        return None if values is None or new is None else put(values, new)

    sparse = put(images.logits[0], rows.logits[0])
    shared = images.logits[1] is images.logits[0]
    return replace(
        images,
        cls=put_where(images.cls, rows.cls),
        patches=put(images.patches, rows.patches),
        norms=put(images.norms, rows.norms),
        s_im=put(images.s_im, rows.s_im),
        s_p=(put_where(images.s_p[0], rows.s_p[0]), put_where(images.s_p[1], rows.s_p[1])),
        logits=(sparse, sparse if shared else put(images.logits[1], rows.logits[1])),
    )
