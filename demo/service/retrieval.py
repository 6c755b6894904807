"""Service of one model and its galleries: rankings and explanations, with caches."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from demo.galleries.indexes.index import GalleryInMemory, IndexedGallery, require_in_memory
from demo.galleries.indexes.stored import StoredGallery
from demo.service import explaining
from demo.service.captions import read_caption, read_pair, read_typed
from demo.service.explaining import EncodedCaption, encode_texts, index_captions
from demo.service.masks import Mask, mask_text
from demo.service.measuring.effects import Pair, measure
from demo.service.measuring.measured import MeasuredExplanation, measures_of, with_measures
from demo.service.measuring.measures import find_measure
from demo.service.ranking import ANY_PHOTO, Candidates, CaptionRanking, ImageRanking
from demo.service.recent import Recent
from demo.service.threads import Encode, Gathering, computing
from seps import Attribution, CaptionIndex, Explanation, ImageIndex, Ranking, ScoringEngine, SEPSModel, split_similarity
from seps.common.progress import Progress
from seps.common.text import nfc
from seps.encoders.classes import PatchClasses
from seps.search.blocks import Decisions
from seps.search.engine import rank

Opener = Callable[[Progress], IndexedGallery]
Pool = tuple[list[str], list[int], CaptionIndex]  # captions, the position of each one's photograph, the engine's index

PairKey = tuple[str, str, str, str]

REMEMBERED = 64  # explanations, about 0.2 MB each
RANKINGS = 32
TEXTS = 64  # encoded captions, 0.3 MB each at most
DECIDED = 1024  # number of cached masks for other captions, about 1 kB each
TOGETHER = 16  # captions of several callers that are ranked together


def pair_key(indexed: IndexedGallery, index: int, caption: str, dense: str | None, mask: Mask | None = None) -> PairKey:
    """Return the cache key of a photograph, captions as read and a decision; equal for the same picture in any
    gallery."""
    return indexed.digest(index), caption, dense or "", "" if mask is None else mask_text(mask)


class RetrievalService:
    """Thread-safe owner of one model in evaluation mode, its name for users, and its galleries, the first of which the
    page starts with. Those in `later` are fetched and indexed on first use. `encode_uploads`: see
    `demo.service.threads`."""

    def __init__(
        self,
        model: SEPSModel,
        name: str,
        galleries: Sequence[IndexedGallery] = (),
        later: Mapping[str, Opener] | None = None,
        encode_uploads: Encode | None = None,
    ) -> None:
        self.model, self.name, self.encode_uploads = model, name, encode_uploads
        self.engine = ScoringEngine(model.cross_net)
        self._encode_text = Gathering(partial(encode_texts, model), TOGETHER)
        self._encode_dense = Gathering(partial(encode_texts, model, dense=True), TOGETHER)
        self.galleries = {indexed.gallery.name: indexed for indexed in galleries}
        self._pools: dict[str, Pool] = {}
        self._later = dict(later or {})
        self._encoded: Recent[tuple[str, bool], Tensor] = Recent(TEXTS)
        self._explained: Recent[PairKey, Explanation] = Recent(REMEMBERED)
        self._seen: Recent[str, PatchClasses | None] = Recent(REMEMBERED)
        self._decided: Recent[tuple[str, ...], Mask] = Recent(DECIDED)
        self._measured: Recent[PairKey, MeasuredExplanation] = Recent(REMEMBERED)
        self._ranked: Recent[Hashable, ImageRanking] = Recent(RANKINGS)
        # a gallery for captions without dense ones, those of several callers together
        self._rank_alone = Gathering(self._rank_together, TOGETHER)
        self._opening, self._pooling = Lock(), Lock()
        self.names = (*self.galleries, *self._later)
        self.why_closed: dict[str, Callable[[], str]] = {}  # by gallery: why it cannot be opened now, "" where it can

    @property
    def first(self) -> str:
        """The gallery the page starts with."""
        return self.names[0]

    def open(self, gallery: str, progress: Progress = False) -> IndexedGallery:
        """Return a gallery, fetching and indexing it if needed; ValueError as `find`, or without photographs."""
        if gallery in self._later:
            with self._opening:
                if gallery not in self.galleries:
                    self.galleries[gallery] = self._later[gallery](progress)
        return self.find(gallery)

    def find(self, gallery: str, uploaded: IndexedGallery | None = None) -> IndexedGallery:
        """Return an open gallery by name, including a session's `uploaded`; ValueError for an unknown name."""
        if uploaded is not None and uploaded.gallery.name == gallery:
            return uploaded
        if gallery in self.galleries:
            return self.galleries[gallery]
        if gallery in self._later:
            raise ValueError(f"The gallery {gallery} is still being opened: wait a moment.")
        raise ValueError(f"There is no gallery {gallery!r}; there are: {', '.join(self.names)}.")

    def encode(self, captions: Sequence[str], dense: Sequence[str] | None = None) -> CaptionIndex:
        """Encode captions and optional dense captions for the engine."""
        rest = () if dense is None else self.model.encode_captions(dense, dense=True)
        return self.engine.encode_captions(*self.model.encode_captions(captions), *rest)

    def encode_caption(self, text: str, dense: str | None = None) -> EncodedCaption:
        """Encode validated captions; while all cores are busy, those of several callers in one batch, which agrees to
        1e-6."""
        return self._with_dense(EncodedCaption(text, None, self._encode_once(text), None), dense)

    def _encode_once(self, text: str, dense: bool = False) -> Tensor:
        """Encode a text, (L, C), unless it was encoded lately: what is ranked is then explained."""
        encode = self._encode_dense if dense else self._encode_text
        return self._encoded.get_or_add((text, dense), lambda: encode(text))

    def _with_dense(self, encoded: EncodedCaption, dense: str | None) -> EncodedCaption:
        """Add a dense caption, encoding only it; unchanged without one."""
        return replace(encoded, dense=dense, dense_words=self._encode_once(dense, True)) if dense else encoded

    @computing
    def encode_photos(self, photos: Sequence[Image.Image]) -> Tensor:
        """Encode photographs as patch embeddings (B, N[+1], C), on the model's device."""
        return self.model.encode_photos(photos)

    def encode_in_turn(self, photos: Sequence[Image.Image]) -> Tensor:
        """Encode photographs one by one on the computing threads, so that other requests run in between."""
        return torch.cat([self.encode_photos([photo]) for photo in photos])

    def is_measured(
        self, indexed: IndexedGallery, index: int, caption: str, dense: str | None, name: str, mask: Mask | None = None
    ) -> bool:
        """Return whether the result of an unranked `measure` is cached."""
        measured = self._measured.get(pair_key(indexed, index, caption, dense, mask))
        return measured is not None and name in measured.measures

    def rank_images(
        self,
        indexed: IndexedGallery,
        caption: str,
        dense: str | None = None,
        candidates: Candidates = ANY_PHOTO,
        progress: Progress = False,
        alone: ImageRanking | None = None,
    ) -> ImageRanking:
        """Rank a gallery's photographs for a caption and an optional dense one. `progress`: of scoring all of a large
        gallery; `alone`: a ranking for the same caption without a dense one, to reuse its encoding. While all cores are
        busy, captions of several callers are scored in one batch, which agrees to 1e-6. ValueError for an invalid
        caption, or a name that no photograph has."""
        started = time.perf_counter()
        reading = read_caption(self.model, caption) if alone is None else alone.reading
        encoded = self.encode_caption(reading.text) if alone is None else alone.encoded
        dense_reading = read_caption(self.model, dense, dense=True) if (dense or "").strip() else None
        encoded = self._with_dense(encoded, None if dense_reading is None else dense_reading.text)
        if isinstance(indexed, StoredGallery):
            captions = computing(index_captions)(self.engine, [encoded])
            order, scores, total = indexed.rank(
                captions, candidates.exhaustive, candidates.name, candidates.also, progress
            )
        else:
            found = self._rank_alone((require_in_memory(indexed).images, encoded))
            pairs = list(zip(found.indices.tolist(), found.scores.tolist(), strict=True))
            titles, part = [item.title for item in indexed.gallery.items], nfc(candidates.name).lower()
            pairs = [pair for pair in pairs if not part or part in nfc(titles[pair[0]]).lower()]
            order, scores = [index for index, _ in pairs], [score for _, score in pairs]
            total = len(order)
        if not order and candidates.name:
            raise ValueError(f'No photograph\'s name holds "{candidates.name}": write another part of a name, or none.')
        if not order:
            raise ValueError(f'The photos of "{indexed.gallery.title}" are no longer there: choose another gallery.')
        return ImageRanking(order, scores, reading, dense_reading, time.perf_counter() - started, total, encoded)

    def get_cached_ranking(
        self,
        indexed: IndexedGallery,
        caption: str,
        dense: str | None = None,
        candidates: Candidates = ANY_PHOTO,
        progress: Progress = False,
        alone: ImageRanking | None = None,
    ) -> ImageRanking:
        """Return the cached ranking of a gallery for validated captions, or `rank_images`."""
        key = (indexed.state, caption, dense or "", candidates)
        return self._ranked.get_or_add(
            key, lambda: self.rank_images(indexed, caption, dense, candidates, progress, alone)
        )

    def _rank_together(self, asked: list[tuple[ImageIndex, EncodedCaption]]) -> list[Ranking]:
        """Rank images for each caption; captions of the same gallery are scored together, separately with and
        without dense captions."""
        groups: dict[tuple[int, bool], list[int]] = {}
        for number, (images, encoded) in enumerate(asked):
            groups.setdefault((id(images), encoded.dense is None), []).append(number)
        rankings: dict[int, Ranking] = {}
        for numbers in groups.values():
            captions = index_captions(self.engine, [asked[number][1] for number in numbers])
            scores = self.engine.score(asked[numbers[0]][0], captions)  # (V, T)
            rankings |= {number: rank(scores[:, column], None) for column, number in enumerate(numbers)}
        return [rankings[number] for number in range(len(asked))]

    @computing
    def rank_captions(
        self, indexed: IndexedGallery, index: int, pool: str | None = None, typed: str | None = None
    ) -> CaptionRanking:
        """Rank the captions of the gallery `pool` (None for none) and typed ones, one per line, for a photograph;
        ValueError for an invalid caption, an unknown pool, or nothing to rank."""
        started = time.perf_counter()
        image = indexed.image(index)
        captions: list[str] = []
        correct: list[bool | None] = []
        scores: list[Tensor] = []
        if pool is not None:
            self.find(pool)
            texts, owners, caption_index = self.caption_pool(pool)
            captions += texts
            captions_here = indexed.gallery.items[index].captions if pool == indexed.gallery.name else ()
            correct += [owner == index and text in captions_here for text, owner in zip(texts, owners, strict=True)]
            scores.append(self.engine.score(image, caption_index)[0])
        written = read_typed(self.model, typed)
        if written:
            captions += written
            correct += [None] * len(written)
            scores.append(self.engine.score(image, self.encode(written))[0])
        if not captions:
            raise ValueError("There is no caption to rank: type one, or choose a pool of captions.")
        values = torch.cat(scores)
        order = values.argsort(descending=True, stable=True).tolist()
        seconds = time.perf_counter() - started
        return CaptionRanking(
            [captions[i] for i in order], values[order].tolist(), [correct[i] for i in order], seconds
        )

    def explain(
        self, indexed: IndexedGallery, index: int, caption: str, dense: str | None = None, mask: Mask | None = None
    ) -> Explanation:
        """Explain one photograph of a gallery and one validated caption, under a forced decision (N,) if any."""
        return self.explain_encoded(indexed, index, self.encode_caption(caption, dense), mask)

    def explain_encoded(
        self, indexed: IndexedGallery, index: int, encoded: EncodedCaption, mask: Mask | None = None
    ) -> Explanation:
        """Explain as `explain`, with encoded captions, for example of a ranking."""
        key = pair_key(indexed, index, encoded.text, encoded.dense, mask)
        return self._explained.get_or_add(key, lambda: self._explain_indexed(indexed, index, encoded, mask))

    @computing
    def _explain_indexed(
        self, indexed: IndexedGallery, index: int, encoded: EncodedCaption, mask: Mask | None
    ) -> Explanation:
        seen = self.patch_classes(indexed, index)
        return explaining.explain_pair(self.model, indexed.image(index), encoded, mask=mask, seen=seen)

    def patch_classes(self, indexed: IndexedGallery, index: int) -> PatchClasses | None:
        """Return the image backbone's classes for a photograph of a gallery, in the calling thread; None of
        a model without classes."""
        if not self.model.class_names:
            return None
        photo = indexed.gallery.items[index].photo
        return self._seen.get_or_add(indexed.digest(index), lambda: self.model.patch_classes(photo()))

    def measure(
        self,
        indexed: IndexedGallery,
        index: int,
        caption: str,
        dense: str | None,
        name: str,
        mask: Mask | None = None,
        progress: Progress = False,
    ) -> MeasuredExplanation:
        """Explain as `explain`, with one of `MEASURES` and all cached ones."""
        key = pair_key(indexed, index, caption, dense, mask)
        record: Explanation = self.explain(indexed, index, caption, dense, mask)
        item, encode = indexed.gallery.items[index], self.encode_uploads or self.encode_in_turn
        row, others = find_measure(name), None
        is_ranked = row is not None and row.ranked  # which belongs to the other photographs as well
        if is_ranked:
            others = self.get_cached_ranking(indexed, caption, dense).others(index)
        else:
            record = self._measured.get(key) or record
        given = (indexed.patches(index), item.photo, caption, dense, mask, others, item.known, encode, progress)
        measured = measure(name, Pair(self.model, record, *given))
        if is_ranked:
            return measured
        return self._measured.update(key, lambda before: with_measures(measured, measures_of(before or measured)))

    def decide(self, indexed: IndexedGallery, index: int, captions: Sequence[str]) -> Mask:
        """Return the patches of a photograph that the model keeps for each validated caption: (T, N)."""
        key = (indexed.digest(index), *captions)
        return self._decided.get_or_add(key, lambda: self._decide(indexed.image(index), captions)[0])

    def decide_all(self, indexed: GalleryInMemory, caption: str, dense: str | None = None) -> Mask:
        """Return the patches that the model keeps of each photograph for validated captions: (V, N)."""
        return self._decide(indexed.images, [caption], [dense] if dense else None)[:, 0]

    @computing
    @torch.no_grad()
    def _decide(self, images: ImageIndex, captions: Sequence[str], dense: Sequence[str] | None = None) -> Mask:
        """Return the kept patches (V, T, N)."""
        selection, _ = Decisions(self.model.cross_net, images).select(self.encode(captions, dense))
        return np.asarray(selection.mask.cpu() > 0.5)

    def explain_photo(self, photo: Image.Image, caption: str, dense: str | None = None) -> Explanation:
        """Explain a photograph outside the galleries."""
        text, dense_text = read_pair(self.model, caption, dense)
        return self.explain_embeddings(self.model.encode_photos([photo])[0], photo, text, dense_text)

    @computing
    def explain_embeddings(
        self, patches: Tensor, photo: Image.Image, caption: str, dense: str | None, mask: Mask | None = None
    ) -> Explanation:
        """Explain a photograph by its patch embeddings (N[+1], C) and validated captions, optionally under a forced
        decision (N,)."""
        encoded = explaining.encode_caption(self.model, caption, dense)
        return explaining.explain_pair(self.model, patches, encoded, mask=mask, seen=self.model.patch_classes(photo))

    @computing
    def split_all(self, record: Explanation) -> tuple[Attribution, ...]:
        """Split S(I, T) of a record among words and tokens, see `split_similarity`."""
        return split_similarity(self.model.cross_net, record)

    def caption_pool(self, name: str) -> Pool:
        """Return the captions of an open gallery, encoded on first use; ValueError if it has none."""
        with self._pooling:
            if name not in self._pools:
                items = self.galleries[name].gallery.items
                captions = [caption for item in items for caption in item.captions]
                owners = [index for index, item in enumerate(items) for _ in item.captions]
                if not captions:
                    raise ValueError(f"The gallery {name} has no captions: choose another pool, or type some.")
                self._pools[name] = captions, owners, self.encode(captions)
            return self._pools[name]
