"""Everything that needs a GPU, in one command: `make gpu`, or `python -m tests.bench.gpu --out gpu.json`.

A check that fails is recorded with its error, and the others go on. README.md lists the checks.
"""

import argparse
import json
import platform
import time
import traceback
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from PIL import Image
from torch import Tensor

from demo.galleries.sources.named import open_named_gallery
from demo.service.explaining import encode_caption, explain_pair
from demo.service.models.start import GalleryOptions, open_service
from seps import ScoringEngine, load_model
from seps.common.cli import check_output, print_error
from seps.data import CaptionDataset, read_split
from seps.encoders import preprocess
from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from seps.runs.run_log import read_epochs
from seps.scenes import write_split
from seps.search.blocks import Decisions
from seps.search.parallel import split
from seps.training.batches.pixels import PixelDataLoader
from seps.training.batches.samplers import ProcessShard
from seps.training.loop import move_to_device, train
from seps.training.losses.step import TrainingStep
from seps.training.settings import TrainSettings, read_recipe
from tests.bench.__main__ import (
    PATCHES,
    VARIANTS,
    compare_engine,
    draw,
    engine_scores,
    full_size,
    largest,
    time_engine,
)
from tests.bench.timing import peak_bytes, race

SIZES = (PATCHES, 576)  # patches of images of 224 and 384 pixels
GALLERIES = {"photos": ("examples",), "scenes": ("scenes", "moving")}  # by model; they need no network
CAPTIONS = ("a cat", "a cup of coffee on a table", "a motorcycle in a garage", "a rocket on its launch pad at dusk")
PAIRS = 2**14  # decided at a time
CPU = torch.device("cpu")

Measured = dict[str, Any]
Pictures = tuple[list[Image.Image], list[str]]  # photographs and captions


@dataclass(frozen=True)
class Checks:
    """The checks on one device; `small` reduces their sizes for a CPU, `folder` is for scenes, runs and the cache."""

    device: torch.device
    small: bool
    folder: Path

    def machine(self) -> Measured:
        """Describe the machine."""
        result: Measured = {"device": self.device.type, "torch": torch.__version__, "python": platform.python_version()}
        if self.device.type == "cuda":
            properties = torch.cuda.get_device_properties(self.device)
            result |= {"gpu": properties.name, "memory_bytes": properties.total_memory, "cuda": torch.version.cuda}
        return result

    def engine(self) -> Measured:
        """Compare the engine with the plain loop, and time it with many images and captions."""
        few, many, sizes = ((4, 6), (8, 40), (49, 64)) if self.small else ((64, 100), (1000, 5000), SIZES)
        result: Measured = {}
        for variant in VARIANTS:
            result[variant] = {
                f"{few[0]} x {few[1]}, N {patches}, dense": compare_engine(
                    full_size(variant, self.device, patches), variant, self.device, 2 if self.small else 6, *few
                )
                for patches in sizes
            }
            network = full_size(variant, self.device)
            result[variant][f"{many[0]} x {many[1]}"] = time_engine(network, variant, self.device, *many)
        return result

    def encoders(self) -> Measured:
        """Time encoding of photographs (480 x 640, decoded) and captions by the model `photos`."""
        model = load_model("photos").to(self.device)
        items = open_named_gallery("examples").items
        photos = [item.photo().resize((640, 480)) for item in items] * 20
        captions = [caption for item in items for caption in item.captions] * 20
        works: dict[str, tuple[Callable[..., object], list[Any], int]] = {
            "photos": (model.encode_photos, photos, 2 if self.small else 256),
            "captions": (model.encode_captions, captions, 4 if self.small else 512),
            "preprocessing": (model.preprocess, photos, 2 if self.small else 256),
        }
        result: Measured = {}
        for name, (encode, inputs, count) in works.items():
            many: Any = partial(encode, inputs[:count])
            _, peak = peak_bytes(many, self.device)
            seconds = race(name, {"one": partial(encode, inputs[:1]), "many": many}, 2 if self.small else 6)
            result[name] = {
                "one_milliseconds": 1000 * seconds["one"],
                "count": count,
                "per_second": count / seconds["many"],
                "peak_bytes": peak,
            }
        return result

    def float32(self) -> Measured:
        """Largest differences from the CPU: of S(I, T) with dense captions, and of the shipped models' embeddings."""
        result: Measured = {}
        for variant in VARIANTS:
            inputs = draw(4 if self.small else 64, 6 if self.small else 100, True, CPU)
            here, there = (engine_scores(full_size(variant, device), *inputs) for device in (CPU, self.device))
            result[variant] = {"similarity": largest(here, there)}
        return result | {name: compare_encoders(*self.shipped(name)) for name in GALLERIES}

    def decisions(self) -> Measured:
        """Count decisions on galleries of the app, each photograph with each caption, that differ from the CPU's."""
        return {name: compare_decisions(*self.shipped(name)) for name in GALLERIES}

    def shipped(self, name: str) -> tuple[SEPSModel, SEPSModel, dict[str, Pictures]]:
        """Load a shipped model on the CPU and on the device, with its galleries."""
        model = load_model(name)
        return model, deepcopy(model).to(self.device), read_galleries(name, 2 if self.small else None)

    def scenes(self) -> Path:
        """A folder with drawn scenes, made on first use."""
        folder = self.folder / "scenes"
        if not folder.is_dir():
            folder.mkdir()
            write_split(folder, "train", 16 if self.small else 512, 0)
            write_split(folder, "dev", 4 if self.small else 64, 0)
        return folder

    def mixed_precision(self) -> Measured:
        """Losses of a training step in float32 and in bfloat16, and whether gradients are finite."""
        data = read_split(self.scenes(), "train")
        result: Measured = {}
        for variant in VARIANTS:
            config, settings = recipe(variant)
            settings = replace(settings, pretrain_epochs=0, dense_share=1.0, batch_size=8)
            torch.manual_seed(0)
            model = SEPSModel(config).to(self.device)
            limits = config.text.max_words, config.text.max_dense_words
            read = partial(preprocess, config=config.vision)
            dataset = CaptionDataset(data, model.tokenizer, read, *limits, train=False, seed=0, dense="own")
            loader = PixelDataLoader(model, dataset, settings, 0, ProcessShard())
            batch = move_to_device(next(iter(loader.epoch(0, torch.Generator().manual_seed(0)))), self.device)
            step = TrainingStep(model, settings)
            result[variant] = {}
            for name, mixed in (("float32", False), ("bfloat16", True)):
                step.zero_grad()
                with torch.autocast(self.device.type, torch.bfloat16, enabled=mixed):
                    losses = step(batch)
                losses["loss"].backward()
                finite = all(bool(p.grad.isfinite().all()) for p in step.parameters() if p.grad is not None)
                result[variant][name] = {key: float(loss.detach()) for key, loss in losses.items()}
                result[variant][name]["gradients_finite"] = finite
        return result

    def training(self) -> Measured:
        """Curves and seconds of two short runs as `seps.train` has them, in mixed precision on a GPU."""
        result: Measured = {}
        for variant in VARIANTS:
            config, settings = recipe(variant)
            if self.small:
                settings = replace(settings, epochs=1, pretrain_epochs=1, batch_size=8, pretrain_batch=8)
            out = self.folder / f"run-{variant}"
            started = time.perf_counter()
            best = train(config, settings, self.scenes(), out, workers=0 if self.small else 4)
            result[variant] = {"seconds": time.perf_counter() - started, "rsum": best, "epochs": read_epochs(out)}
            load_model(out / "best")
        return result

    def app(self) -> Measured:
        """Milliseconds of the app's service for encoding a photograph, ranking and explaining several captions."""
        service = open_service(GalleryOptions(cache=self.folder / "cache", fetch=False))
        indexed = service.find("examples")
        photo, captions, dense = indexed.gallery.items[0].photo(), cycle(CAPTIONS), " ".join(CAPTIONS)
        runs: dict[str, Callable[[], object]] = {
            "encode_a_photo": lambda: service.encode_photos([photo]),
            "rank": lambda: service.rank_images(indexed, next(captions)),
            "rank_with_dense": lambda: service.rank_images(indexed, next(captions), dense),
            "explain": lambda: explain_pair(
                service.model, indexed.patches(0), encode_caption(service.model, next(captions))
            ),
        }
        result: Measured = {"device": service.model.device.type, "photos": len(indexed)}
        for name, run in runs.items():
            result[name] = 1000 * race("app", {name: run}, 3 if self.small else 21)[name]
        return result


NAMES = ("machine", "engine", "encoders", "float32", "decisions", "mixed_precision", "training", "app")


def recipe(variant: str) -> tuple[ModelConfig, TrainSettings]:
    """The recipe `tiny` with a variant of the network."""
    config, settings = read_recipe("tiny")
    return replace(config, network=config.network | {"use_paper_version": variant == "paper"}), settings


@cache
def read_galleries(model: str, most: int | None) -> dict[str, Pictures]:
    """Read at most so many photographs and captions of each gallery; one without captions uses the other galleries'."""
    galleries = [open_named_gallery(name) for name in GALLERIES[model]]
    pools = [[caption for item in gallery.items for caption in item.captions] for gallery in galleries]
    everything = [caption for pool in pools for caption in pool]
    return {
        gallery.name: ([item.photo() for item in gallery.items[:most]], (pool or everything)[:most])
        for gallery, pool in zip(galleries, pools, strict=True)
    }


def compare_encoders(here: SEPSModel, there: SEPSModel, galleries: dict[str, Pictures]) -> dict[str, float]:
    """Largest differences of the embeddings of two models, over the galleries."""
    images = [largest(*(model.encode_photos(photos) for model in (here, there))) for photos, _ in galleries.values()]
    words = [largest(*(model.encode_captions(texts)[0] for model in (here, there))) for _, texts in galleries.values()]
    return {"image_embeddings": max(images), "caption_embeddings": max(words)}


def compare_decisions(here: SEPSModel, there: SEPSModel, galleries: dict[str, Pictures]) -> dict[str, dict[str, int]]:
    """Count, by gallery, decisions that differ between two models, and the pairs that have one; a third count is of
    decisions by `there` from the embeddings of `here`."""
    result = {}
    for gallery, (photos, texts) in galleries.items():
        encoded, others = ((model.encode_photos(photos), *model.encode_captions(texts)) for model in (here, there))
        first, second, third = masks(here, *encoded), masks(there, *others), masks(there, *encoded)
        result[gallery] = {
            "pairs": first[..., 0].numel(),
            "decisions": first.numel(),
            "differing": int((first != second).sum()),
            "pairs_differing": int((first != second).any(dim=-1).sum()),
            "differing_given_embeddings": int((first != third).sum()),
        }
    return result


@torch.inference_mode()
def masks(model: SEPSModel, images: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
    """Decision masks of all pairs as the engine decides on the model's device, (V, T, N) bool."""
    engine = ScoringEngine(model.cross_net)
    captions = engine.encode_captions(words, lengths)
    decisions = Decisions(model.cross_net, engine.encode_images(images))
    parts = split(len(captions), max(1, PAIRS // len(images)))
    return torch.cat([decisions.select(captions[part])[0].mask.cpu() > 0 for part in parts], dim=1)


def run_checks(checks: Checks, out: Path, names: tuple[str, ...] = NAMES) -> list[str]:
    """Run checks by name and write each one's numbers, or its error, at once; return the failed checks."""
    results: Measured = {}
    failed = []
    for name in names:
        started = time.perf_counter()
        try:
            results[name] = getattr(checks, name)()
        except Exception as error:  # whatever fails is reported, and the rest is measured
            results[name] = {"error": f"{type(error).__name__}: {error}", "where": traceback.format_exc(limit=-3)}
            failed.append(name)
        results[name]["check_seconds"] = time.perf_counter() - started
        out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and return the exit code: 1 if one of them failed, 2 if they cannot be run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON file for the numbers")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu tries the checks without a GPU")
    parser.add_argument("--small", action="store_true", help="little of everything")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="CHECK", help=" ".join(NAMES))
    options = parser.parse_args(arguments)
    try:
        check_output(options.out)
        if options.device == "cuda" and not torch.cuda.is_available():
            raise ValueError(
                "No CUDA GPU was found: run this on a machine with one, or try the checks with --device cpu --small."
            )
    except ValueError as error:
        return print_error(error)
    with TemporaryDirectory() as folder:
        checks = Checks(torch.device(options.device), options.small, Path(folder))
        failed = run_checks(checks, options.out, options.only)
    print(f"Written to {options.out}." + (f" Failed: {', '.join(failed)}." if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
