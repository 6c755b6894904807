"""Which pooled vector of a photograph finds those that S(I, T) ranks first?

    python -m tests.bench.pooling PHOTOS FITTED CAPTIONS --json assets/guide/pooling.json

PHOTOS is a folder, CAPTIONS a text file with a caption a line. Every photograph is scored exactly; for each way to
pool, the share of the exact top 10 in its shortlist of 50 to 1,000 is reported. The learnt projections of mean
patch and mean word are fitted to the scores of other captions, from the file FITTED, on the same photographs, which
flatters them.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seps import ScoringEngine, load_model
from seps.media.photos import open_image
from seps.search.index import CaptionIndex, ImageIndex
from seps.search.pooling import pooled_captions, pooled_images

TOP = 10
SHORTLISTS = (50, 100, 200, 500, 1000)
ROUNDS = 6  # of k-means
STEPS, RATE = 400, 2e-3  # of learning a projection


def fraction_found(scores: Tensor, pooled: Tensor, length: int) -> float:
    """The mean share of the TOP best of scores (V, T) among the `length` best of pooled products (V, T)."""
    best, shortlist = scores.topk(TOP, dim=0).indices.T, pooled.topk(length, dim=0).indices.T
    pairs = zip(best.tolist(), shortlist.tolist(), strict=True)
    return float(np.mean([len(set(top) & set(chosen)) / TOP for top, chosen in pairs]))


def upper_half(unit: Tensor, score: Tensor) -> Tensor:
    """The mean of the half of the unit patches (V, N, C) with the higher scores (V, N), at unit length."""
    kept = score.float().topk(score.shape[1] // 2, dim=1).indices[..., None].expand(-1, -1, unit.shape[-1])
    return F.normalize(unit.gather(1, kept).mean(dim=1), dim=-1)


def weighted(unit: Tensor, score: Tensor) -> Tensor:
    """The mean of unit patches (V, N, C) weighted by the softmax of their standardised scores (V, N)."""
    score = score.float()
    weights = ((score - score.mean(1, keepdim=True)) / score.std(1, keepdim=True)).softmax(dim=1)
    return F.normalize((weights[..., None] * unit).sum(dim=1), dim=-1)


def centroids(unit: Tensor, count: int) -> Tensor:
    """Spherical k-means of each photograph's unit patches: (V, count, C)."""
    centres = unit[:, torch.linspace(0, unit.shape[1] - 1, count).long()]
    for _ in range(ROUNDS):
        nearest = F.one_hot((unit @ centres.transpose(1, 2)).argmax(dim=-1), count).float()
        centres = F.normalize(nearest.transpose(1, 2) @ unit + 1e-6 * centres, dim=-1)
    return centres


def learnt(images: Tensor, fitted: Tensor, scores: Tensor, queries: Tensor, width: int) -> Tensor:
    """Products (V, T) of linear maps of images and queries, taught to rank as `scores` (V, F) do for `fitted`."""
    image_map, query_map = nn.Linear(images.shape[1], width), nn.Linear(fitted.shape[1], width)
    scale = nn.Parameter(torch.tensor(10.0))
    optimiser = torch.optim.AdamW([*image_map.parameters(), *query_map.parameters(), scale], lr=RATE, weight_decay=0.0)
    target = 3 * (scores - scores.mean(0)) / scores.std(0)
    for step in range(STEPS):
        rows, columns = torch.randint(len(images), (512,)), torch.randint(len(fitted), (128,))
        products = F.normalize(image_map(images[rows]), dim=-1) @ F.normalize(query_map(fitted[columns]), dim=-1).T
        logs, weights = F.log_softmax(scale * products, 0).T, target[rows][:, columns].softmax(0).T
        loss = F.kl_div(logs, weights, reduction="batchmean")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - step / STEPS)
    with torch.no_grad():
        return F.normalize(image_map(images), dim=-1) @ F.normalize(query_map(queries), dim=-1).T


def ways(embeddings: Tensor, images: ImageIndex, captions: CaptionIndex, fitted: int, scores: Tensor) -> dict[str, Any]:
    """Each way to pool: numbers a photograph, and a function that gives the products (V, T) of the captions after the
    first `fitted`."""
    unit, words = F.normalize(embeddings, dim=-1), captions.sparse.words
    every = pooled_captions(captions)
    queries, channels, mean = every[fitted:], embeddings.shape[-1], pooled_images(embeddings)
    lengths = captions.sparse.lengths[fitted:].tolist()

    def of_words(count: int) -> Tensor:
        centres = centroids(unit, count)
        return torch.stack([
            (centres @ words[fitted + t, :length].T).amax(dim=1).mean(dim=-1) for t, length in enumerate(lengths)
        ], dim=1)  # fmt: skip

    result: dict[str, tuple[int, Callable[[], Tensor]]] = {
        "mean of unit patches": (channels, lambda: mean @ queries.T),
        "mean patch": (channels, lambda: F.normalize(embeddings.mean(1), dim=-1) @ queries.T),
        "half with the higher s^im": (channels, lambda: upper_half(unit, images.s_im) @ queries.T),
        "weighted by s^im": (channels, lambda: weighted(unit, images.s_im) @ queries.T),
    }
    if images.s_p[0] is not None:
        s_p = images.s_p[0]
        result["half with the higher s^p"] = channels, lambda: upper_half(unit, s_p) @ queries.T
        result["weighted by s^p"] = channels, lambda: weighted(unit, s_p) @ queries.T
    for count in (4, 8):
        result[f"{count} centroids, best of each word"] = count * channels, partial(of_words, count)
    for width in (128, channels):
        products = partial(learnt, mean, every[:fitted], scores[:, :fitted], queries, width)
        result[f"learnt, {width} channels"] = width, products
    return result


def chosen_lines(file: Path, count: int, rng: np.random.Generator) -> list[str]:
    """Some lines of a file of captions."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [lines[i] for i in rng.choice(len(lines), count, replace=False)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every way to pool, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("photos", "fitted", "captions"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--count", type=int, default=1500, help="photographs (1,500)")
    parser.add_argument("--json", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    model = load_model("photos")
    engine = ScoringEngine(model.cross_net)
    fitted, asked = chosen_lines(options.fitted, 200, rng), chosen_lines(options.captions, 60, rng)
    photos = sorted(options.photos.iterdir())[: options.count]
    embeddings = torch.cat([model.encode_photos([open_image(photo)]).half() for photo in photos]).float()
    images, captions = engine.encode_images(embeddings), engine.encode_captions(*model.encode_captions(fitted + asked))
    scores = engine.score(images, captions)  # (V, 260)
    rows = []
    for name, (numbers, products) in ways(embeddings, images, captions, len(fitted), scores).items():
        pooled = products()
        fractions = {str(k): fraction_found(scores[:, len(fitted) :], pooled, k) for k in SHORTLISTS if k < len(photos)}
        rows.append({"pooled": name, "numbers": numbers, "found": fractions})
        print(json.dumps(rows[-1]), flush=True)
    result = {"photographs": len(photos), "captions": len(asked), "ways": rows}
    options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
