"""Effect of a change of a scene on its rank, score and kept patches; the edited scene replaces the original in the
gallery."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from PIL import Image
from torch import Tensor

from demo.galleries.annotation import SceneAnnotation, title_of
from demo.galleries.indexes.index import GalleryInMemory, IndexedGallery, require_in_memory
from demo.galleries.reading.photos import pixels_digest, thumbnail
from demo.galleries.sources.scenes import SCENES
from demo.service.models.registry import ModelRegistry
from demo.service.ranking import ImageRanking
from demo.service.retrieval import RetrievalService
from seps import Explanation, ImageIndex, ScoringEngine, SEPSModel
from seps.common.checks import read_json
from seps.scenes import Scene, dense_caption, draw, sparse_captions, true_of
from seps.scenes.edit import edited

MAX_CHANGES = 200
BACK = ("undo", "original")


@dataclass(frozen=True)
class Outcome:
    """A scene under a caption."""

    indexed: IndexedGallery
    ranking: ImageRanking  # of the gallery for the caption
    rank: int  # the scene's, from 1
    record: Explanation
    scene: Scene


@dataclass(frozen=True)
class Experiment:
    """A scene before and after its changes."""

    before: Outcome
    after: Outcome


def experiment(registry: ModelRegistry, index: int, caption: str, edited: IndexedGallery | None = None) -> Experiment:
    """Rank and explain a scene for a caption as read, before and after its changes (`edited_gallery`, or None)."""
    service, scenes = registry.open(SCENES)
    before = outcome(service, scenes, index, caption)
    return Experiment(before, before if edited is None else outcome(service, edited, index, caption))


def outcome(service: RetrievalService, indexed: IndexedGallery, index: int, caption: str) -> Outcome:
    """Rank and explain a scene of a gallery for a caption."""
    ranking = service.rank_images(indexed, caption)
    rank = 1 + ranking.order.index(index)
    record = service.explain_encoded(indexed, index, ranking.encoded)
    return Outcome(indexed, ranking, rank, record, known(indexed, index).scene)


def known(indexed: IndexedGallery, index: int) -> SceneAnnotation:
    """Return the annotation of a gallery's scene; ValueError for other pictures."""
    annotation = indexed.gallery.items[index].known
    if annotation is None:
        raise ValueError(f"{indexed.gallery.items[index].title} is no drawn scene: it cannot be edited.")
    return annotation


def edited_gallery(registry: ModelRegistry, index: int, changes: Sequence[Mapping[str, Any]]) -> IndexedGallery | None:
    """Return the gallery with one scene after changes, None where none is left; only the last scene is drawn. Changes
    are as for `edited` (ValueError for an invalid one), or {"do": "undo"} to revert the last one, or {"do":
    "original"}."""
    service, indexed = registry.open(SCENES)
    history = [known(indexed, index).scene]
    for change in changes:
        if change.get("do") in BACK:
            del history[max(1, len(history) - 1) if change["do"] == "undo" else 1 :]
        else:
            history.append(edited(history[-1], change))
    if len(history) == 1:
        return None
    return with_edit(service.model, indexed, index, history[-1])


def read_changes(text: str) -> list[dict[str, Any]]:
    """Parse changes from a JSON list; ValueError for anything else."""
    changes = read_json(text or "", "The changes")
    is_list = isinstance(changes, list) and all(isinstance(change, dict) for change in changes)
    if not is_list or len(changes) > MAX_CHANGES:
        example = '[{"do": "remove", "object": 0}]'
        raise ValueError(f"The changes must be a list of at most {MAX_CHANGES}, such as {example}.")
    return changes


def with_edit(model: SEPSModel, indexed: IndexedGallery, index: int, scene: Scene) -> GalleryInMemory:
    """Return the gallery with a changed scene, drawn and encoded, in place of one; the original is unchanged."""
    indexed = require_in_memory(indexed)
    picture = Image.fromarray(draw(scene).pixels)
    captions = sparse_captions(scene) if scene.objects else []
    captions = [caption for caption in captions if true_of(scene, caption.statements)]
    dense = dense_caption(scene) if scene.objects else None
    items, thumbnails, digests = list(indexed.gallery.items), list(indexed.thumbnails), list(indexed.digests)
    items[index] = replace(
        items[index],
        title=f"{title_of(scene)}, edited",
        captions=tuple(caption.text for caption in captions),
        dense=dense.text if dense is not None and true_of(scene, dense.statements) else None,
        source=picture.copy,
        known=SceneAnnotation(scene, tuple((caption.text, caption.mentions) for caption in captions)),
    )
    thumbnails[index], digests[index] = thumbnail(picture), pixels_digest(picture)
    indices = torch.tensor([index], device=indexed.embeddings.device)
    rows = model.encode_photos([picture]).to(indexed.embeddings)  # (1, N[+1], C)
    return GalleryInMemory(
        gallery=replace(indexed.gallery, items=tuple(items)),
        images=with_rows(indexed.images, indices, ScoringEngine(model.cross_net).encode_images(rows)),
        thumbnails=tuple(thumbnails),
        digests=tuple(digests),
        embeddings=indexed.embeddings.index_copy(0, indices, rows),
    )


def with_rows(images: ImageIndex, indices: Tensor, rows: ImageIndex) -> ImageIndex:
    """Return the index with some images replaced."""

    def put(values: Any, new: Any) -> Any:
        return None if values is None else values.index_copy(0, indices, new.to(values))

    changed = {name: put(getattr(images, name), getattr(rows, name)) for name in ("cls", "patches", "norms", "s_im")}
    sparse = put(images.logits[0], rows.logits[0])
    dense = sparse if images.logits[1] is images.logits[0] else put(images.logits[1], rows.logits[1])
    s_p = put(images.s_p[0], rows.s_p[0]), put(images.s_p[1], rows.s_p[1])
    return replace(images, **changed, s_p=s_p, logits=(sparse, dense))
