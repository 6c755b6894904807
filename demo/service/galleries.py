"""A model with its galleries and caches: galleries are opened and found, captions and photographs encoded."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from demo.galleries.indexes.index import IndexedGallery
from demo.service.captions import Reading, read_caption
from demo.service.explaining import EncodedCaption, encode_texts
from demo.service.measuring.measured import MeasuredExplanation
from demo.service.ranking import ImageRanking
from demo.service.recent import Recent
from demo.service.threads import Encode, Gathering, computing
from seps import CaptionIndex, Explanation, ScoringEngine, SEPSModel
from seps.common.progress import Progress
from seps.encoders.classes import PatchClasses

Opener = Callable[[Progress], IndexedGallery]
Pool = tuple[list[str], list[int], CaptionIndex]  # captions, the position of each one's photograph, the engine's index

PairKey = tuple[str, str, str, str]

REMEMBERED = 64  # explanations, about 0.2 MB each
RANKINGS = 32
TEXTS = 64  # encoded captions, 0.3 MB each at most
DECIDED = 1024  # number of cached masks for other captions, about 1 kB each
TOGETHER = 16  # captions of several callers that are ranked together


class GalleryService:
    """Thread-safe owner of one model and its galleries, which `RetrievalService` ranks and explains.

    Args:
        model: in evaluation mode; name: shown to users.
        galleries: indexed with this model; the page starts with the first.
        encode_uploads: encoder of uploads, by default the model, see `demo.service.threads`.
        later: galleries that are fetched and indexed on first use, by name; each function opens one and takes the
            progress.
    """

    def __init__(
        self,
        model: SEPSModel,
        name: str,
        galleries: Sequence[IndexedGallery] = (),
        later: Mapping[str, Opener] | None = None,
        encode_uploads: Encode | None = None,
    ) -> None:
        self.model = model
        self.name = name
        self.encode_uploads = encode_uploads
        self.engine = ScoringEngine(model.cross_net)
        self._encode_text = Gathering(partial(encode_texts, model), TOGETHER)
        self._encode_dense = Gathering(partial(encode_texts, model, dense=True), TOGETHER)
        self.galleries = {indexed.gallery.name: indexed for indexed in galleries}
        self._pools: dict[str, Pool] = {}
        self._later = dict(later or {})
        self._encoded: Recent[tuple[str, bool], Tensor] = Recent(TEXTS)
        self._explained: Recent[PairKey, Explanation] = Recent(REMEMBERED)
        self._seen: Recent[str, PatchClasses] = Recent(REMEMBERED)
        self._decided: Recent[tuple[str, ...], NDArray[np.bool_]] = Recent(DECIDED)
        self._measured: Recent[PairKey, MeasuredExplanation] = Recent(REMEMBERED)
        self._ranked: Recent[Hashable, ImageRanking] = Recent(RANKINGS)
        self._opening, self._pooling = Lock(), Lock()
        self.names = (*self.galleries, *self._later)
        self.why_closed: dict[str, Callable[[], str]] = {}  # by gallery: why it cannot be opened now, "" where it can

    @property
    def first(self) -> str:
        """The gallery the page starts with."""
        return self.names[0]

    def open(self, gallery: str, progress: Progress = False) -> IndexedGallery:
        """Open a gallery by name, fetching and indexing it if needed; ValueError for an unknown name, or without
        photographs."""
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
        words, lengths = self.model.encode_captions(captions)
        if dense is None:
            return self.engine.encode_captions(words, lengths)
        return self.engine.encode_captions(words, lengths, *self.model.encode_captions(dense, dense=True))

    def encode_caption(self, text: str, dense: str | None = None) -> EncodedCaption:
        """Encode a validated caption and an optional dense caption, for ranking and explanation.

        While all cores are busy, captions of several callers are encoded in one batch; results agree to 1e-6.
        """
        return self._with_dense(EncodedCaption(text, None, self._encode_once(text), None), dense)

    def _encode_once(self, text: str, dense: bool = False) -> Tensor:
        """Encode a text, (L, C), unless it was encoded lately: what is ranked is then explained."""
        encode = self._encode_dense if dense else self._encode_text
        return self._encoded.get_or_add((text, dense), lambda: encode(text))

    def _with_dense(self, encoded: EncodedCaption, dense: str | None) -> EncodedCaption:
        """Add a dense caption, encoding only it; unchanged without one."""
        return replace(encoded, dense=dense, dense_words=self._encode_once(dense, True)) if dense else encoded

    def _read_and_encode(self, caption: str) -> tuple[Reading, EncodedCaption]:
        """Read a caption as `read` does, and encode it in the same pass."""
        reading = read_caption(self.model, caption)
        return reading, self.encode_caption(reading.text)

    @computing
    def encode_photos(self, photos: Sequence[Image.Image]) -> Tensor:
        """Encode photographs as patch embeddings (B, N[+1], C), on the model's device."""
        return self.model.encode_photos(photos)

    def encode_in_turn(self, photos: Sequence[Image.Image]) -> Tensor:
        """Encode photographs one by one on the computing threads, so that other requests run in between."""
        return torch.cat([self.encode_photos([photo]) for photo in photos])
