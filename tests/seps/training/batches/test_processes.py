import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from seps.data import read_split
from seps.models.hub import load_model
from seps.runs.run_log import read_epochs
from seps.training.batches.samplers import ProcessShard, shuffle_batches
from seps.training.dev import dev_metrics
from seps.training.settings import TrainSettings
from tests.helpers.data.drawn import WORDS, draw_split
from tests.helpers.models.tiny import tiny_settings, write_tiny_bert
from tests.seps.training.batches.joint_batch import BATCH, build_step, measured, part_of_batch

ROOT = Path(__file__).parents[4]
Tensors = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tensors, str]:
    """What two processes leave that run `joint_batch`: the folder, the batch, and what they printed."""
    folder = tmp_path_factory.mktemp("joint")
    draw_split(folder, "train", 16, seed=1)
    draw_split(folder, "dev", 5, seed=2)
    settings = tiny_settings(write_tiny_bert(folder / "bert", WORDS))
    training = {"epochs": 2, "batch_size": 4, "captions_an_epoch": 2, "learning_rate": 2e-3, "hard_after": 0}
    training |= {"augment": False, "join_captions": True}
    (folder / "recipe.json").write_text(json.dumps(settings | {"training": training}))
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
    save_file(tensors, folder / "batch.safetensors")
    launch = ["torch.distributed.run", "--nproc_per_node", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint"]
    program = ["localhost:0", "-m", "tests.seps.training.batches.joint_batch", str(folder)]
    process = subprocess.run(
        [sys.executable, "-m", *launch, *program],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    return folder, tensors, process.stdout


@pytest.mark.parametrize(("items", "world"), [(7, 2), (1, 3), (0, 2), (6, 3)])
def test_spans_cover_everything_once(items: int, world: int) -> None:
    spans = [ProcessShard(rank, world).span(items) for rank in range(world)]
    assert [i for span in spans for i in span] == list(range(items))
    assert max(map(len, spans)) - min(map(len, spans)) <= 1


@pytest.mark.slow
def test_two_processes_have_the_joint_batch_s_loss_gradient_and_dev(joint: tuple[Path, Tensors, str]) -> None:
    folder, tensors, _ = joint
    results = [load_file(folder / f"result-{rank}.safetensors") for rank in range(2)]
    for loss in ("triplet", "infonce"):
        step = build_step(folder, loss)
        whole = measured(step, part_of_batch(tensors, slice(0, BATCH)))
        assert sum(name.startswith("model.") for name in whole) > 20
        for rank in range(2):
            for name, value in whole.items():
                torch.testing.assert_close(results[rank][f"{loss}.{name}"], value, rtol=1e-3, atol=1e-5, msg=f"{name}")
    alone = dev_metrics(step.model, read_split(folder, "dev"), None, TrainSettings(dev_images=5))
    assert [float(part["rsum"]) for part in results] == pytest.approx([alone.rsum] * 2)


def test_shards_are_the_whole_without_overlap() -> None:
    def epoch_of(shard: ProcessShard) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]:
        generator = torch.Generator().manual_seed(5)
        common = shard.common(generator)
        batches = shard.of(shuffle_batches(21, 3, generator), generator)
        return batches, torch.rand(4, generator=generator), torch.rand(4, generator=common)

    whole, drawn, _ = epoch_of(ProcessShard())
    shards = [epoch_of(ProcessShard(index, 2)) for index in range(2)]
    assert [len(batches) for batches, *_ in shards] == [ProcessShard(0, 2).count(len(whole))] * 2 == [3, 3]
    together = torch.stack([batch for pair in zip(shards[0][0], shards[1][0], strict=True) for batch in pair])
    assert together.equal(torch.stack(whole[:6]))
    assert not shards[0][1].equal(shards[1][1])
    assert not shards[0][1].equal(drawn)
    assert shards[0][2].equal(shards[1][2])  # what must be drawn alike
    alone = torch.Generator()
    assert ProcessShard().common(alone) is alone


@pytest.mark.slow
def test_two_processes_train_one_model(joint: tuple[Path, Tensors, str]) -> None:
    folder, _, printed = joint
    rows = read_epochs(folder / "run")
    assert [row["epoch"] for row in rows] == [1, 2]
    assert rows[1]["align"] < rows[0]["align"]
    assert printed.count("Best rSum on dev") == 1
    assert load_model(folder / "run" / "best").grid == (10, 10)
