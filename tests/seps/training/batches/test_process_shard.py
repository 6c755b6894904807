import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from seps.models.hub import load_model
from seps.runs.run_log import read_epochs
from seps.training.batches.samplers import ProcessShard, shuffle_batches
from tests.helpers.data.drawn import WORDS, draw_split
from tests.helpers.models.tiny import tiny_settings, write_tiny_bert


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
def test_two_processes_train_one_model(tmp_path: Path) -> None:
    draw_split(tmp_path, "train", 16, seed=1)
    draw_split(tmp_path, "dev", 4, seed=2)
    settings = tiny_settings(write_tiny_bert(tmp_path / "bert", WORDS))
    training = {
        "epochs": 2,
        "batch_size": 8,
        "learning_rate": 2e-3,
        "augment": False,
        "join_captions": True,
    }
    (tmp_path / "recipe.json").write_text(json.dumps(settings | {"training": training}))
    out = tmp_path / "run"
    launch = ["torch.distributed.run", "--nproc_per_node", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint"]
    program = ["localhost:0", "-m", "seps.train", str(tmp_path / "recipe.json")]
    options = ["--data", str(tmp_path), "--out", str(out), "--workers", "0"]
    root = Path(__file__).parents[4]
    process = subprocess.run(
        [sys.executable, "-m", *launch, *program, *options],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root), "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    rows = read_epochs(out)
    assert [row["epoch"] for row in rows] == [1, 2]
    assert rows[1]["align"] < rows[0]["align"]
    assert process.stdout.count("Best rSum on dev") == 1
    assert load_model(out / "best").grid == (10, 10)
