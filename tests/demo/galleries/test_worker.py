import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from PIL import Image

from demo.galleries.reading import worker
from demo.galleries.reading.decoding import PhotoError, decode
from demo.galleries.reading.processes import ROOT, Worker
from demo.galleries.reading.worker import Decoders
from tests.demo.galleries.conftest import record_workers
from tests.helpers.pictures.odd_photos import saved

NAME = 'The photo "a"'
SMALL = saved(Image.new("RGB", (6, 4), "red"), "PNG")
SLOW = saved(Image.new("1", (4_000, 4_000)), "PNG")  # a tenth of a second
LARGE = saved(Image.new("1", (7_900, 7_900)), "PNG")  # a quarter of a gigabyte


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    return record_workers(worker, monkeypatch)


@pytest.fixture
def make(started: list[Worker]) -> Iterator[Callable[..., Decoders]]:
    """Makes decoders that end with the test."""
    made = []

    def decoders(**options: Any) -> Decoders:
        made.append(Decoders(**options))
        return made[-1]

    yield decoders
    for each in made:
        each.close()
    assert all(process.returncode is not None for process in started)


def test_gives_and_refuses_what_decoding_here_does(make: Callable[..., Decoders], started: list[Worker]) -> None:
    noise = Image.effect_noise((40, 30), 60)
    sent = [
        saved(Image.merge("RGB", [noise, noise.rotate(180), noise]).resize((3_000, 20)), "JPEG"),
        saved(Image.merge("RGBA", [noise] * 4), "PNG"),
        saved(noise.convert("I").point(lambda value: value * 257), "TIFF"),
    ]
    decoders = make()
    for content in sent:
        here, there = decode(content, NAME), decoders.decode(content, NAME)
        assert (there.mode, there.size, there.tobytes()) == (here.mode, here.size, here.tobytes())
    for content in (b"words", b"", SMALL[:50]):
        with pytest.raises(PhotoError) as refused:
            decode(content, NAME)
        with pytest.raises(PhotoError, match=f"^{re.escape(str(refused.value))}$"):
            decoders.decode(content, NAME)
    assert decoders.decode(SMALL, NAME).size == (6, 4)
    assert len(started) == 1


def test_what_takes_too_long_is_refused_and_the_next_one_is_read(make: Callable[..., Decoders]) -> None:
    decoders = make(seconds=0.02)
    with pytest.raises(PhotoError, match=r'The photo "a" takes longer than 0\.02 s to decode'):
        decoders.decode(SLOW, NAME)
    decoders.seconds = 60.0
    assert decoders.decode(SMALL, NAME).size == (6, 4)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound a process's memory")
def test_what_takes_too_much_memory_is_refused_and_the_next_one_is_read(make: Callable[..., Decoders]) -> None:
    decoders = make(memory=200 * 2**20)
    with pytest.raises(PhotoError, match='The photo "a" needs too much memory to decode'):
        decoders.decode(LARGE, NAME)
    assert decoders.decode(SMALL, NAME).size == (6, 4)


def test_a_crash_is_told_and_the_next_photo_is_read(
    make: Callable[..., Decoders], started: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    decoders = make()
    ask = worker._asked

    def crashed(process: Worker, *args: Any) -> tuple[bytes, bytes]:
        process.send_signal(signal.SIGSEGV)
        return ask(process, *args)

    monkeypatch.setattr(worker, "_asked", crashed)
    with pytest.raises(PhotoError, match='The photo "a" makes its decoder fail'):
        decoders.decode(SMALL, NAME)
    monkeypatch.setattr(worker, "_asked", ask)
    assert decoders.decode(SMALL, NAME).size == (6, 4)
    assert [process.returncode for process in started] == [-signal.SIGSEGV, None]


@pytest.mark.parametrize("program", ["/nowhere/python", shutil.which("false")])
def test_a_process_that_does_not_start_is_told(
    make: Callable[..., Decoders], program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoders = make(processes=1, patience=0.01)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", program)
        for _ in range(2):
            with pytest.raises(PhotoError, match=r'^The photo "a" cannot be decoded now, for its decoder does not st'):
                decoders.decode(SMALL, NAME)
    assert decoders.decode(SMALL, NAME).size == (6, 4)


def test_a_photo_waits_for_others_but_not_for_ever(
    make: Callable[..., Decoders], started: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    came, go_on, ask = Event(), Event(), worker._asked

    def held(*args: Any) -> tuple[bytes, bytes]:
        came.set()
        assert go_on.wait(10)
        return ask(*args)

    monkeypatch.setattr(worker, "_asked", held)
    decoders = make(processes=1, patience=0.02)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(decoders.decode, SMALL, NAME)
        assert came.wait(10)
        with pytest.raises(PhotoError, match=r'The photo "b" has waited 0\.02 s for other photos'):
            decoders.decode(SMALL, 'The photo "b"')
        go_on.set()
        assert first.result(10).size == (6, 4)
    assert decoders.decode(SMALL, 'The photo "b"').size == (6, 4)
    assert len(started) == 1


SCRIPT = """
import sys, time
from demo.galleries.reading.worker import decoders
try:
    print(decoders.decode(bytes.fromhex(sys.argv[1]), "A photo").size, flush=True)
    while True:
        time.sleep(0.02)  # unlike signal.pause, which waits for ever where the signal comes just before it
except KeyboardInterrupt:
    pass
"""


def heed_interrupts() -> None:
    """Heed SIGINT even where the tests themselves run in the background, where shells have it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_the_app(end: int) -> None:
    command = [sys.executable, "-c", SCRIPT, SMALL.hex()]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, cwd=ROOT, start_new_session=True, preexec_fn=heed_interrupts
    ) as app:
        assert app.stdout is not None
        assert app.stdout.readline() == b"(6, 4)\n"
        os.killpg(app.pid, end)  # as Ctrl-C does, to all of a terminal's processes
        # the decoder's errors go where the app's go: that pipe ends when both have ended
        assert app.communicate(timeout=10) == (b"", b"")
    assert app.returncode == (0 if end == signal.SIGINT else -end)


def test_the_process_imports_none_of_the_app_s_libraries() -> None:
    script = "import sys, demo.galleries.reading.worker; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    imported = set(result.stdout.split())
    assert {"PIL", "demo", "seps.media.photos"} <= imported
    assert not imported & {"torch", "numpy", "gradio", "transformers", "timm", "safetensors"}
