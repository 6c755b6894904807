"""Service of one model and its galleries: rankings and explanations, with caches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from demo.galleries.gallery import caption_pool
from demo.galleries.indexes.index import GalleryInMemory, IndexedGallery, require_in_memory
from demo.galleries.indexes.stored import StoredGallery
from demo.service.captions import Reading, read_caption, read_pair, read_typed
from demo.service.explaining import EncodedCaption, encode_caption, explain_indexed, explain_pair, index_captions
from demo.service.galleries import TOGETHER, GalleryService, PairKey, Pool
from demo.service.masks import mask_text
from demo.service.measuring.effects import Pair, measure
from demo.service.measuring.measured import MeasuredExplanation, measures_of, with_measures
from demo.service.measuring.measures import find_measure
from demo.service.ranking import ANY_PHOTO, Candidates, CaptionRanking, ImageRanking
from demo.service.threads import Gathering, computing
from seps import Attribution, CaptionIndex, Explanation, ImageIndex, Ranking, split_similarity
from seps.common.progress import Progress
from seps.common.text import nfc
from seps.encoders.classes import PatchClasses
from seps.search.blocks import Decisions
from seps.search.engine import rank


def pair_key(
    indexed: IndexedGallery, index: int, caption: str, dense: str | None, mask: NDArray[np.bool_] | None = None
) -> PairKey:
    """Return the cache key of a photograph, captions as read and a decision (N,), None for the model's; equal for
    the same picture in any gallery."""
    return indexed.digest(index), caption, dense or "", "" if mask is None else mask_text(mask)


class RetrievalService(GalleryService):
    """Thread-safe service that computes everything the app shows of one model; arguments as for `GalleryService`."""

    @cached_property
    def _rank_alone(self) -> Gathering[tuple[ImageIndex, EncodedCaption], Ranking]:
        """Rank a gallery for captions without dense ones, those of several callers together."""
        return Gathering(self._rank_together, TOGETHER)

    def is_measured(
        self,
        indexed: IndexedGallery,
        index: int,
        caption: str,
        dense: str | None,
        name: str,
        mask: NDArray[np.bool_] | None = None,
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
        """Rank a gallery's photographs for a caption and an optional dense caption.

        While all cores are busy, captions of several callers are processed in one batch; scores agree to 1e-6.

        Args:
            candidates: the selection; progress: when scoring all of a large gallery, as in `ScoringEngine`.
            alone: a ranking for the same caption without a dense one, to reuse its encoded caption.

        Raises:
            ValueError: an invalid caption, or a name that no photograph has.
        """
        started = time.perf_counter()
        reading, encoded = self._read_and_encode(caption) if alone is None else (alone.reading, alone.encoded)
        dense_reading = read_caption(self.model, dense, dense=True) if (dense or "").strip() else None
        encoded = self._with_dense(encoded, None if dense_reading is None else dense_reading.text)
        if isinstance(indexed, StoredGallery):
            order, scores, total = indexed.rank(
                self._index_caption(encoded), candidates.exhaustive, candidates.name, candidates.also, progress
            )
        else:
            order, scores = self._rank_in_memory(require_in_memory(indexed), encoded, candidates.name)
            total = len(order)
        if not order and candidates.name:
            raise ValueError(f'No photograph\'s name holds "{candidates.name}": write another part of a name, or none.')
        if not order:
            raise ValueError(f'The photos of "{indexed.gallery.title}" are no longer there: choose another gallery.')
        return ImageRanking(order, scores, reading, dense_reading, time.perf_counter() - started, total, encoded)

    @computing
    def _index_caption(self, encoded: EncodedCaption) -> CaptionIndex:
        return index_captions(self.engine, [encoded])

    def _rank_in_memory(
        self, indexed: GalleryInMemory, encoded: EncodedCaption, name: str
    ) -> tuple[list[int], list[float]]:
        ranking = self._rank_alone((indexed.images, encoded))
        pairs = list(zip(ranking.indices.tolist(), ranking.scores.tolist(), strict=True))
        if name:
            items = indexed.gallery.items
            part = nfc(name).lower()
            pairs = [pair for pair in pairs if part in nfc(items[pair[0]].title).lower()]
        return [index for index, _ in pairs], [score for _, score in pairs]

    def read(self, caption: str) -> Reading:
        """Read a caption as `rank_images` does, with all notes; ValueError if it is invalid."""
        return read_caption(self.model, caption)

    def get_cached_ranking(
        self,
        indexed: IndexedGallery,
        caption: str,
        dense: str | None = None,
        candidates: Candidates = ANY_PHOTO,
        progress: Progress = False,
        alone: ImageRanking | None = None,
    ) -> ImageRanking:
        """Return the cached ranking of a gallery for validated captions, computing it if needed; arguments and
        errors as `rank_images`."""
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
        """Rank captions for the photograph at `index` of a gallery.

        Args:
            pool: the gallery of the captions to rank; None for only the typed ones.
            typed: more captions, one per line.

        Raises:
            ValueError: an invalid caption, an unknown pool, or nothing to rank.
        """
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
        self,
        indexed: IndexedGallery,
        index: int,
        caption: str,
        dense: str | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> Explanation:
        """Explain one photograph of a gallery and one validated caption, optionally under a forced decision `mask`
        (N,)."""
        return self._explained.get_or_add(
            pair_key(indexed, index, caption, dense, mask),
            lambda: self._explain_indexed(indexed, index, self.encode_caption(caption, dense), mask),
        )

    def explain_encoded(
        self, indexed: IndexedGallery, index: int, encoded: EncodedCaption, mask: NDArray[np.bool_] | None = None
    ) -> Explanation:
        """Explain as `explain`, with encoded captions, for example of a ranking."""
        key = pair_key(indexed, index, encoded.text, encoded.dense, mask)
        return self._explained.get_or_add(key, lambda: self._explain_indexed(indexed, index, encoded, mask))

    @computing
    def _explain_indexed(
        self, indexed: IndexedGallery, index: int, encoded: EncodedCaption, mask: NDArray[np.bool_] | None
    ) -> Explanation:
        seen = self.patch_classes(indexed, index)
        return explain_indexed(self.model, indexed.image(index), encoded, mask, seen)

    def patch_classes(self, indexed: IndexedGallery, index: int) -> PatchClasses | None:
        """Return the image backbone's classes for a photograph of a gallery, in the calling thread; None of
        a model without classes."""
        if not self.model.class_names:
            return None
        digest = indexed.digest(index)
        seen = self._seen.get(digest)
        if seen is None:
            seen = self.model.patch_classes(indexed.gallery.items[index].photo())
            assert seen is not None  # the model has classes
            self._seen.put(digest, seen)
        return seen

    def measure(
        self,
        indexed: IndexedGallery,
        index: int,
        caption: str,
        dense: str | None,
        name: str,
        mask: NDArray[np.bool_] | None = None,
        progress: Progress = False,
    ) -> MeasuredExplanation:
        """Explain as `explain`, with one of `MEASURES` and all cached ones.

        `progress`, as in `ScoringEngine`, is for slow measurements.
        """
        key = pair_key(indexed, index, caption, dense, mask)
        record: Explanation = self.explain(indexed, index, caption, dense, mask)
        item, encode = indexed.gallery.items[index], self.encode_uploads or self.encode_in_turn
        row, others = find_measure(name), None
        is_ranked = row is not None and row.ranked  # which belongs to the other photographs as well
        if is_ranked:
            others = self.get_cached_ranking(indexed, caption, dense).others(index)
        else:
            record = self._measured.get(key) or record
        pair = Pair(
            self.model,
            record,
            indexed.patches(index),
            item.photo,
            caption,
            dense,
            mask,
            others,
            item.known,
            encode,
            progress,
        )
        measured = measure(name, pair)
        if is_ranked:
            return measured
        return self._measured.update(key, lambda before: with_measures(measured, measures_of(before or measured)))

    def decide(self, indexed: IndexedGallery, index: int, captions: Sequence[str]) -> NDArray[np.bool_]:
        """Return the patches of a photograph that the model keeps for each validated caption: (T, N)."""
        key = (indexed.digest(index), *captions)
        return self._decided.get_or_add(key, lambda: self._decide(indexed.image(index), captions))

    @computing
    @torch.no_grad()
    def decide_all(self, indexed: GalleryInMemory, caption: str, dense: str | None = None) -> NDArray[np.bool_]:
        """Return the patches that the model keeps of each photograph for validated captions: (V, N)."""
        captions = self.encode([caption], [dense] if dense else None)
        selection, _ = Decisions(self.model.cross_net, indexed.images).select(captions)
        return np.asarray(selection.mask[:, 0].cpu() > 0.5)

    @computing
    @torch.no_grad()
    def _decide(self, image: ImageIndex, captions: Sequence[str]) -> NDArray[np.bool_]:
        selection, _ = Decisions(self.model.cross_net, image).select(self.encode(captions))
        return np.asarray(selection.mask[0].cpu() > 0.5)

    def explain_photo(self, photo: Image.Image, caption: str, dense: str | None = None) -> Explanation:
        """Explain a photograph outside the galleries."""
        text, dense_text = read_pair(self.model, caption, dense)
        return self.explain_embeddings(self.model.encode_photos([photo])[0], photo, text, dense_text)

    @computing
    def explain_embeddings(
        self,
        patches: Tensor,
        photo: Image.Image,
        caption: str,
        dense: str | None,
        mask: NDArray[np.bool_] | None = None,
    ) -> Explanation:
        """Explain a photograph by its patch embeddings (N[+1], C) and validated captions, optionally under a forced
        decision (N,)."""
        encoded = encode_caption(self.model, caption, dense)
        return explain_pair(self.model, patches, encoded, mask=mask, seen=self.model.patch_classes(photo))

    @computing
    def split_all(self, record: Explanation) -> tuple[Attribution, ...]:
        """Split S(I, T) of a record among words and tokens, see `split_similarity`."""
        return split_similarity(self.model.cross_net, record)

    def split(self, record: Explanation) -> Attribution:
        """Split the similarity of a record's sparse alignment among words and tokens."""
        return self.split_all(record)[0]

    def caption_pool(self, name: str) -> Pool:
        """Return the captions of an open gallery, encoded on first use; ValueError if it has none."""
        with self._pooling:
            if name not in self._pools:
                captions, owners = caption_pool(self.galleries[name].gallery)
                if not captions:
                    raise ValueError(f"The gallery {name} has no captions: choose another pool, or type some.")
                self._pools[name] = captions, owners, self.encode(captions)
            return self._pools[name]
