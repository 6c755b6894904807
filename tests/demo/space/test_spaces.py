"""The package `spaces` is imported first, as Spaces need it, and the app runs under ZeroGPU's patches of PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gradio_client import Client  # type: ignore[import-untyped]

from demo.space.check import STUB, check_start, started
from demo.space.write import ROOT, write_space

FIRST = """
import sys, threading
others = {"gradio", "torch"} & set(sys.modules)
first = not others and threading.current_thread() is threading.main_thread()
print("first" if first else f"after {others}", flush=True)
raise SystemExit(0)
"""


@pytest.mark.parametrize("zero_gpu", ["", "true"])
def test_spaces_is_imported_first_and_in_the_main_thread(tmp_path: Path, zero_gpu: str) -> None:
    (tmp_path / "spaces.py").write_text(FIRST)
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    app = subprocess.run(
        [sys.executable, str(ROOT / "app.py"), "--no-fetch"],
        env=os.environ | {"PYTHONPATH": paths, "SPACES_ZERO_GPU": zero_gpu},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert app.returncode == 0 and "first" in app.stdout.splitlines(), app.stdout + app.stderr


def test_the_stand_in_refuses_what_the_package_refuses(tmp_path: Path) -> None:
    (tmp_path / "spaces").mkdir()
    (tmp_path / "spaces" / "__init__.py").write_bytes(STUB.read_bytes())
    for before, reason in (
        ("import types, sys; sys.modules['gradio'] = types.ModuleType('gradio')", "gradio is only partly imported"),
        ("import torch", "before torch"),
    ):
        tried = subprocess.run(
            [sys.executable, "-c", f"{before}\nimport spaces"],
            env=os.environ | {"PYTHONPATH": str(tmp_path), "SPACES_ZERO_GPU": "true"},
            capture_output=True,
            text=True,
        )
        assert tried.returncode == 1 and reason in tried.stderr


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space") / "space"
    write_space(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("zero_gpu", [False, True])
@pytest.mark.parametrize("attempt", range(4))
def test_the_app_starts_each_time(space: Path, attempt: int, zero_gpu: bool) -> None:
    assert check_start(space, zero_gpu=zero_gpu) > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("zero_gpu", [False, True])
def test_the_app_starts_and_answers(space: Path, zero_gpu: bool) -> None:
    with started(space, zero_gpu=zero_gpu) as address:
        client = Client(address, verbose=False)
        scene, photo = (None, "scenes/0"), (None, "examples/motorcycle")
        assert client.predict("a motorcycle parked indoors", "", "examples", api_name="/rank_images")["ranking"]
        assert client.predict("a red car", "", "scenes", api_name="/rank_images")["ranking"]
        assert client.predict(*scene, "a red car", "", api_name="/explain")["similarity"]
        assert 0 <= client.predict(*photo, "a motorcycle", api_name="/judge")["quality"]["final"] <= 1
        assert client.predict("a red car", 10, 0, 8.0, "png", api_name="/generate")[0]["rank"] >= 1
        assert client.predict(*photo, api_name="/caption_image")["captions"]
        client.close()
