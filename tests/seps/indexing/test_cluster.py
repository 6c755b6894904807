import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from PIL import Image

from seps.indexing import cluster
from seps.indexing.command import index_folder
from seps.models.hub import load_model
from seps.search.store import GalleryStore

ROOT = Path(__file__).parents[3]
PATIENCE = 600  # seconds
ON_TWO_NODES = """
import os, signal, sys, threading, time
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
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
        time.sleep(0.02)

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
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
    for number in range(40):
        Image.new("RGB", (9, 9), (6 * number, 0, 0)).save(folder / f"{number:02}.png")
    (folder / "words.png").write_text("no photograph")
    return folder


@pytest.mark.slow
def test_two_nodes_index_as_one_process_does_if_a_worker_is_killed(saved: Path, folder: Path, tmp_path: Path) -> None:
    uri = tmp_path / "table.lance"
    command = [sys.executable, "-c", ON_TWO_NODES, str(folder), "--to", str(uri), "--model", str(saved)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr[-2000:]
    assert [line for line in result.stdout.splitlines() if "(raylet)" not in line] == [  # reports the worker
        "one worker killed",
        "40 encoded, 0 kept, 0 moved, 0 removed, 1 left out.",
        "2 nodes",
    ]
    assert f"Left out: {folder / 'words.png'} cannot be read" in result.stderr
    model = load_model(saved)
    index_folder(model, folder, str(tmp_path / "here.lance"))
    stored, expected = (GalleryStore.read(tmp_path / name) for name in ("table.lance", "here.lance"))
    assert {path: facts for path, (_, facts) in stored.files().items()} == {
        path: facts for path, (_, facts) in expected.files().items()
    }
    paths = sorted(stored.files())
    here, there = (store.embeddings([store.files()[path][0] for path in paths]) for store in (expected, stored))
    torch.testing.assert_close(there, here)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1:{closed}", "Connection refused"),
        ("127.0.0.1:{silent}", "no answer within 2 seconds"),
    ],
)
def test_an_address_without_a_cluster_is_refused_soon(
    monkeypatch: pytest.MonkeyPatch, address: str, reason: str
) -> None:
    monkeypatch.setattr(cluster, "JOIN_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        given = address.format(silent=silent.getsockname()[1], closed=closed.getsockname()[1])
        with pytest.raises(ValueError, match=f"There is no Ray cluster at '{given}' .*{reason}.*: start one, or leave"):
            cluster.join_cluster(given)
