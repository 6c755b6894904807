"""Similarity of a caption to the training captions: cluster centres next to the model's weights, and a threshold.

Out-of-distribution detection by nearest neighbours (Sun et al. 2022, arXiv 2204.06507), with centres of the training
captions instead of the captions themselves. `seps.evaluate --measure known_captions` writes both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.checks import is_number, read_json_file
from seps.encoders.low_rank import disable_differences
from seps.encoders.text import TextEncoder
from seps.models.model import CAPTION_BATCH_SIZE, SEPSModel, evaluating
from seps.models.storage import read_tensors
from seps.progress import Progress, batches

JSON_NAME, TENSORS_NAME = "known-captions.json", "known-captions.safetensors"
CENTRES = "centres"
NEAREST = 3  # number of centres that are averaged


@dataclass(frozen=True)
class KnownCaptions:
    """Summary of a model's training captions.

    Attributes:
        centres: (K, D_t) of unit length, float32.
        threshold: in [-1, 1]; a caption with a lower nearness differs from the training captions.
    """

    centres: Tensor
    threshold: float

    def nearness(self, vectors: Tensor) -> Tensor:
        """Compute each caption's mean cosine to its `NEAREST` nearest centres (or all if fewer).

        Args:
            vectors: (T, D_t), from `caption_vectors`.

        Returns:
            (T,) in [-1, 1].

        Raises:
            ValueError: centres of another width.
        """
        if vectors.shape[1] != self.centres.shape[1]:
            raise ValueError(
                f"{TENSORS_NAME} has centres of {self.centres.shape[1]} channels, but the text encoder has "
                f"{vectors.shape[1]}: measure them again with seps.evaluate --measure known_captions."
            )
        cosines = vectors @ self.centres.T  # (T, K)
        return cosines.topk(min(NEAREST, len(self.centres)), dim=1).values.mean(dim=1)


def is_finite(tensor: Tensor) -> bool:
    """Return whether a tensor is floating-point and finite."""
    return tensor.is_floating_point() and bool(torch.isfinite(tensor).all())


def mean_words(encoder: TextEncoder, ids: Tensor, lengths: Tensor) -> Tensor:
    """Compute each caption's mean word in a text encoder, before the projection.

    Low-rank differences are left out, since the pretrained encoder knows more of the language than the trained one.

    Args:
        ids, lengths: (B, L) and (B,), as for the encoder.

    Returns:
        (B, D_t) of unit length, float32.
    """
    with disable_differences():
        return mean_word(encoder.finished(encoder.features(ids, lengths), lengths))


def mean_word(words: Tensor) -> Tensor:
    """Average words (B, L, D_t), zero at the padding, and normalise: (B, D_t), float32."""
    return F.normalize(words.sum(dim=1).float(), dim=1)


@torch.no_grad()
def caption_vectors(model: SEPSModel, captions: Sequence[str], progress: Progress = False) -> Tensor:
    """Compute the mean word of each caption, see `mean_words`.

    Returns:
        (T, D_t) of unit length, float32 on the CPU.
    """
    ids, lengths = model.tokenizer.pad(
        [model.tokenizer.encode(caption, model.config.text.max_words) for caption in captions]
    )
    order = lengths.argsort()
    vectors = torch.zeros(len(captions), model.txt_enc.width)
    with evaluating(model.txt_enc):
        for part in batches(len(captions), CAPTION_BATCH_SIZE, progress, "Encoding captions"):
            rows = order[part]
            longest = int(lengths[rows].max())
            vectors[rows] = mean_words(model.txt_enc, ids[rows, :longest].to(model.device), lengths[rows]).cpu()
    return vectors


@torch.no_grad()
def with_vectors(model: SEPSModel, captions: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Encode captions and compute their mean words in one pass.

    Args:
        captions: T of them, few enough for one batch.

    Returns:
        Embeddings (T, L, C) and lengths (T,) as from `SEPSModel.encode_captions`, and vectors (T, D_t) as from
            `caption_vectors`.
    """
    ids, lengths = model.tokenizer.pad(
        [model.tokenizer.encode(caption, model.config.text.max_words) for caption in captions]
    )
    with evaluating(model.txt_enc):
        embeddings, plain = model.txt_enc.with_plain(ids.to(model.device), lengths)
    return embeddings, lengths, mean_word(plain).cpu()


def read_known_captions(folder: Path | None) -> KnownCaptions | None:
    """Read the summary of a model's training captions; None if there is none for this model.

    Args:
        folder: `SEPSModel.folder`; None for a model that was not loaded.

    Raises:
        ValueError: files that cannot be read or are incomplete.
    """
    file = None if folder is None else folder / JSON_NAME
    if file is None or not file.is_file():
        return None
    values = read_json_file(file)
    threshold = values.get("threshold") if isinstance(values, dict) else None
    if not is_number(threshold) or not -1 <= threshold <= 1:
        raise ValueError(
            f"{file} has no threshold from -1 to 1: measure it with seps.evaluate --measure known_captions."
        )
    tensors = read_tensors(file.with_name(TENSORS_NAME))
    centres = tensors.get(CENTRES)
    if centres is None or centres.ndim != 2 or not centres.numel() or not is_finite(centres):
        raise ValueError(f"{file.with_name(TENSORS_NAME)} has no finite centres, (K, D): it is of another program.")
    return KnownCaptions(F.normalize(centres.float(), dim=1), float(threshold))
