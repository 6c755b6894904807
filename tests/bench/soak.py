"""Memory and waiting under use: `make soak`.

Starts the app in a separate process and lets 50 people come and go, in turn with programs that call without a session,
until 3,000 calls are answered: pages opened, captions typed, photographs uploaded, rankings, explanations, comparisons,
pictures. After every 500 calls all of them leave, and when the app has returned free memory to the system its memory is
noted. After the first 1,500 calls, when caches are full and both decoders run, it may rise by 60 MB at most (35 kB per
call), else the exit status is 1. The app keeps the data of closed sessions, up to 300 of them: here 40, so that this
limit is reached too. All traffic stays on this machine. Linux only: memory is read from /proc.
"""

import argparse
import asyncio
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from PIL import Image
from tqdm import tqdm

from demo.server.memory import EVERY
from tests.bench.timing import process_bytes

ROOT = Path(__file__).resolve().parents[2]
CALLS, PEOPLE, PAUSE = 3000, 50, 500  # calls, people, calls between two rests
GRADIOS = "vibe_edit_history"  # which Gradio writes where it is imported before app.py names a folder, as here
SESSIONS = 40  # kept by the app; 25 of the 50 people have one
WARM, MAX_RISE = 1500, 60.0  # calls after which memory is compared, MB by which it may rise
REST = 2 * EVERY + 1  # seconds, in which the app returns what is free
WORDS = ("a", "two", "red", "small", "dog", "cat", "rocket", "flower", "coffee", "cup", "on", "near", "grass", "table")
ITEMS = ("examples/cat", "examples/coffee", "examples/motorcycle", "examples/rocket")
APP = f"import app; from demo.server import sessions; sessions.MAX_SESSIONS = {SESSIONS}; raise SystemExit(app.main())"


class Person:
    """One who calls: with a session and a heartbeat as a page has, or without."""

    def __init__(self, client: httpx.AsyncClient, calls: dict[str, Any], seed: int, has_session: bool) -> None:
        self.client, self.calls = client, calls
        self.draw = random.Random(seed)
        self.session = f"soak{seed}" if has_session else None
        self.heartbeat: asyncio.Task[None] | None = None

    async def come(self) -> None:
        """Open the page."""
        if self.session is not None:
            self.heartbeat = asyncio.create_task(self._beat())
            (await self.client.get("/")).raise_for_status()
            await self._ask("start")
            await self._ask("gallery", gallery="examples")

    def leave(self) -> None:
        """Close the page."""
        if self.heartbeat is not None:
            self.heartbeat.cancel()

    async def act(self) -> str:
        """Do something; returns what."""
        kind = self.draw.choice(
            ["rank_images"] * 5
            + ["explain", "explain", "rank_captions", "compare", "picture", "upload"]
            + (["type"] * 6 + ["photos"] if self.session else [])
        )
        caption, item = self._caption(), self.draw.choice(ITEMS)
        if kind == "type":
            await self._type(caption)
        elif kind == "photos":
            photos = [{"path": await self._upload(), "meta": {"_type": "gradio.FileData"}}]
            facts = await self._ask("photos", photos=photos)
            await self._ask("explain", gallery=facts["name"], index=0, caption=caption)
        elif kind == "upload":
            await self._call("explain", [{"path": await self._upload()}, "", caption, ""])
        elif kind == "picture":
            await self._call(kind, [None, item, caption, "", self.draw.choice(["mask", "score", "word:1"]), "png"])
        else:
            calls: dict[str, list[Any]] = {
                "rank_images": [caption, "", "examples"],
                "rank_captions": [None, item, "examples", caption],
                "explain": [None, item, caption, ""],
                "compare": [None, item, f"{caption}\n{self._caption()}"],
            }
            await self._call(kind, calls[kind])
        return kind

    def _caption(self) -> str:
        return " ".join(self.draw.choices(WORDS, k=self.draw.randrange(4, 10)))

    async def _beat(self) -> None:
        async with self.client.stream("GET", f"/gradio_api/heartbeat/{self.session}") as stream:
            async for _ in stream.aiter_bytes():
                pass

    async def _upload(self) -> str:
        noise = np.random.default_rng(self.draw.randrange(10**6)).integers(0, 255, (300, 400, 3), dtype=np.uint8)
        stream = BytesIO()
        Image.fromarray(noise).resize((1200, 900)).save(stream, "JPEG")
        answer = await self.client.post("/gradio_api/upload", files={"files": ("photo.jpg", stream.getvalue())})
        return str(answer.raise_for_status().json()[0])

    async def _type(self, caption: str) -> None:
        """A caption typed on the page."""
        ranking = await self._ask("rank", gallery="examples", index=0, caption=caption)
        await self._ask("explain", gallery="examples", index=ranking["best"], caption=caption)

    async def _ask(self, name: str, **values: Any) -> dict[str, Any]:
        """Call an endpoint of the page; returns its answer."""
        sent = {"data": [values.get(each) for each in self.calls[name]["names"]], "session_hash": self.session}
        answer = await self.client.post(f"/gradio_api/run/page_{name}", json=sent)
        assert answer.is_success, answer.text[-500:]
        content: dict[str, Any] = answer.json()["data"][0]
        return content

    async def _call(self, endpoint: str, data: list[Any]) -> None:
        sent: dict[str, Any] = {"data": data}
        if self.session is not None:
            sent["session_hash"] = self.session
        answer = await self.client.post(f"/gradio_api/call/{endpoint}", json=sent)
        event = answer.raise_for_status().json()["event_id"]
        content = (await self.client.get(f"/gradio_api/call/{endpoint}/{event}")).text
        assert "event: complete" in content, content[-500:]
        if endpoint == "picture":
            path = content.partition('"path": "')[2].partition('"')[0]
            assert len((await self.client.get(f"/gradio_api/file={path}")).raise_for_status().content) > 10_000


def app_memory(process: int) -> float:
    """Resident memory of a process and its children, in MB."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return sum(process_bytes("VmRSS", each) for each in (str(process), *children)) / 2**20


async def soak(address: str, process: int, calls: int) -> tuple[list[tuple[int, float]], dict[str, list[float]]]:
    """Let people come and go.

    Returns:
        (calls answered, MB) at each rest, and the seconds of each call by its kind.
    """
    rests: list[tuple[int, float]] = []
    seconds: dict[str, list[float]] = {}
    seeds = count()
    limits = httpx.Limits(max_connections=400, keepalive_expiry=1)  # the server closes after 5 s
    async with httpx.AsyncClient(base_url=address, timeout=300, limits=limits) as client:
        started = await client.post("/gradio_api/run/page_start", json={"data": []})
        page_calls = started.raise_for_status().json()["data"][0]["calls"]
        with tqdm(total=calls, desc="Calls") as bar:

            async def live(until: int) -> None:
                while bar.n < until:
                    seed = next(seeds)
                    person = Person(client, page_calls, seed, has_session=seed % 2 == 0)
                    await person.come()
                    for _ in range(person.draw.randrange(3, 12)):
                        if bar.n >= until:
                            break
                        start = time.perf_counter()
                        kind = await person.act()
                        seconds.setdefault(kind, []).append(time.perf_counter() - start)
                        bar.update()
                    person.leave()

            while bar.n < calls:
                until = min(int(bar.n) + PAUSE, calls)
                await asyncio.gather(*(live(until) for _ in range(PEOPLE)))
                await asyncio.sleep(REST)
                rests.append((int(bar.n), app_memory(process)))
    return rests, seconds


def main() -> int:
    """Run the program; return its exit status."""
    parser = argparse.ArgumentParser(description="Watch the app's memory while 50 people use it.")
    parser.add_argument("--calls", type=int, default=CALLS)
    options = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {"GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_SERVER_NAME": "127.0.0.1"}
    with tempfile.TemporaryDirectory() as uploads:
        command = [sys.executable, "-c", APP, "--no-fetch", "--port", str(port)]
        app = subprocess.Popen(command, cwd=ROOT, env=environment | {"GRADIO_TEMP_DIR": uploads})
        try:
            while app.poll() is None:
                try:
                    httpx.get(f"{address}/config").raise_for_status()
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            rests, seconds = asyncio.run(soak(address, app.pid, options.calls))
        finally:
            app.terminate()
            app.wait(timeout=30)
        left = [str(path) for path in Path(uploads).rglob("*") if path.name != GRADIOS]
    warm = [memory for calls, memory in rests if calls >= WARM] or [rests[-1][1]]
    rise = max(warm) - warm[0]
    print(f"At rest: {', '.join(f'{memory:.0f} MB after {calls} calls' for calls, memory in rests)}")
    print(f"Rise after {WARM} calls: {rise:.0f} MB of {MAX_RISE:.0f}")
    for kind, times in sorted(seconds.items()):
        p95 = sorted(times)[int(0.95 * len(times))]
        print(f"  {kind:14} {len(times):5} times, p50 {statistics.median(times):.2f} s, p95 {p95:.2f} s")
    print(f"Files left after the stop: {len(left)}; its exit status: {app.returncode}")
    print("\n".join(left[:20]))
    return int(rise > MAX_RISE or bool(left))


if __name__ == "__main__":
    sys.exit(main())
