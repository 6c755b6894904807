import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from seps.data import read_split
from seps.training.batches.samplers import ProcessShard
from seps.training.dev import dev_metrics
from seps.training.settings import TrainSettings
from tests.helpers.data.drawn import WORDS, draw_split
from tests.helpers.models.tiny import write_tiny_bert
from tests.seps.training.batches.joint_batch import BATCH, build_step, measured, part_of_batch

ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize(("items", "world"), [(7, 2), (1, 3), (0, 2), (6, 3)])
def test_spans_cover_everything_once(items: int, world: int) -> None:
    spans = [ProcessShard(rank, world).span(items) for rank in range(world)]
    assert [i for span in spans for i in span] == list(range(items))
    assert max(map(len, spans)) - min(map(len, spans)) <= 1


@pytest.mark.slow
def test_two_processes_have_the_joint_batch_s_loss_gradient_and_dev(tmp_path: Path) -> None:
    write_tiny_bert(tmp_path / "bert", WORDS)
    draw_split(tmp_path, "dev", 5, seed=2)
    torch.manual_seed(3)
    lengths = torch.tensor([4, 3, 5, 8, 6, 7])  # the longest differ between the processes
    tensors = {
        "images": torch.randn(BATCH, 3, 160, 160),
        "captions": torch.randint(5, len(WORDS), (BATCH, 8)),
        "lengths": lengths,
        "dense_captions": torch.randint(5, len(WORDS), (BATCH, 12)),
        "dense_lengths": lengths + 3,
        "img_ids": torch.tensor([0, 1, 2, 3, 1, 5]),  # an image that is in both
    }
    save_file(tensors, tmp_path / "batch.safetensors")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.seps.training.batches.joint_batch"]
    running = [
        subprocess.Popen([*command, str(rank), "2", str(tmp_path)], cwd=ROOT, env=environment) for rank in range(2)
    ]
    assert [process.wait(600) for process in running] == [0, 0]
    results = [load_file(tmp_path / f"result-{rank}.safetensors") for rank in range(2)]
    for loss in ("triplet", "infonce"):
        step = build_step(tmp_path, loss)
        whole = measured(step, part_of_batch(tensors, slice(0, BATCH)))
        assert sum(name.startswith("model.") for name in whole) > 20
        for rank in range(2):
            for name, value in whole.items():
                torch.testing.assert_close(results[rank][f"{loss}.{name}"], value, rtol=1e-3, atol=1e-5, msg=f"{name}")
    alone = dev_metrics(step.model, read_split(tmp_path, "dev"), None, TrainSettings(dev_images=5))
    assert [float(part["rsum"]) for part in results] == pytest.approx([alone.rsum] * 2)
