"""Memory and waiting under use: `make soak`.

Starts the app in a separate process and lets 50 people come and go, in turn with programs that call without a
session, until 3,000 calls are answered: pages opened, captions typed, photographs uploaded, rankings, explanations,
comparisons, pictures. Every 500 calls all of them wait until what was asked is answered and free memory has gone back
to the system: what the app then holds, it has kept. After the first 1,500 calls, by when what is remembered has filled,
both decoders run and the heaps have seen their busiest moment, that may rise by 60 MB at most (35 kB a call), else the
exit status is 1. The app keeps the data of closed sessions, up to 300 of them: here 40, so that this limit, too, is
reached before memory is compared. Resident memory under way, including pending answers of 50 people, is sampled,
plotted and reported. All traffic stays on this machine. Linux only: memory is read from /proc.
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
from collections import Counter
from collections.abc import Awaitable
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from matplotlib.figure import Figure
from PIL import Image
from tqdm import tqdm

from demo.server.memory import EVERY

ROOT = Path(__file__).resolve().parents[2]
CALLS, PEOPLE, PAUSE = 3000, 50, 500  # calls, people, calls between two rests
GRADIOS = "vibe_edit_history"  # which Gradio writes where it is imported before app.py names a folder, as here
SESSIONS = 40  # kept by the app; 25 of the 50 people have one
WARM, MAX_RISE = 1500, 60.0  # calls after which memory is compared, MB by which it may rise
REST = 2 * EVERY + 1  # seconds, in which the app returns what is free
WORDS = ("a", "two", "red", "small", "dog", "cat", "rocket", "flower", "coffee", "cup", "on", "near", "grass", "table")
ITEMS = ("examples/cat", "examples/coffee", "examples/motorcycle", "examples/rocket")


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

    async def leave(self) -> None:
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


def resident(process: int) -> float:
    """Resident memory of a process and its children, in MB."""
    total = 0.0
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for number in (process, *map(int, children)):
        for line in Path(f"/proc/{number}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                total += int(line.split()[1]) / 1024
    return total


class Rests:
    """Lets everybody wait, now and then, until nothing is under way, and notes the memory that the app then holds.

    Attributes:
        samples: (calls answered, MB) of each rest.
    """

    def __init__(self, process: int) -> None:
        self.process = process
        self.samples: list[tuple[int, float]] = []
        self.under_way = 0
        self.going, self.idle = asyncio.Event(), asyncio.Event()
        self.going.set()

    async def do(self, action: Awaitable[str]) -> tuple[str, float]:
        """Do something when nobody rests; returns what, and the seconds that it took."""
        await self.going.wait()
        started = time.perf_counter()
        self.under_way += 1
        self.idle.clear()
        try:
            return await action, time.perf_counter() - started
        finally:
            self.under_way -= 1
            if not self.under_way:
                self.idle.set()

    async def rest(self, calls: int) -> None:
        """Wait for all that is under way, then for the app, and note its memory."""
        self.going.clear()
        await self.idle.wait()
        await asyncio.sleep(REST)
        self.samples.append((calls, resident(self.process)))
        self.going.set()


async def soak(
    address: str, process: int, calls: int
) -> tuple[list[tuple[int, float]], list[tuple[int, float]], dict[str, list[float]]]:
    """Let people come and go.

    Returns:
        (calls answered, MB) under way; the same at rest; and the seconds that each kind of call took.
    """
    samples: list[tuple[int, float]] = []
    seconds: dict[str, list[float]] = {}
    seeds = iter(range(10**9))
    limits = httpx.Limits(max_connections=400, keepalive_expiry=1)  # the server closes after 5 s
    rests = Rests(process)
    async with httpx.AsyncClient(base_url=address, timeout=300, limits=limits) as client:
        started = await client.post("/gradio_api/run/page_start", json={"data": []})
        page_calls = started.raise_for_status().json()["data"][0]["calls"]
        with tqdm(total=calls, desc="Calls") as bar:

            async def live() -> None:
                while bar.n < calls:
                    seed = next(seeds)
                    person = Person(client, page_calls, seed, has_session=seed % 2 == 0)
                    await person.come()
                    for _ in range(person.draw.randrange(3, 12)):
                        kind, took = await rests.do(person.act())
                        seconds.setdefault(kind, []).append(took)
                        bar.update()
                        if bar.n % 10 == 0:
                            samples.append((int(bar.n), resident(process)))
                    await person.leave()

            async def pause() -> None:
                for count in range(PAUSE, calls, PAUSE):
                    while bar.n < count:
                        await asyncio.sleep(0.1)
                    await rests.rest(count)

            await asyncio.gather(pause(), *(live() for _ in range(PEOPLE)))
            await rests.rest(int(bar.n))
    return samples, rests.samples, seconds


def plot(samples: list[tuple[int, float]], rests: list[tuple[int, float]], file: Path) -> None:
    """Write memory over calls as a picture, under way and at rest."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="calls answered", ylabel="resident memory (MB)", ylim=(0, None))
    axes.plot(*zip(*samples, strict=True), label="under way")
    axes.plot(*zip(*rests, strict=True), "o-", label="at rest")
    axes.legend()
    axes.set_ylim(0, 1.1 * max(memory for _, memory in samples))
    figure.savefig(file, dpi=110)


def main() -> int:
    """Run the program; returns its exit status."""
    parser = argparse.ArgumentParser(description="Watch the app's memory while 50 people use it.")
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--plot", type=Path, default=Path(tempfile.gettempdir()) / "soak.png", metavar="PNG")
    options = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {"GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_SERVER_NAME": "127.0.0.1"}
    code = "import app; from demo.server import sessions; sessions.MAX_SESSIONS = {}; raise SystemExit(app.main())"
    command = [sys.executable, "-c", code.format(SESSIONS), "--no-fetch", "--port", str(port)]
    with tempfile.TemporaryDirectory() as uploads:
        app = subprocess.Popen(command, cwd=ROOT, env=environment | {"GRADIO_TEMP_DIR": uploads})
        try:
            while app.poll() is None:
                try:
                    httpx.get(f"{address}/config").raise_for_status()
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            samples, rests, seconds = asyncio.run(soak(address, app.pid, options.calls))
        finally:
            app.terminate()
            app.wait(timeout=30)
        left = [str(path) for path in Path(uploads).rglob("*") if path.name != GRADIOS]
    plot(samples, rests, options.plot)
    kept = [(count, memory) for count, memory in rests if count >= WARM] or rests[-1:]
    most = max(memory for _, memory in kept)
    rise = most - kept[0][1]
    print(
        f"{samples[-1][0]} calls: {samples[0][1]:.0f} MB at the start; at rest {rests[0][1]:.0f} MB after "
        f"{rests[0][0]} calls, {kept[0][1]:.0f} MB after {kept[0][0]} and {most:.0f} MB at most since, "
        f"rise {rise:.0f} MB of {MAX_RISE:.0f}; under way "
        f"{statistics.median(memory for _, memory in samples):.0f} MB in the median, "
        f"{max(memory for _, memory in samples):.0f} MB for a moment"
    )
    for kind, count in Counter({kind: len(times) for kind, times in seconds.items()}).most_common():
        times = sorted(seconds[kind])
        print(
            f"  {kind:14} {count:5} times, p50 {statistics.median(times):.2f} s, p95 {times[int(0.95 * count)]:.2f} s"
        )
    print(f"At rest: {', '.join(f'{memory:.0f} MB after {count}' for count, memory in rests)}")
    print(f"Files left after the stop: {len(left)}; its exit status: {app.returncode}. Plot: {options.plot}")
    print("\n".join(left[:20]))
    return int(rise > MAX_RISE or bool(left))


if __name__ == "__main__":
    sys.exit(main())
