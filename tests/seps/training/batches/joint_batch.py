"""Started as each of several processes by test_processes: a run, the loss of a joint batch and its gradient."""

import sys
from pathlib import Path

import torch
import torch.distributed as dist
from safetensors.torch import load_file, save_file
from torch.nn.parallel import DistributedDataParallel

from seps.data import read_split
from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from seps.training.batches.batch import StepBatch
from seps.training.batches.samplers import ProcessShard
from seps.training.command import main as train
from seps.training.dev import dev_metrics
from seps.training.losses.step import TrainingStep
from seps.training.settings import TrainSettings
from tests.helpers.models.tiny import tiny_settings

BATCH = 6  # of all processes together


def part_of_batch(tensors: dict[str, torch.Tensor], rows: slice) -> StepBatch:
    """Some pairs of the stored batch, words cut to the longest of them."""
    lengths, dense_lengths = tensors["lengths"][rows], tensors["dense_lengths"][rows]
    return StepBatch(
        images=tensors["images"][rows],
        captions=tensors["captions"][rows, : int(lengths.max())],
        lengths=lengths,
        dense_captions=tensors["dense_captions"][rows, : int(dense_lengths.max())],
        dense_lengths=dense_lengths,
        img_ids=tensors["img_ids"][rows],
        cached=False,
        rows=torch.arange(rows.stop - rows.start),
    )


def build_step(folder: Path, loss: str) -> TrainingStep:
    """The tiny model with its objective; no dropout, so that processes agree."""
    torch.manual_seed(0)
    config = ModelConfig.from_dict(tiny_settings(folder / "bert"))
    return TrainingStep(SEPSModel(config), TrainSettings(loss=loss, pooled_weight=1.0)).eval()


def measured(step: torch.nn.Module, batch: StepBatch) -> dict[str, torch.Tensor]:
    """Losses by name, and the gradients of the parameters that have one."""
    losses = step(batch)
    losses["loss"].backward()
    gradients = {n.removeprefix("module."): p.grad for n, p in step.named_parameters() if p.grad is not None}
    return {name: value.detach().clone() for name, value in losses.items()} | gradients


def main() -> None:
    """Train a model with the other processes, then measure a step and dev; results in a file of this process."""
    folder = Path(sys.argv[1])
    torch.set_num_threads(1)
    code = train([f"{folder}/recipe.json", "--data", f"{folder}", "--out", f"{folder}/run", "--workers", "0"])
    assert code == 0
    rank, world = dist.get_rank(), dist.get_world_size()
    tensors = load_file(folder / "batch.safetensors")
    size = BATCH // world
    results: dict[str, torch.Tensor] = {}
    for loss in ("triplet", "infonce"):
        step = build_step(folder, loss)
        parallel = DistributedDataParallel(step, find_unused_parameters=True)
        gradients = measured(parallel, part_of_batch(tensors, slice(rank * size, (rank + 1) * size)))
        results |= {f"{loss}.{name}": value for name, value in gradients.items()}
    dev = read_split(folder, "dev")
    rsum = dev_metrics(step.model, dev, None, TrainSettings(dev_images=5), ProcessShard(rank, world)).rsum
    results["rsum"] = torch.tensor(rsum)
    save_file(results, folder / f"result-{rank}.safetensors")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
