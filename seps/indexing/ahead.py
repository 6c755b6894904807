"""Encoding in batches ahead of demand, so that decoding, encoding and writing overlap on an accelerator."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import torch
from torch import Tensor

from seps.indexing.files import FolderFile, file_digest
from seps.indexing.sync import Encoded
from seps.media.photos import PhotoError, open_image
from seps.models.model import ACCELERATOR_PHOTOS, SEPSModel

AHEAD = 3  # batches that are decoded, encoded or wait to be written
Result = Tensor | PhotoError | None


def encode_ahead(
    model: SEPSModel, files: Sequence[FolderFile], known: Collection[str] = (), batch: int = ACCELERATOR_PHOTOS
) -> Callable[[FolderFile], Encoded]:
    """Return a function that encodes files; its first call starts threads that encode all files in batches."""
    results = iterate_encoded(model, files, known, batch)

    def encode(file: FolderFile) -> Encoded:
        result = next((result for each, result in results if each == file), None)
        if isinstance(result, PhotoError):
            raise result
        if result is None:
            result = model.encode_photos([open_image(file.file)])[0].cpu()
        return Encoded(result)

    return encode


def iterate_encoded(
    model: SEPSModel, files: Sequence[FolderFile], known: Collection[str], batch: int
) -> Iterator[tuple[FolderFile, Result]]:
    """Yield each file with its embeddings (N[+1], C) on the CPU, its error, or None for known content."""
    waiting: deque[tuple[Sequence[FolderFile], Future[list[Result]]]] = deque()
    decoders, encoder = ThreadPoolExecutor(), ThreadPoolExecutor(1)

    def decode(file: FolderFile) -> Result:
        try:
            if known and file_digest(file.file) in known:
                return None
            return model.preprocess([open_image(file.file)])[0]
        except PhotoError as error:
            return error

    def encode(decoded: list[Future[Result]]) -> list[Result]:
        results = [future.result() for future in decoded]
        pixels = [each for each in results if isinstance(each, Tensor)]  # (3, S, S) each
        if not pixels:
            return results
        embeddings = iter(model.encode_pixels(torch.stack(pixels)).cpu())
        return [next(embeddings) if isinstance(each, Tensor) else each for each in results]

    try:
        for start in range(0, len(files), batch):
            part = files[start : start + batch]
            waiting.append((part, encoder.submit(encode, [decoders.submit(decode, file) for file in part])))
            if len(waiting) == AHEAD:
                yield from taken(waiting)
        while waiting:
            yield from taken(waiting)
    finally:  # also where nobody asks for the rest
        for pool in (encoder, decoders):
            pool.shutdown(wait=False, cancel_futures=True)


def taken(
    waiting: deque[tuple[Sequence[FolderFile], Future[list[Result]]]],
) -> Iterator[tuple[FolderFile, Result]]:
    """Pop the first batch and yield its files with their results."""
    part, results = waiting.popleft()
    yield from zip(part, results.result(), strict=True)
