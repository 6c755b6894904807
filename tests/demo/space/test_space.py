import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from gradio_client import Client  # type: ignore[import-untyped]
from huggingface_hub import SpaceCard

from demo.space.__main__ import main
from demo.space.check import check_start, started
from demo.space.write import ATTRIBUTES, MARK, MAX_BYTES, ROOT, check_files, requirements, space_card, write_space

ZERO_GPU = ("2.8.0", "2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0")  # PyTorch, and below Python, as its page lists
ZERO_GPU_PYTHON = ("3.10.13", "3.12.12")


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space") / "space"
    write_space(folder)
    return folder


def test_the_folder_holds_the_app_and_nothing_beside_it(space: Path) -> None:
    files = {file.relative_to(space).as_posix() for file in space.rglob("*") if file.is_file()}
    assert {"app.py", "demo/page/server.py", "seps/method/network.py", "demo/galleries/reading/worker.py"} <= files
    assert {path.partition("/")[0] for path in files} == {
        *("app.py", "assets", "demo", "seps", "LICENSE"),
        *(ATTRIBUTES, "README.md", "packages.txt", "requirements.txt"),
    }
    beside = ("tests", ".ci", "__pycache__", "notebooks", "/static/offline.js", "demo/static", "demo/space")
    assert not [path for path in files if any(part in path for part in beside)]


def test_what_is_no_text_is_stored_as_a_large_file(space: Path) -> None:
    lines = (space / ATTRIBUTES).read_text().removeprefix(MARK).splitlines()
    patterns = [line.removesuffix(" filter=lfs diff=lfs merge=lfs -text") for line in lines]
    assert {"*.safetensors", "*.gif", "*.webm", "*.png", "*.jpg"} <= set(patterns)
    assert not {"*.py", "*.json", "*.md", "*.js"} & set(patterns)
    for file in space.rglob("*"):
        if file.is_file() and not any(fnmatchcase(file.name, pattern) for pattern in patterns):
            assert len(file.read_text(encoding="utf-8").encode()) <= MAX_BYTES, file


def test_files_that_the_hub_refuses_are_named(tmp_path: Path) -> None:
    attributes = tmp_path / ATTRIBUTES
    attributes.write_text("*.png filter=lfs diff=lfs merge=lfs -text\n")
    for name, content, message in (
        ("large.json", b" " * (MAX_BYTES + 1), "large.json has 10.0 MB"),
        ("weights.bin", b"\0" * 10, "weights.bin is no text"),
        (
            "photo.png",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "photo.png is a Git LFS pointer, a few lines of text in place",
        ),
    ):
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(message)):
            check_files(tmp_path)
        file.unlink()
    (tmp_path / "photo.png").write_bytes(b"\0" * (MAX_BYTES + 1))
    check_files(tmp_path)


def test_the_card_configures_the_space(space: Path) -> None:
    card = (space / "README.md").read_text(encoding="utf-8")
    values = SpaceCard(card).data.to_dict()
    lines = (ROOT / "requirements.txt").read_text().split()
    assert (values["sdk"], values["app_file"], values["license"]) == ("gradio", "app.py", "mit")
    assert values["python_version"] in ZERO_GPU_PYTHON
    assert len(str(values["short_description"])) <= 60
    installed = (space / "requirements.txt").read_text().split()
    assert f"gradio=={values['sdk_version']}" in installed
    torch, torchvision = (
        next(line for line in installed if line.startswith(f"{name}==")) for name in ("torch", "torchvision")
    )
    assert torch.removeprefix("torch==") in ZERO_GPU
    assert int(torch.split(".")[1]) + 15 == int(torchvision.split(".")[1])  # releases that belong together
    assert [re.split("[<>=]", line)[0] for line in installed] == [re.split("[<>=]", line)[0] for line in lines]
    assert "\n## " not in card
    for path in re.findall(r"\]\((?!http)([^)]+)\)", card):
        assert (space / path).is_file(), path


def test_a_card_without_a_version_of_gradio_is_refused() -> None:
    card = space_card("---\nsdk: gradio\n---\n\n# Title\n\n[other](OTHER.md)\n\nText.\n\n## Start\n")
    assert card == "---\nsdk: gradio\n---\n\n# Title\n\nText.\n"
    with pytest.raises(ValueError, match=r"README\.md has no line sdk_version"):
        requirements("torch>=2.10\n", card)


def test_only_a_folder_of_ours_is_written_anew(space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("others").mkdir()
    Path("others", "holiday.jpg").touch()
    for name in ("clone", "ours"):
        Path(name).mkdir()
        shutil.copy(space / ATTRIBUTES, name)
        Path(name, "app.py").write_text("old")
    Path("clone", ".git").mkdir()
    for folder, message in (
        ("file", "file is a file: name a folder"),
        ("others", "others holds other files"),
        ("clone", "clone holds other files"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            write_space(Path(folder))
    assert Path("others", "holiday.jpg").exists() and Path("clone", "app.py").exists()
    assert main(["ours", "--no-start"]) == 0
    assert Path("ours", "app.py").read_bytes() == (ROOT / "app.py").read_bytes()


def test_an_app_that_does_not_start_is_told(tmp_path: Path) -> None:
    app = tmp_path / "space" / "app.py"
    app.parent.mkdir()
    for source, message in (
        ("raise SystemExit('error: no weights')", "The Space's app.py ended with exit code 1"),
        ("import time; time.sleep(60)", "The Space's page did not answer within 0.5 seconds"),
    ):
        app.write_text(source)
        with pytest.raises(ValueError, match=re.escape(message)):
            check_start(app.parent, patience=0.5 if "sleep" in source else 60.0)


FIRST = """
import sys, threading
others = {"gradio", "torch"} & set(sys.modules)
first = not others and threading.current_thread() is threading.main_thread()
print("first" if first else f"after {others}", flush=True)
raise SystemExit(0)
"""


def test_spaces_is_imported_first_and_in_the_main_thread(tmp_path: Path) -> None:
    (tmp_path / "spaces.py").write_text(FIRST)
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    app = subprocess.run(
        [sys.executable, str(ROOT / "app.py"), "--no-fetch"],
        env=os.environ | {"PYTHONPATH": paths, "SPACES_ZERO_GPU": "true"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert app.returncode == 0 and "first" in app.stdout.splitlines(), app.stdout + app.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("zero_gpu", [False, True])
def test_the_app_starts_and_answers(space: Path, zero_gpu: bool) -> None:
    with started(space, zero_gpu=zero_gpu) as address:
        client = Client(address, verbose=False)
        photo = (None, "examples/motorcycle")
        assert client.predict("a motorcycle parked indoors", "", "examples", api_name="/rank_images")["ranking"]
        assert 0 <= client.predict(*photo, "a motorcycle", api_name="/judge")["quality"]["final"] <= 1
        if zero_gpu:  # on CPUs these run as in every other app
            assert client.predict("a red car", "", "scenes", api_name="/rank_images")["ranking"]
            assert client.predict(None, "scenes/0", "a red car", "", api_name="/explain")["similarity"]
            assert client.predict("a red car", 10, 0, 8.0, "png", api_name="/generate")[0]["rank"] >= 1
            assert client.predict(*photo, api_name="/caption_image")["captions"]
        client.close()
