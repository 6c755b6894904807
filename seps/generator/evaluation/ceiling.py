"""Upper bound of drawings: true scenes and their autoencoder reconstructions, measured like drawings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from seps.common.precision import evaluating
from seps.common.progress import Progress, batch_indices
from seps.data import open_image, read_split
from seps.evaluation.scenes import read_graphs
from seps.generator.evaluation.evaluate import compute_named_fractions, figure, firsts_among, recaption, score, shown
from seps.generator.generator import ImageTextGenerator
from seps.generator.model.network import to_pictures, to_values
from seps.models.hub import load_model
from seps.scenes.captions.reading import read_caption

BATCH = 64
ROWS = {
    "true_scenes": "true scenes",
    "small": "true scenes of the drawings' size",
    "autoencoded": "true scenes through the autoencoder",
}


def measure_ceiling(
    generator: ImageTextGenerator, data: Path, split_name: str = "test", count: int = 500, progress: Progress = False
) -> dict[str, Any]:
    """Measure the first `count` true scenes that `python -m seps.scenes` wrote like drawings."""
    if not generator.network.config.draws:
        raise ValueError("This generator draws nothing, so that there is no ceiling of drawings to measure.")
    split = read_split(data, split_name)
    graphs = read_graphs(Path(data), split)
    count = min(count, len(graphs.scenes))
    texts = [split.captions[i * split.captions_per_image] for i in range(count)]
    scenes = [open_image(file) for file in split.image_files[:count]]
    small = to_pictures(to_values(scenes, generator.network.config.image_size))
    pictures = {"true_scenes": scenes, "small": small, "autoencoded": reconstruct(generator, small)}
    asked, scorer = [read_caption(text) for text in texts], load_model("scenes")
    pairs = zip(small, pictures["autoencoded"], strict=True)
    error = np.mean([np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).mean() for a, b in pairs])
    result: dict[str, Any] = {"split": split_name, "count": count, "error": round(float(error), 2)}
    for name, these in pictures.items():
        objects, colours = compute_named_fractions(asked, recaption(generator, these, progress))
        found_first = figure(100.0 * firsts_among(score(scorer, these, texts)))
        result[name] = {"r1": found_first, "objects": figure(objects), "colours": figure(colours)}
    return result


@torch.no_grad()
def reconstruct(generator: ImageTextGenerator, pictures: Sequence[Image.Image]) -> list[Image.Image]:
    """Return the autoencoder's reconstructions of pictures."""
    network, size = generator.network, generator.network.config.image_size
    rebuilt: list[Image.Image] = []
    with evaluating(network):
        for batch in batch_indices(len(pictures), BATCH, False, "Rebuilding"):
            values = to_values([pictures[i] for i in batch], size)
            rebuilt += to_pictures(network.autoencoder(values.to(network.device)))
    return rebuilt


def table(result: dict[str, Any]) -> str:
    """Return the report to print."""
    lines = [f"{result['count']} scenes of {result['split']}; R@1 among 100, objects and colours captioned back:"]
    for name, title in ROWS.items():
        row = result[name]
        lines.append(f"  {title:36} {shown(row['r1'])}; {shown(row['objects'])}; {shown(row['colours'])}")
    lines.append(f"  the autoencoder's mean difference of a value: {result['error']:.2f} of 255")
    return "\n".join(lines)
