import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from seps.indexing import cluster
from seps.indexing.command import index_folder
from seps.models.hub import load_model
from seps.search.store import GalleryStore
from tests.seps.indexing.test_ahead import table

ROOT = Path(__file__).parents[3]
PATIENCE = 600  # seconds
ON_TWO_NODES = """
import os, signal, sys, threading, time
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from seps.indexing import cluster as on_cluster
from seps.indexing.command import main

def kill_a_worker():
    while True:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                title = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if title.startswith(b"ray::") and b"Encoder" in title:
                os.kill(int(process.name), signal.SIGKILL)
                print("one worker killed", flush=True)
                return
        time.sleep(0.1)

on_cluster.BATCH = 4
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
threading.Thread(target=kill_a_worker, daemon=True).start()
code = main([*sys.argv[1:], "--ray", cluster.address])
print(len(ray.nodes()), "nodes")
ray.shutdown()
cluster.shutdown()
sys.exit(code)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(7):
        Image.new("RGB", (9, 9), (30 * number, 0, 0)).save(folder / f"{number}.png")
    (folder / "words.png").write_text("no photograph")
    return folder


def test_a_worker_encodes_what_can_be_read(saved: Path, folder: Path) -> None:
    files = [folder / name for name in ("3.png", "words.png", "5.png")]
    encoded = cluster.Encoder(str(saved))({"number": np.arange(3), "file": np.array(list(map(str, files)))})
    photos = [Image.open(files[i]) for i in (0, 2)]
    torch.testing.assert_close(torch.from_numpy(encoded["embeddings"][::2]), load_model(saved).encode_photos(photos))
    assert not encoded["embeddings"][1].any()
    assert encoded["error"][0] == encoded["error"][2] == ""
    assert encoded["error"][1].startswith(f"{files[1]} cannot be read")
    assert encoded["number"].tolist() == [0, 1, 2]


@pytest.mark.slow
def test_two_nodes_index_as_one_process_does_if_a_worker_is_killed(saved: Path, folder: Path, tmp_path: Path) -> None:
    there, here = tmp_path / "table.lance", tmp_path / "here.lance"
    command = [sys.executable, "-c", ON_TWO_NODES, str(folder), "--to", str(there), "--model", str(saved)]
    environment = os.environ | {"RAY_worker_niceness": "0"}  # else a busy machine keeps workers waiting
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert result.returncode == 0, result.stderr[-2000:]
    assert [line for line in result.stdout.splitlines() if "(raylet)" not in line] == [  # reports the worker
        "one worker killed",
        "7 encoded, 0 kept, 0 moved, 0 removed, 1 left out.",
        "2 nodes",
    ]
    assert f"Left out: {folder / 'words.png'} cannot be read" in result.stderr
    index_folder(load_model(saved), folder, str(here))
    files = [{path: facts for path, (_, facts) in GalleryStore.read(uri).files().items()} for uri in (there, here)]
    assert files[0] == files[1]
    torch.testing.assert_close(table(there), table(here))


@pytest.mark.parametrize(
    ("address", "reason"),
    [("127.0.0.1:{closed}", "Connection refused"), ("127.0.0.1:{silent}", "no answer within 0.5 seconds")],
)
def test_an_address_without_a_cluster_is_refused_soon(
    monkeypatch: pytest.MonkeyPatch, address: str, reason: str
) -> None:
    monkeypatch.setattr(cluster, "JOIN_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        given = address.format(silent=silent.getsockname()[1], closed=closed.getsockname()[1])
        with pytest.raises(ValueError, match=f"There is no Ray cluster at '{given}' .*{reason}.*: start one, or leave"):
            cluster.join_cluster(given)
