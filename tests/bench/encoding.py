"""How long a model takes to encode photographs and captions, with everything from the decoded picture on."""

import time
from collections.abc import Callable

import torch
from PIL import Image

from demo.galleries.sources.named import open_named_gallery
from seps.models.model import SEPSModel
from tests.bench.__main__ import peak_bytes

ROWS, COLUMNS = 480, 640  # pixels of a photograph


def best_seconds(run: Callable[[], object], device: torch.device, rounds: int) -> float:
    """Return the shortest of several runs, after one that is not counted."""
    seconds = []
    for _ in range(rounds + 1):
        started = time.perf_counter()
        run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        seconds.append(time.perf_counter() - started)
    return min(seconds[1:])


def time_photos(model: SEPSModel, count: int, rounds: int) -> dict[str, float]:
    """Time one photograph, and so many in batches: with preprocessing, and its part of the time."""
    items = open_named_gallery("examples").items
    opened = [item.photo().resize((COLUMNS, ROWS)) for item in items[:count]]
    photos: list[Image.Image] = [opened[i % len(opened)] for i in range(count)]
    single = best_seconds(lambda: model.encode_photos(photos[:1]), model.device, rounds)
    alone = best_seconds(lambda: model.preprocess(photos[:1]), model.device, rounds)
    _, peak = peak_bytes(lambda: model.encode_photos(photos), model.device)
    many = best_seconds(lambda: model.encode_photos(photos), model.device, rounds)
    return {
        "one_milliseconds": 1000 * single,
        "one_preprocessing_milliseconds": 1000 * alone,
        "count": count,
        "seconds": many,
        "photos_per_second": count / many,
        "peak_bytes": peak,
    }


def time_captions(model: SEPSModel, count: int, rounds: int) -> dict[str, float]:
    """Time one caption, and so many in batches."""
    texts = [caption for item in open_named_gallery("examples").items for caption in item.captions]
    captions = [texts[i % len(texts)] for i in range(count)]
    single = best_seconds(lambda: model.encode_captions(captions[:1]), model.device, rounds)
    _, peak = peak_bytes(lambda: model.encode_captions(captions), model.device)
    many = best_seconds(lambda: model.encode_captions(captions), model.device, rounds)
    return {
        "one_milliseconds": 1000 * single,
        "count": count,
        "seconds": many,
        "captions_per_second": count / many,
        "peak_bytes": peak,
    }
