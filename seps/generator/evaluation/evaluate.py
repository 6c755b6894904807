"""Measure a generator on scenes by their known facts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from seps.common.precision import evaluating
from seps.common.progress import Progress, batch_indices
from seps.data import open_image, read_split
from seps.data.layout import Split
from seps.evaluation.scenes import Graphs, read_graphs
from seps.generator.generator import GUIDANCE, ImageTextGenerator
from seps.generator.model.captioner import Decoding
from seps.generator.model.network import to_bytes, to_pictures, to_values
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.runs.bootstrap import Estimate, estimate, with_bounds
from seps.scenes.captions.agreement import alike
from seps.scenes.captions.reading import Named, Reading, count_true, judge_statements, read_caption
from seps.scenes.graph import Scene
from seps.search.engine import ScoringEngine

AMONG = 100  # pictures that a caption is to find its own among
READINGS = 5  # captions of a drawn picture, sampled, that are read back
BATCH = 64  # pictures that are reconstructed at once
ROWS = {  # of a ceiling
    "true_scenes": "true scenes",
    "small": "true scenes of the drawings' size",
    "autoencoded": "true scenes through the autoencoder",
}
THUMB = 32  # side of the pictures that are compared pixel by pixel
Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]


def evaluate(
    generator: ImageTextGenerator,
    data: Path,
    split_name: str = "test",
    pictures: int = 500,
    steps: int = 30,
    guidance: float = GUIDANCE,
    train: Path | None = None,
    progress: Progress = False,
    candidates: int = 1,
) -> dict[str, Any]:
    """Measure captions of a split's scenes (`measure_captions`), and drawings of its captions (`measure_pictures`)."""
    split = read_split(data, split_name)
    graphs = read_graphs(Path(data), split)
    scorer = load_model("scenes")
    result: dict[str, Any] = {"split": split_name, "scenes": len(graphs.scenes)}
    written = generator.batch_image_to_text(split.image_files, progress=progress)
    result["captions"] = measure_captions(written, split, graphs, scorer)
    count = min(pictures, len(graphs.scenes)) if generator.network.config.draws else 0
    if count:
        texts = [split.captions[i * split.captions_per_image] for i in range(count)]
        drawn = generator.batch_text_to_image(texts, None, steps, 0, guidance, progress, candidates)
        how = {"count": count, "steps": steps, "guidance": guidance, "candidates": candidates}
        result["pictures"] = how | measure_pictures(generator, drawn, texts, split, graphs, scorer, progress)
        if train is not None:
            result["pictures"] |= nearest_training(drawn, split.image_files[:count], read_split(train, "train"))
    return result


def measure_captions(written: Sequence[str], split: Split, graphs: Graphs, scorer: SEPSModel) -> dict[str, Any]:
    """Measure how true captions are, number i of scene i."""
    readings = [read_caption(text) for text in written]
    true, whole = np.array(list(map(count_true, graphs.scenes, readings))).T  # (n,) each
    unseen = np.array([scene.unseen for scene in graphs.scenes])
    fractions = true / np.maximum(whole, 1)
    wholly = (true == whole) & (whole > 0)
    objects = np.array(list(map(objects_named, graphs.scenes, readings)))
    grammar = [split.captions[i * split.captions_per_image] for i in range(len(graphs.scenes))]
    similarity = score(scorer, [open_image(file) for file in split.image_files], [*written, *grammar])
    matching, human = similarity[:, : len(written)], similarity[:, len(written) :]
    results: dict[str, Any] = {
        "true_statements": figure(fractions),
        "wholly_true": figure(wholly),
        "objects": figure(objects),
        "distinct": len({text.lower() for text in written}) / len(written),
        "r1": figure(100.0 * firsts(matching)),
        "r1_grammar": figure(100.0 * firsts(human)),
    }
    return results | by_combination(unseen, true_statements=fractions, wholly_true=wholly)


def measure_pictures(
    generator: ImageTextGenerator,
    drawn: Sequence[Image.Image],
    texts: Sequence[str],
    split: Split,
    graphs: Graphs,
    scorer: SEPSModel,
    progress: Progress = False,
) -> dict[str, Any]:
    """Measure how well drawings show their captions, number i of scene i."""
    scenes = [open_image(file) for file in split.image_files[: len(drawn)]]
    unseen = np.array([scene.unseen for scene in graphs.scenes[: len(drawn)]])
    pairs = (("r1", drawn), ("r1_true_scenes", scenes))
    results = {name: figure(100.0 * firsts_among(score(scorer, pictures, texts))) for name, pictures in pairs}
    asked = [read_caption(text) for text in texts]
    back = recaption(generator, drawn, progress)
    objects, colours = compute_named_fractions(asked, back)
    results |= {"objects": figure(objects), "colours": figure(colours)}
    for name, readings in (("true_scenes", recaption(generator, scenes, progress)), ("shuffled", [*back[1:], back[0]])):
        of_object, of_colour = compute_named_fractions(asked, readings)
        results[name] = {"objects": figure(of_object), "colours": figure(of_colour)}
    return results | by_combination(unseen, objects=objects, colours=colours)


def by_combination(unseen: Booleans, **values: Floats | Booleans) -> dict[str, Any]:
    """Return the figures of the rows with "seen" and "unseen" combinations of kind and colour."""
    parts = {name: rows for name, rows in (("seen", ~unseen), ("unseen", unseen)) if rows.any()}
    return {part: {name: figure(value[rows]) for name, value in values.items()} for part, rows in parts.items()}


def figure(values: Floats | Booleans) -> dict[str, Any]:
    """Return a mean with its interval, NaN left out; None where nothing is left."""
    kept = np.asarray(values, dtype=np.float64)
    kept = kept[~np.isnan(kept)]
    if not len(kept):
        return {"mean": None, "interval": None}
    interval: Estimate = estimate(kept, np.arange(len(kept)))
    return {"mean": round(interval.mean, 4), "interval": [round(interval.low, 4), round(interval.high, 4)]}


@torch.no_grad()
def score(scorer: SEPSModel, pictures: Sequence[Image.Image], texts: Sequence[str]) -> Tensor:
    """S(I, T) of every picture and every caption: (V, T)."""
    engine = ScoringEngine(scorer.cross_net)
    images = engine.encode_images(scorer.encode_photos(pictures))
    captions = engine.encode_captions(*scorer.encode_captions(texts))
    return engine.score(images, captions)


def firsts(similarity: Tensor) -> Floats:
    """(n,), 1 where caption i finds picture i first: column i of (n, n)."""
    return (similarity.argmax(dim=0) == torch.arange(similarity.shape[1])).double().numpy()


def firsts_among(similarity: Tensor, among: int = AMONG) -> Floats:
    """As `firsts`, among blocks of `among` pictures; a last block that is shorter takes the last `among` ones."""
    count = len(similarity)
    first = np.zeros(count)
    for start in range(0, count, among):
        begin = max(0, min(start, count - among))
        block = similarity[begin : begin + among, begin : begin + among]
        end = min(start + among, count)
        first[start:end] = firsts(block)[start - begin : end - begin]
    return first


def objects_named(scene: Scene, reading: Reading) -> float:
    """Return the share of a scene's objects that a caption names with nothing untrue said of them."""
    if not reading.statements:
        return 0.0
    truth = judge_statements(scene, reading)
    wrong = {
        statement[1]
        for statement, true in zip(reading.statements, truth, strict=True)
        if not true and statement[0] in ("called", "colour", "size")
    }
    named = {i for thing in reading.named for i in thing.objects}
    return min(len(named - wrong), len(scene.objects)) / len(scene.objects)


def recaption(
    generator: ImageTextGenerator, pictures: Sequence[Image.Image], progress: Progress = False
) -> list[list[Named]]:
    """Return the facts that captions of pictures name: the best by beam search, and sampled ones for coverage."""
    ways = [Decoding()] + [Decoding("sample", temperature=0.7, seed=seed) for seed in range(READINGS - 1)]
    written = [generator.batch_image_to_text(pictures, how, progress) for how in ways]
    return [[thing for text in texts for thing in read_caption(text).named] for texts in zip(*written, strict=True)]


def compute_named_fractions(asked: Sequence[Reading], back: Sequence[Sequence[Named]]) -> tuple[Floats, Floats]:
    """Compute the fraction of each caption's objects, and of its colours, named of its picture; NaN: none."""
    objects, colours = [], []
    for reading, named in zip(asked, back, strict=True):
        same = [[thing for thing in named if alike(thing.word, asked_for.word)] for asked_for in reading.named]
        objects.append(np.mean([bool(things) for things in same]) if same else np.nan)
        coloured = [
            any(thing.colour == asked_for.colour for thing in things)
            for asked_for, things in zip(reading.named, same, strict=True)
            if asked_for.colour
        ]
        colours.append(np.mean(coloured) if coloured else np.nan)
    return np.array(objects), np.array(colours)


def nearest_training(drawn: Sequence[Image.Image], true: Sequence[Path], train: Split) -> dict[str, Any]:
    """Return the mean difference of drawings, and of true scenes, to the nearest training scene at 32 x 32 pixels."""
    scenes, known_scenes = ([open_image(file) for file in files] for files in (true, train.image_files))
    values, true_values, known = (
        torch.from_numpy(np.stack([to_bytes(picture, THUMB) for picture in pictures])).flatten(1).float()
        for pictures in (drawn, scenes, known_scenes)
    )  # (n, 3 * 32 * 32) each

    def nearest(pictures: Tensor) -> dict[str, Any]:
        return figure(torch.cdist(pictures, known, p=1).min(dim=1).values.double().numpy() / pictures.shape[1])

    return {"nearest_training": nearest(values), "nearest_training_true_scenes": nearest(true_values)}


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
    captions = result["captions"]
    lines = [
        f"{result['scenes']:,} scenes of {result['split']}",
        "Captions:",
        f"  statements that are true       {shown(captions['true_statements'])}",
        f"  captions wholly true           {shown(captions['wholly_true'])}",
        f"  objects named                  {shown(captions['objects'])}",
        f"  distinct                       {captions['distinct']:.3f}",
        f"  scene found by caption, R@1    {shown(captions['r1'])}; by the grammar's {shown(captions['r1_grammar'])}",
    ]
    for name in ("seen", "unseen"):
        if name in captions:
            lines.append(f"  {name:7} combinations: true   {shown(captions[name]['true_statements'])}")
    pictures = result.get("pictures")
    if pictures is None:
        return "\n".join(lines)
    of_many = f", the best of {pictures['candidates']}" if pictures["candidates"] > 1 else ""
    how = f"{pictures['steps']} steps, guidance {pictures['guidance']:g}{of_many}"
    lines += [
        f"Pictures of {pictures['count']} captions, {how}:",
        f"  drawing found among {AMONG}, R@1   {shown(pictures['r1'])}; true scenes "
        f"{shown(pictures['r1_true_scenes'])}",
        f"  objects captioned back         {shown(pictures['objects'])}; true scenes "
        f"{shown(pictures['true_scenes']['objects'])}, shuffled {shown(pictures['shuffled']['objects'])}",
        f"  colours captioned back         {shown(pictures['colours'])}; true scenes "
        f"{shown(pictures['true_scenes']['colours'])}, shuffled {shown(pictures['shuffled']['colours'])}",
    ]
    if "nearest_training" in pictures:
        lines.append(
            f"  nearest training scene         {shown(pictures['nearest_training'])}; of true scenes "
            f"{shown(pictures['nearest_training_true_scenes'])}"
        )
    return "\n".join(lines)


def ceiling_table(result: dict[str, Any]) -> str:
    """Return the report of `measure_ceiling` to print."""
    lines = [f"{result['count']} scenes of {result['split']}; R@1 among 100, objects and colours captioned back:"]
    for name, title in ROWS.items():
        row = result[name]
        lines.append(f"  {title:36} {shown(row['r1'])}; {shown(row['objects'])}; {shown(row['colours'])}")
    lines.append(f"  the autoencoder's mean difference of a value: {result['error']:.2f} of 255")
    return "\n".join(lines)


def shown(result: dict[str, Any]) -> str:
    """Return a mean with its interval as text."""
    return "none" if result["mean"] is None else with_bounds(result["mean"], *result["interval"])
