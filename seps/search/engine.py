"""Scoring engine: encode each image and each caption once, then score and rank exactly."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor

from seps.common.checks import (
    Lengths,
    Mask,
    check_captions,
    check_embeddings,
    check_patch_count,
    check_positive,
    check_whole,
)
from seps.common.precision import exact_precision
from seps.common.progress import Progress, with_progress
from seps.method.network import CrossSparseAggrNet
from seps.notebook import drawn_as
from seps.search.blocks import EXACT_SHARE, MANY_CAPTIONS, BlockScorer
from seps.search.index import CaptionIndex, ImageIndex, index_captions, index_images, model_key
from seps.search.parallel import Workspace, divide, parallel_for, split

LOG = logging.getLogger(__name__)
ENCODED_IMAGES, BATCHED_IMAGES = 8, 256  # images encoded at a time: in a CPU's cache, on an accelerator
MEGABYTES, MAX_MEGABYTES = 512, 10**9
CPU_CAPTIONS, CPU_PAIRS = 100, 1024  # captions and pairs a block on a CPU, which stay in its cache
CPU_ALIGNED = 128  # likewise where all images of a block are aligned at once
BATCHED_CAPTIONS, BATCHED_PAIRS = 512, 2**15  # captions and pairs a block on an accelerator: more are no faster
MAX_ELEMENTS = 2**31 - 1  # of a tensor that a GPU indexes with 32 bits
THREAD_BYTES = 128 * 2**20  # the least that a thread has where several score at once
MIN_BYTES = 2**24  # where a GPU lacks this much, less does not help
Result = TypeVar("Result")


@dataclass(frozen=True)
class Ranking:
    """Positions in the ranked index (K,) int64 and scores S(I, T) (K,), the best first; equal ones in order."""

    indices: Tensor
    scores: Tensor

    def __len__(self) -> int:
        return len(self.indices)

    def _repr_html_(self) -> str | None:
        return drawn_as("html", self)


class ScoringEngine:
    """Scores and ranks with a model as its forward pass in evaluation mode does, within 1e-5 in float32.

    Models and embeddings of other precisions are scored in float32. Two equal images or captions may differ in the
    seventh digit, as they may in the forward pass: blocks round differently.

    Args:
        model: either variant; its device is where scoring runs. TF32 is switched off meanwhile: it is not exact.
        memory_mb: memory limit, in megabytes up to 1,000,000,000, of scoring on top of the indices and the result; None
            is half of the free memory on CUDA, and 512 elsewhere. Where CUDA runs out of memory, half of it is tried,
            and logged. On a CPU parts of the images are scored at once, on as many threads as torch has, each with 128
            of these megabytes or more.
        progress: True shows a bar in the terminal; a callable like `tqdm` is called with an iterable and `desc`.
        batched: score whole blocks in a few operations, during which the host waits for no value; None does so on
            everything but a CPU.
    """

    def __init__(
        self,
        model: CrossSparseAggrNet,
        memory_mb: float | None = None,
        progress: Progress = False,
        batched: bool | None = None,
    ) -> None:
        if memory_mb is not None:
            check_positive("memory_mb", memory_mb, MAX_MEGABYTES)
        self.model = model
        self.limit = None if memory_mb is None else int(memory_mb * 2**20)
        self.progress = progress
        self.batched = self.device.type != "cpu" if batched is None else batched

    @property
    def device(self) -> torch.device:
        """Where the model's parameters are."""
        return next(self.model.parameters()).device

    @property
    def memory(self) -> int:
        """Bytes that scoring may allocate now."""
        if self.limit is not None or self.device.type != "cuda":
            return self.limit or MEGABYTES * 2**20
        unused = torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
        return (torch.cuda.mem_get_info(self.device)[0] + unused) // 2

    def encode_images(self, img_embs: Tensor) -> ImageIndex:
        """Index embeddings (V, N[+1], C); on the model's device not copied: leave them unchanged while it is in use."""
        check_embeddings("img_embs", img_embs, self.model.embed_size, self.model.dtype)
        check_patch_count("img_embs", img_embs.shape[1], self.model.num_patches)
        per_image = 64 * math.prod(img_embs.shape[1:])  # bytes while encoding
        most = BATCHED_IMAGES if self.batched else ENCODED_IMAGES
        placed = img_embs.to(self.device)

        def encode(memory: int) -> ImageIndex:
            batches = list(split(len(img_embs), max(1, min(most, memory // per_image))))
            with torch.inference_mode(), exact_precision(self.device):
                return index_images(self.model, placed, with_progress(batches, "Encoding images", self.progress))

        return with_less_memory(encode, self.memory)

    def encode_captions(
        self,
        cap_embs: Tensor,
        cap_lens: Lengths,
        dense_cap_embs: Tensor | None = None,
        dense_cap_lens: Lengths | None = None,
    ) -> CaptionIndex:
        """Index captions (T, L_s, C) and, if any, their dense captions (T, L_d, C)."""
        lengths, dense_lengths = check_captions(
            self.model.embed_size, cap_embs, cap_lens, dense_cap_embs, dense_cap_lens, self.model.dtype
        )
        dense = None if dense_cap_embs is None else dense_cap_embs.to(self.device)
        with torch.inference_mode(), exact_precision(self.device):
            return index_captions(cap_embs.to(self.device), lengths, dense, dense_lengths)

    def score(
        self, images: ImageIndex, captions: CaptionIndex, mask: Mask | None = None, dense_mask: Mask | None = None
    ) -> Tensor:
        """Compute the full matrix S(I, T): (V, T) float32 on the CPU.

        `mask` and `dense_mask` force the decision of the sparse and of the dense branch, the same for all captions:
        bool, (N,) for all images or (V, N), True on the patches that are kept; see `CrossSparseAggrNet.match`.
        """
        check_indices(images, captions)
        self.check_origin(images, captions)
        given = self.model.forced_masks(mask, dense_mask, len(images), captions.dense is not None)
        masks = [None if m is None else m.expand(len(images), -1)[:, None] for m in given]  # (V, 1, N)
        return with_less_memory(lambda memory: self.score_blocks(images, captions, masks, memory), self.memory)

    def score_blocks(
        self, images: ImageIndex, captions: CaptionIndex, masks: list[Tensor | None], memory: int
    ) -> Tensor:
        """Compute `score` block by block, within so many bytes; masks (V, 1, N)."""
        only_sparse = captions.dense is None or self.model.use_paper_version
        longest = captions.sparse if only_sparse else captions.dense
        assert longest is not None
        order = longest.lengths.argsort(stable=True)  # captions of like length share a block
        words = [[] if text is None else text.lengths[order].tolist() for text in (captions.sparse, captions.dense)]
        scores = torch.empty(len(images), len(captions), device=self.device)  # captions in that order
        workspace = Workspace(self.device)
        block, parts, threads = self.plan(images, captions, memory)
        missed: list[tuple[slice, slice, Tensor]] = []

        def columns_of(columns: slice) -> CaptionIndex:
            rows = order[columns]
            texts = (captions.sparse, captions.dense)
            sparse, dense = (
                None if text is None or not lengths else text.block(rows, max(lengths[columns]))
                for text, lengths in zip(texts, words, strict=True)
            )
            assert sparse is not None
            return CaptionIndex(sparse, dense)

        def scorer_of(rows: slice) -> BlockScorer:
            sparse, dense = (None if mask is None else mask[rows] for mask in masks)
            return BlockScorer(self.model, images[rows], workspace, (sparse, dense), self.batched)

        def fill(rows: slice) -> None:
            with torch.inference_mode(), exact_precision(self.device):
                scorer = scorer_of(rows)
                for columns in split(len(captions), block):
                    scores[rows, columns], again = scorer.score(columns_of(columns))
                    if self.batched:
                        missed.append((rows, columns, again))
                    elif bool(again):
                        scores[rows, columns], _ = scorer.score(columns_of(columns), exact=True)

        parallel_for(fill, parts, threads, "Scoring", self.progress)
        with torch.inference_mode(), exact_precision(self.device):
            flags = torch.stack([again for _, _, again in missed]).tolist() if missed else []
            for again, (rows, columns, _) in zip(flags, missed, strict=True):
                for part in split(rows.stop - rows.start, -(-(rows.stop - rows.start) // 4)) if again else ():
                    few = slice(rows.start + part.start, rows.start + part.stop)  # it takes more memory a pair
                    scores[few, columns], _ = scorer_of(few).score(columns_of(columns), exact=True)
        result = torch.empty(len(images), len(captions))
        result[:, order.cpu()] = scores.cpu()
        return result

    def check_origin(self, images: ImageIndex, captions: CaptionIndex) -> None:
        """Raise ValueError where images or captions were not encoded with this model's current weights."""
        key, width = model_key(self.model), captions.sparse.words.shape[-1]
        if images.model_key != key:
            raise ValueError(f"the images were encoded by ({images.model_key}), but this is ({key}): encode again.")
        if width != self.model.embed_size:
            raise ValueError(f"the captions have {width} channels, but the model has {self.model.embed_size}.")

    def rank_images(self, caption: CaptionIndex, images: ImageIndex, top: int | None = None) -> Ranking:
        """Rank images for one caption; top: how many to return, None for all."""
        check_indices(images, caption)
        check_single("caption", len(caption))
        top = None if top is None else check_whole("top", top)
        return rank(self.score(images, caption)[:, 0], top)

    def rank_captions(self, image: ImageIndex, captions: CaptionIndex, top: int | None = None) -> Ranking:
        """Rank captions for one image; arguments and errors as `rank_images`, the other way round."""
        check_indices(image, captions)
        check_single("image", len(image))
        top = None if top is None else check_whole("top", top)
        return rank(self.score(image, captions)[0], top)

    def plan(
        self, images: ImageIndex, captions: CaptionIndex, memory: int | None = None
    ) -> tuple[int, list[slice], int]:
        """Choose how many captions make a block, the blocks of images, and on how many threads these are scored."""
        memory, threads = memory or self.memory, 1
        if not self.batched:
            threads = max(1, min(torch.get_num_threads(), memory // THREAD_BYTES))
        block, image_block = self.block_sizes(images, captions, memory // threads)
        count = -(-len(images) // image_block)
        threads = min(threads, count)
        parts = min(len(images), -(-count // threads) * threads)  # as many for each thread
        return block, list(divide(len(images), parts)), threads

    def block_sizes(self, images: ImageIndex, captions: CaptionIndex, memory: int) -> tuple[int, int]:
        """Choose how many captions and images make a block, such that the block's tensors fit `memory` bytes."""
        n, channels = images.patches.shape[1:]
        tokens = self.model.num_tokens + 1
        words = held = captions.sparse.words.shape[1]  # that meet tokens at once, and those that a caption brings
        if captions.dense is not None:
            held += captions.dense.words.shape[1]
            words = words if self.model.use_paper_version else max(words, captions.dense.words.shape[1])
        # Bytes a pair: decisions (float64), words by tokens; and of one image's pairs: weights, tokens, patches, words,
        # which are held twice while one block of captions follows another.
        pair = 4 * (40 * n + 6 * tokens * words)
        of_image = 4 * (3 * tokens * n + tokens * channels + n * channels + 2 * held * channels + words * n)
        image = 4 * (4 * n * channels + n * n + 3 * tokens * n)
        memory = int(0.7 * memory)  # the rest for what small steps take and give back
        if self.batched:
            # All pairs at once; and, in float64, the patches of those that are decided again, twice.
            pair += of_image - 4 * n * channels + int(EXACT_SHARE * 20 * n * channels)
            most = min(BATCHED_PAIRS, MAX_ELEMENTS // (tokens * max(n, channels)))
            block = max(1, min(len(captions), BATCHED_CAPTIONS, most, (memory - image) // pair))
            return block, max(1, min(len(images), most // block, memory // (image + block * pair)))
        budget = max(0, memory - image)
        block = max(1, min(len(captions), CPU_CAPTIONS, budget // (pair + of_image)))
        max_pairs = CPU_PAIRS if block >= MANY_CAPTIONS else CPU_ALIGNED
        each = image + block * (pair if block >= MANY_CAPTIONS else pair + of_image)
        return block, max(1, min(len(images), max_pairs // block, (memory - block * of_image) // each))


def with_less_memory(compute: Callable[[int], Result], memory: int) -> Result:
    """Compute within so many bytes; where a GPU has not as many, log that and try half of them."""
    while True:
        try:
            return compute(memory)
        except torch.OutOfMemoryError:
            if memory < MIN_BYTES:
                raise
        # After the except clause, which would keep the tensors of the failed attempt.
        memory //= 2
        LOG.warning("The GPU ran out of memory: trying again within %d MB.", memory // 2**20)
        torch.cuda.empty_cache()


def check_indices(images: ImageIndex, captions: CaptionIndex) -> None:
    """Raise ValueError unless the two are indices of at least one image and one caption, and not swapped."""
    for name, index, kind in (("images", images, ImageIndex), ("captions", captions, CaptionIndex)):
        if not isinstance(index, kind):
            raise ValueError(
                f"{name} is a {type(index).__name__}, but the {kind.__name__} that encode_{name} returns is needed: "
                "are images and captions swapped?"
            )
        if len(index) == 0:
            raise ValueError(f"{name} is an index of 0 {name}, but at least 1 is needed.")


def check_single(name: str, count: int) -> None:
    """Raise ValueError unless there is exactly one."""
    if count != 1:
        raise ValueError(f"{name} holds {count} entries, but 1 is needed to rank for; score() takes many.")


def rank(scores: Tensor, top: int | None) -> Ranking:
    """Rank (K,) scores and return the `top` highest, best first, ties in original order."""
    order = scores.argsort(descending=True, stable=True)[:top]
    return Ranking(order, scores[order])
