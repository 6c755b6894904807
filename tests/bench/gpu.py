"""Everything that needs a GPU, in one command: `make gpu`, or `python -m tests.bench.gpu --out gpu.json`.

The plain loop next to the engine at 196 and 576 patches, and the engine with 1,000 images and 5,000 captions, both
variants, with peak memory; photographs and captions encoded per second; float32 differences from the CPU, and decisions
on the galleries of the app that differ from the CPU's; a training step in mixed precision; two short training runs on
drawn scenes; the app's latencies. Each check's own seconds are written too.
A check that fails is written down with its error, and the others go on.
"""

import argparse
import json
import platform
import statistics
import time
import traceback
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from demo.service.explaining import encode_caption, explain_pair
from demo.service.models.start import GalleryOptions, open_service
from seps import CrossSparseAggrNet, ScoringEngine, load_model
from seps.common.cli import check_output, print_error
from seps.data import CaptionDataset, read_split
from seps.encoders import preprocess
from seps.models.model import SEPSModel
from seps.runs.run_log import read_epochs
from seps.scenes import write_split
from seps.training.batches.pixels import PixelDataLoader
from seps.training.batches.samplers import ProcessShard
from seps.training.loop import move_to_device, train
from seps.training.losses.step import TrainingStep
from seps.training.settings import read_recipe
from tests.bench.__main__ import CHANNELS, PATCHES, Batch, draw, large, side_by_side
from tests.bench.devices import GALLERIES, compare_decisions, compare_encoders, read_galleries
from tests.bench.encoding import time_captions, time_photos

SIZES = (PATCHES, 576)  # patches of images of 224 and 384 pixels
VARIANTS = ("released", "paper")
CAPTIONS = ("a cat", "a cup of coffee on a table", "a motorcycle in a garage", "a rocket on its launch pad at dusk")
ROUNDS = 20

Measured = dict[str, Any]


class Checks:
    """Inputs of a run on one device.

    Args:
        device: cuda, or cpu to try the checks; small: sizes that a CPU manages in a minute or two.
        folder: for scenes, runs and the app's cache.
    """

    def __init__(self, device: torch.device, small: bool, folder: Path) -> None:
        self.device, self.small, self.folder = device, small, folder

    def network(self, variant: str, patches: int = PATCHES) -> CrossSparseAggrNet:
        """A seeded full-size network, or with `small` the same."""
        torch.manual_seed(0)
        return CrossSparseAggrNet(CHANNELS, patches, use_paper_version=variant == "paper").eval().to(self.device)

    def machine(self) -> Measured:
        """Data of the measurements."""
        result: Measured = {"device": self.device.type, "torch": torch.__version__, "python": platform.python_version()}
        if self.device.type == "cuda":
            properties = torch.cuda.get_device_properties(self.device)
            result |= {"gpu": properties.name, "memory_bytes": properties.total_memory, "cuda": torch.version.cuda}
        return result

    def engine(self) -> Measured:
        """The plain loop next to the engine, and the engine with many images and captions."""
        few, many = ((4, 6), (8, 40)) if self.small else ((64, 100), (1000, 5000))
        rounds = 2 if self.small else 5
        result: Measured = {}
        for variant in VARIANTS:
            result[variant] = {
                f"{few[0]} x {few[1]}, N {patches}, dense": side_by_side(
                    self.network(variant, patches), variant, self.device, rounds, *few
                )
                for patches in SIZES
            }
            result[variant][f"{many[0]} x {many[1]}"] = large(self.network(variant), variant, self.device, *many)
        return result

    def encoders(self) -> Measured:
        """Photographs and captions that the model of photographs encodes, per second and in milliseconds."""
        model = load_model("photos").to(self.device)
        photos, captions, rounds = (2, 4, 1) if self.small else (256, 512, 5)
        return {"photos": time_photos(model, photos, rounds), "captions": time_captions(model, captions, rounds)}

    def float32(self) -> Measured:
        """The largest differences from the CPU: of S(I, T) by the engine, with dense captions, and of the encoders."""
        result: Measured = {}
        for variant in VARIANTS:
            model = self.network(variant)
            batch = draw(4 if self.small else 64, 6 if self.small else 100, True, torch.device("cpu"))
            here, there = scores(deepcopy(model).cpu(), batch), scores(model, batch)
            result[variant] = {"similarity": float((here - there).abs().max())}
        most = 2 if self.small else None
        return result | {name: compare_encoders(name, read_galleries(name, most), self.device) for name in GALLERIES}

    def decisions(self) -> Measured:
        """Decisions on the galleries of the app, each photograph with each caption, that differ from the CPU's."""
        most = 2 if self.small else None
        return {name: compare_decisions(name, read_galleries(name, most), self.device) for name in GALLERIES}

    def scenes(self) -> Path:
        """A folder with drawn scenes, made on first use."""
        folder = self.folder / "scenes"
        if not folder.is_dir():
            folder.mkdir()
            write_split(folder, "train", 16 if self.small else 512, 0)
            write_split(folder, "dev", 4 if self.small else 64, 0)
        return folder

    def mixed_precision(self) -> Measured:
        """A training step of each variant in float32 and in bfloat16: the losses, and whether gradients are finite."""
        split = read_split(self.scenes(), "train")
        result: Measured = {}
        for variant in VARIANTS:
            config, settings = read_recipe("tiny")
            config = replace(config, network=config.network | {"use_paper_version": variant == "paper"})
            settings = replace(settings, pretrain_epochs=0, dense_share=1.0, batch_size=8)
            torch.manual_seed(0)
            model = SEPSModel(config).to(self.device)
            limits = config.text.max_words, config.text.max_dense_words
            read = partial(preprocess, config=config.vision)
            dataset = CaptionDataset(split, model.tokenizer, read, *limits, train=False, seed=0, dense="own")
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
        """Two short runs as `seps.train` has them, mixed precision on a GPU: the curves, and seconds."""
        result: Measured = {}
        for variant in VARIANTS:
            config, settings = read_recipe("tiny")
            config = replace(config, network=config.network | {"use_paper_version": variant == "paper"})
            if self.small:
                settings = replace(settings, epochs=1, pretrain_epochs=1, batch_size=8, pretrain_batch=8)
            started = time.perf_counter()
            out = self.folder / f"run-{variant}"
            best = train(config, settings, self.scenes(), out, workers=0 if self.small else 4)
            result[variant] = {"seconds": time.perf_counter() - started, "rsum": best, "epochs": read_epochs(out)}
            load_model(out / "best")
        return result

    def app(self) -> Measured:
        """Milliseconds that the app's service takes for encoding a photograph, ranking and explaining: medians."""
        service = open_service(GalleryOptions(cache=self.folder / "cache", fetch=False))
        indexed = service.find("examples")
        photo = indexed.gallery.items[0].photo()
        rounds = 2 if self.small else ROUNDS

        def explain_first(caption: str) -> None:
            explain_pair(service.model, indexed.patches(0), encode_caption(service.model, caption))

        calls: dict[str, Callable[[str], object]] = {
            "encode_a_photo": lambda _: service.encode_photos([photo]),
            "rank": lambda caption: service.rank_images(indexed, caption),
            "rank_with_dense": lambda caption: service.rank_images(indexed, caption, " ".join(CAPTIONS)),
            "explain": explain_first,
        }
        result: Measured = {"device": service.model.device.type, "photos": len(indexed)}
        return result | {name: self.milliseconds(call, rounds) for name, call in calls.items()}

    def milliseconds(self, call: Callable[[str], object], rounds: int) -> float:
        """The median time of a call, over captions in turn, after a first one that is not counted."""
        seconds = []
        for i in range(rounds + 1):
            started = time.perf_counter()
            call(CAPTIONS[i % len(CAPTIONS)])
            if self.device.type == "cuda":
                torch.cuda.synchronize()
            seconds.append(time.perf_counter() - started)
        return 1000 * statistics.median(seconds[1:])


NAMES = ("machine", "engine", "encoders", "float32", "decisions", "mixed_precision", "training", "app")


def scores(model: CrossSparseAggrNet, batch: Batch) -> torch.Tensor:
    """The engine's scores of a batch, (V, T) on the CPU."""
    engine = ScoringEngine(model)
    return engine.score(
        engine.encode_images(batch.images), engine.encode_captions(*batch.captions, *(batch.dense or ()))
    )


def run_checks(checks: Checks, out: Path, names: tuple[str, ...] = NAMES) -> list[str]:
    """Run checks by name and write each one's numbers, or its error, at once; return the failed checks."""
    results: Measured = {}
    failed = []
    for name in names:
        started = time.perf_counter()
        try:
            results[name] = getattr(checks, name)()
        except Exception as error:  # whatever breaks there is to be known, and the rest too
            results[name] = {"error": f"{type(error).__name__}: {error}", "where": traceback.format_exc(limit=-3)}
            failed.append(name)
        results[name]["check_seconds"] = time.perf_counter() - started
        out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and return the exit code: 1 where one of them failed, 2 where they cannot be run."""
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
        failed = run_checks(
            Checks(torch.device(options.device), options.small, Path(folder)), options.out, options.only
        )
    print(f"Written to {options.out}." + (f" Failed: {', '.join(failed)}." if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
