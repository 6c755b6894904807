"""Measure how often marked words are missing in the image that matches a caption best.

A word is marked if its best cosine is below a threshold. Captions rank images, and the content words of the best
image's caption are evaluated: in a split, in which a word counts as shown if any of the image's own captions has it,
and in cases checked by hand. The threshold is the largest with the required precision in both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.checks import read_json_file
from seps.explanation.caption_words import caption_words
from seps.models.model import SEPSModel
from seps.progress import Progress, batches
from seps.search.engine import ScoringEngine

PRECISION = 0.95
MIN_RECALL = 0.05  # of the missing words, what must be below for a threshold to be of use
CAPTION_BATCH_SIZE = 100  # captions that are scored together
PACKAGE = "package:"
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Holds = Callable[[str], bool]  # whether a word can be said to be missing


@dataclass(frozen=True)
class Cases:
    """Words of captions with their best image.

    Attributes:
        cosines: (K,), each word's best cosine; missing: (K,), whether the image does not show it.
    """

    cosines: Floats
    missing: Booleans


@dataclass(frozen=True)
class BestWords:
    """Precision and recall of marking words as missing.

    Attributes:
        words: number of words; missing: number of those not shown by the image.
        below: number of marked words; right: their share that is missing, None without any.
        recall: share of the missing words that are marked.
    """

    words: int
    missing: int
    below: int
    right: float | None
    recall: float


@dataclass(frozen=True)
class CheckedWords:
    """Facts checked by hand.

    Attributes:
        images: files by name; captions: typed captions, which rank the images.
        shows: for each content word of the captions, the names of the images that show it.
    """

    images: dict[str, Path]
    captions: tuple[str, ...]
    shows: dict[str, frozenset[str]]


def read_checked(file: Path) -> CheckedWords:
    """Read facts from a JSON file: {"images": {name: path}, "captions": [...], "shows": {word: [names]}}.

    A path is relative to the file, or "package:MODULE/PATH" for one in an installed package.

    Raises:
        ValueError: another content, or a missing image.
    """
    values = read_json_file(file)
    parts: list[Any] = (
        [values.get(name) for name in ("images", "captions", "shows")] if isinstance(values, dict) else []
    )
    if [type(part) for part in parts] != [dict, list, dict]:
        raise ValueError(f'{file} needs "images", "captions" and "shows": see seps.evaluation.best_words.')
    images, captions, shows = parts
    unknown = {name for names in shows.values() for name in names} - images.keys()
    if unknown:
        raise ValueError(f'{file} has no image {sorted(unknown)[0]!r} under "images", but "shows" names it.')
    files = {name: image_path(file.parent, str(path)) for name, path in images.items()}
    return CheckedWords(files, tuple(map(str, captions)), {word: frozenset(names) for word, names in shows.items()})


def image_path(folder: Path, path: str) -> Path:
    """Return where an image lies, in a folder or in an installed package; ValueError where it does not."""
    file = folder / path
    if path.startswith(PACKAGE):
        module, _, rest = path.removeprefix(PACKAGE).partition("/")
        package = find_spec(module)  # imports nothing
        places = None if package is None else package.submodule_search_locations
        if not places:
            raise ValueError(f"{path} needs the package that is imported as {module}: install it.")
        file = Path(places[0]) / rest
    if not file.is_file():
        raise ValueError(f"{file} does not exist: mend its path in the file of checked words.")
    return file


def split_cases(
    model: SEPSModel,
    embeddings: Tensor,
    captions: Sequence[str],
    is_shown: Callable[[str, int], bool],
    holds: Holds,
    progress: Progress = False,
) -> Cases:
    """Return the words of each caption with its best image, and with the best image other than its own.

    The second case represents typed captions that describe no particular image.

    Args:
        embeddings: (V, N[+1], C), of images with equally many captions; `captions` in their order.
        is_shown: whether image i shows a word; holds: which words count.
    """
    scores = compute_scores(model, embeddings, captions, progress)  # (V, T)
    each = len(captions) // len(embeddings)
    pairs = []
    for number, caption in enumerate(captions):
        column = scores[:, number].clone()
        best = int(column.argmax())
        column[number // each] = -torch.inf
        pairs.append((caption, (best, int(column.argmax()))))
    return collect(model, embeddings, pairs, is_shown, holds, progress)


def check_cases(model: SEPSModel, embeddings: Tensor, checked: CheckedWords, holds: Holds) -> Cases:
    """Return the words of each checked caption with its best image; ValueError for a word that was not checked."""
    names = list(checked.images)

    def is_shown(word: str, image: int) -> bool:
        if word not in checked.shows:
            raise ValueError(f'Nothing was checked of the word {word!r}: list the images that show it under "shows".')
        return names[image] in checked.shows[word]

    order = compute_scores(model, embeddings, checked.captions).argmax(dim=0).tolist()
    pairs = [(caption, (best,)) for caption, best in zip(checked.captions, order, strict=True)]
    return collect(model, embeddings, pairs, is_shown, holds)


def collect(
    model: SEPSModel,
    embeddings: Tensor,
    pairs: Sequence[tuple[str, tuple[int, ...]]],
    is_shown: Callable[[str, int], bool],
    holds: Holds,
    progress: Progress = False,
) -> Cases:
    """Return the words of captions that count, each with its caption's images."""
    cosines, missing = [], []
    for part in batches(len(pairs), 1, progress, "Looking at the best images"):
        caption, images = pairs[part.start]
        (best,) = best_cosines(model, embeddings[list(images)], [caption])
        for word in caption_words(model.words(caption)):
            for row, image in enumerate(images):
                if holds(word.text):
                    cosines.append(float(best[row, list(word.pieces)].max()))
                    missing.append(not is_shown(word.text, image))
    return Cases(np.array(cosines, dtype=np.float64), np.array(missing, dtype=bool))


def compute_scores(model: SEPSModel, embeddings: Tensor, captions: Sequence[str], progress: Progress = False) -> Tensor:
    """S(I, T) of all images and captions, (V, T), on the CPU."""
    engine = ScoringEngine(model.cross_net)
    images = engine.encode_images(embeddings)
    scores = []
    for part in batches(len(captions), CAPTION_BATCH_SIZE, progress, "Ranking images"):
        index = engine.encode_captions(*model.encode_captions(captions[part]))
        scores.append(engine.score(images, index).cpu())
    return torch.cat(scores, dim=1)


def best_cosines(model: SEPSModel, images: Tensor, captions: Sequence[str]) -> list[Floats]:
    """Return for each caption the best cosine of each token with any token of each image (B, N[+1], C): (B, L)."""
    network = model.cross_net
    training = network.training
    network.eval()
    try:
        with torch.no_grad():
            image = network.encode_images(images)
            words, lengths = model.encode_captions(captions)  # (T, L, C)
            return [
                network.match(image, caption[:length]).alignments[0].cosines.amax(dim=1).double().cpu().numpy()
                for caption, length in zip(words, lengths.tolist(), strict=True)
            ]
    finally:
        network.train(training)


def precise_threshold(sets: Sequence[Cases], most: float, precision: float = PRECISION) -> float | None:
    """Return the largest threshold with the required precision in every set, at most `most`; None without any.

    It must find at least `MIN_RECALL` of the missing words in every set.
    """
    candidates = {float(cosine) for cases in sets for cosine in cases.cosines if cosine < most} | {most}
    for threshold in sorted(candidates, reverse=True):
        figures = [best_words(cases, threshold) for cases in sets]
        if all((row.right or 0.0) >= precision and row.recall >= MIN_RECALL for row in figures):
            return threshold
    return None


def best_words(cases: Cases, threshold: float | None) -> BestWords:
    """Return how right a threshold is on cases; None says nothing of any word."""
    below = cases.cosines < (-np.inf if threshold is None else threshold)
    missing, right = int(cases.missing.sum()), int((below & cases.missing).sum())
    count = int(below.sum())
    return BestWords(
        words=len(cases.cosines),
        missing=missing,
        below=count,
        right=round(right / count, 4) if count else None,
        recall=round(right / missing, 4) if missing else 0.0,
    )
