"""How the app is stopped while it opens; `test_proxy` sees the worked example and then the app in its place."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo.browser.conftest import ROOT, free_port
from tests.demo.galleries.test_worker import heed_interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_stopped_while_it_opens(tmp_path: Path, number: signal.Signals) -> None:
    port = free_port()
    environment = {**os.environ, "GRADIO_TEMP_DIR": str(tmp_path)}
    command = [sys.executable, "app.py", "--no-fetch", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as app:
        assert app.stdout is not None
        assert f":{port}" in app.stdout.readline()
        assert len(list(tmp_path.iterdir())) == 1
        app.send_signal(number)
        assert app.wait(timeout=60) == 0
    assert list(tmp_path.iterdir()) == []
