"""Galleries on disk at 1,000, 10,000, ... photographs, next to rivals, in one run: `make bench-scale`.

    python -m tests.bench.scale PHOTOS CAPTIONS --work FOLDER --json assets/guide/scale.json

PHOTOS is a folder of real photographs, CAPTIONS a text file with one a line. Where there are fewer photographs than a
size needs, more are made of them: a rectangle of one's patches (a quarter to three quarters of each side) replaces
another's, and normal noise of a tenth of the channel's standard deviation is added. Embeddings are kept in float16.

For each size: time and size of the index; a query in two stages for shortlists of 50 to 1,000, with the share of the
exact top 10 that is found; the same shortlist by Lance, by a flat scan with numpy and by FAISS HNSW; exact scores of
everything; and, in a fresh process, the time from its start to the first answer and its resident memory. A plot is
written next to the JSON file.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from seps import ScoringEngine, load_model
from seps.media.photos import open_image
from seps.models.model import SEPSModel
from seps.search.features import feature_key, pack_features, read_images
from seps.search.index import CaptionIndex
from seps.search.pooling import pooled_captions
from seps.search.schema import Layout
from seps.search.stages import rank_stored
from seps.search.store import FileFacts, GalleryStore, StoredPhoto
from tests.bench.timing import process_bytes

TOP = 10
SHORTLISTS = (50, 100, 200, 500, 1000)
COMMIT, BATCH = 256, 32  # photographs that are written, and encoded, at a time
JITTER = 0.1
SEARCHES = {"two_stages": "two stages", "lance": "Lance alone", "numpy": "flat scan with numpy", "faiss": "FAISS HNSW"}
PLOTTED = 200  # the shortlist of the plotted times
Floats = NDArray[np.float32]


def real_embeddings(model: SEPSModel, photos: Path, most: int, file: Path) -> NDArray[np.float16]:
    """Encode the first photographs of a folder, (V, N[+1], C), once: they stay in `file`."""
    if not file.exists():
        names = sorted(photos.iterdir())[:most]
        rows = []
        for start in tqdm(range(0, len(names), BATCH), desc="Encoding photographs", unit=f"{BATCH} photos"):
            batch = [open_image(name) for name in names[start : start + BATCH]]
            rows.append(model.encode_photos(batch).half().numpy())
        np.save(file, np.concatenate(rows))
    return np.load(file, mmap_mode="r")[:most]


def gallery_rows(real: NDArray[np.float16], count: int, grid: tuple[int, int]) -> Iterator[tuple[range, Tensor]]:
    """Give `count` photographs' embeddings, COMMIT at a time: the real ones, then mixtures of them."""
    rng = np.random.default_rng(0)
    spread = np.asarray(real[:: max(1, len(real) // 200)], dtype=np.float32).std(axis=(0, 1))  # (C,)
    for start in range(0, count, COMMIT):
        rows = range(start, min(start + COMMIT, count))
        batch = [
            np.asarray(real[i], dtype=np.float32) if i < len(real) else mixture(real, grid, spread, rng) for i in rows
        ]
        yield rows, torch.from_numpy(np.stack(batch))


def mixture(real: NDArray[np.float16], grid: tuple[int, int], spread: Floats, rng: np.random.Generator) -> Floats:
    """One photograph with a rectangle of another's patches, every number moved a little: (N, C)."""
    first, second = rng.choice(len(real), 2, replace=False)
    mixed, other = (np.array(real[i], dtype=np.float32).reshape(*grid, -1) for i in (first, second))
    height, width = (int(rng.integers(side // 4, 3 * side // 4 + 1)) for side in grid)
    top, left = int(rng.integers(0, grid[0] - height + 1)), int(rng.integers(0, grid[1] - width + 1))
    mixed[top : top + height, left : left + width] = other[top : top + height, left : left + width]
    flat = mixed.reshape(-1, mixed.shape[-1])
    return flat + JITTER * spread * rng.standard_normal(flat.shape, dtype=np.float32)


def build(
    engine: ScoringEngine, uri: Path, real: NDArray[np.float16], count: int, grid: tuple[int, int]
) -> dict[str, float]:
    """Write a table, and return the seconds of writing rows and of building the index, and its size in bytes."""
    layout = Layout("bench", real.shape[1], real.shape[2], "float16", feature_key(engine))
    shutil.rmtree(uri, ignore_errors=True)
    writing = 0.0
    with GalleryStore.write(uri, layout, features=partial(pack_features, engine)) as store:
        for rows, embeddings in gallery_rows(real, count, grid):
            started = time.perf_counter()
            facts = [FileFacts(f"{i:09}.jpg", 0, 0, str(i)) for i in rows]
            store.append([StoredPhoto(fact, values) for fact, values in zip(facts, embeddings, strict=True)])
            writing += time.perf_counter() - started
        started = time.perf_counter()
        store.tidy()
        tidying = time.perf_counter() - started
    size = sum(file.stat().st_size for file in uri.rglob("*") if file.is_file())
    return {"write_seconds": writing, "tidy_seconds": tidying, "bytes": float(size)}


def exact_scores(
    engine: ScoringEngine, store: GalleryStore, captions: CaptionIndex
) -> tuple[list[int], Tensor, Floats]:
    """Score everything: row ids (V,), S(I, T) (V, T), pooled vectors (V, C)."""
    rows = store.rows()
    scores, pooled = [], []
    for start in range(0, len(rows), COMMIT):
        part = rows[start : start + COMMIT]
        scores.append(engine.score(read_images(engine, store, part), captions))
        pooled.append(store.pooled(part))
    return rows, torch.cat(scores), torch.cat(pooled).numpy()


def timed(query: Callable[[int], Any], count: int) -> tuple[list[Any], dict[str, float]]:
    """Answers to queries 0 to count - 1; median and 95th percentile of their milliseconds."""
    query(0)
    answers, milliseconds = [], []
    for number in range(count):
        started = time.perf_counter()
        answers.append(query(number))
        milliseconds.append(1000 * (time.perf_counter() - started))
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return answers, {"p50_ms": float(p50), "p95_ms": float(p95)}


def fraction_of_top(answers: list[Any], best: list[set[int]]) -> float:
    """The mean share of the exact top TOP that answers hold."""
    return float(np.mean([len(top & set(map(int, rows))) / TOP for rows, top in zip(answers, best, strict=True)]))


def measure(
    model: SEPSModel, captions: list[str], real: NDArray[np.float16], count: int, work: Path, probes: int
) -> dict[str, Any]:
    """Measure a gallery of `count` photographs; `probes` captions are also scored against all, one at a time."""
    import faiss

    engine = ScoringEngine(model.cross_net)
    uri = work / f"{count}.lance"
    result: dict[str, Any] = {"photographs": count, "real": min(count, len(real))}
    result["table"] = build(engine, uri, real, count, model.grid)
    store = GalleryStore.read(uri)
    index = engine.encode_captions(*model.encode_captions(captions))
    rows, scores, pooled = exact_scores(engine, store, index)
    best = [{rows[i] for i in scores[:, t].topk(TOP).indices.tolist()} for t in range(len(captions))]
    queries = pooled_captions(index).float().numpy()
    _, result["exact"] = timed(lambda t: rank_stored(engine, store, index[t], exhaustive=True), probes)
    result |= {name: [] for name in SEARCHES}
    graph = faiss.IndexHNSWFlat(pooled.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = 200
    graph.add(pooled)
    searches: dict[str, Callable[[int, int], Any]] = {  # of a shortlist's length and a caption's number
        "two_stages": lambda n, t: rank_stored(engine, store, index[t], n).rows[:TOP].tolist(),
        "lance": lambda n, t: store.nearest(torch.from_numpy(queries[t]), n),
        "numpy": lambda n, t: [rows[i] for i in np.argpartition(-(pooled @ queries[t]), n)[:n]],
        "faiss": lambda n, t: [rows[i] for i in graph.search(queries[t : t + 1], n)[1][0]],
    }
    for length in [length for length in SHORTLISTS if length < count]:
        graph.hnsw.efSearch = 4 * length
        for name, query in searches.items():
            answers, times = timed(partial(query, length), len(captions))
            result[name].append({"shortlist": length, "top": fraction_of_top(answers, best)} | times)
        print(json.dumps({name: result[name][-1] for name in searches}), flush=True)
    result["fresh"] = fresh_process(uri, captions[0])
    return result


def fresh_process(uri: Path, caption: str) -> dict[str, float]:
    """Seconds from a process's start to its first answer, and bytes that it then holds."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "tests.bench.scale", "--answer", str(uri), caption]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - started
    return {"first_answer_seconds": seconds, "resident_bytes": float(json.loads(line))}


def answer(uri: str, caption: str) -> None:
    """Answer one query, and print the bytes that the process holds."""
    model = load_model("photos")
    engine = ScoringEngine(model.cross_net)
    rank_stored(engine, GalleryStore.read(uri), engine.encode_captions(*model.encode_captions([caption])))
    print(process_bytes("VmRSS"), flush=True)


def plot(sizes: list[dict[str, Any]]) -> Figure:
    """Draw two panels: a query's median by photographs, and the share of the exact top 10 by shortlist."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    times, recalls = figure.subplots(1, 2)
    photographs = [size["photographs"] for size in sizes]
    times.plot(photographs, [size["exact"]["p50_ms"] for size in sizes], "o-", label="exact scores of all")
    for search, label in SEARCHES.items():
        medians = {
            size["photographs"]: row["p50_ms"] for size in sizes for row in size[search] if row["shortlist"] == PLOTTED
        }
        times.plot(list(medians.keys()), list(medians.values()), "o-", label=label)
    times.set(xscale="log", yscale="log", xlabel="photographs", ylabel="ms per query, median")
    times.set_title(f"A shortlist of {PLOTTED}")
    for size in sizes:
        tops = {row["shortlist"]: row["top"] for row in size["two_stages"]}
        recalls.plot(list(tops.keys()), list(tops.values()), "o-", label=f"{size['photographs']:,}")
    recalls.axhline(0.99, color="0.6", linewidth=0.8)
    recalls.set(xscale="log", xlabel="shortlist", ylabel="share of the exact top 10", title="By photographs")
    times.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1.08), ncols=2)
    recalls.legend(fontsize="small")
    return figure


def main() -> None:
    """Measure every size, and write the numbers and the plot."""
    if sys.argv[1:2] == ["--answer"]:
        answer(*sys.argv[2:4])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("captions", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="where tables are made; 15 GB for 100,000")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--real", type=int, default=4000, help="photographs that are encoded (4,000)")
    parser.add_argument("--queries", type=int, default=50, help="captions (50)")
    parser.add_argument("--probes", type=int, default=5, help="captions that are scored against everything (5)")
    parser.add_argument("--json", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    model = load_model("photos")
    real = real_embeddings(model, options.photos, options.real, options.work / "real.npy")
    lines = options.captions.read_text(encoding="utf-8").splitlines()
    captions = lines[:: max(1, len(lines) // options.queries)][: options.queries]
    pictures = [open_image(name) for name in sorted(options.photos.iterdir())[:20]]
    _, encoding = timed(lambda i: model.encode_photos([pictures[i]]), len(pictures))
    result: dict[str, Any] = {
        "encode": encoding,
        "machine": platform.processor() or platform.machine(),
        "threads": torch.get_num_threads(),
        "load": os.getloadavg()[1],
        "torch": torch.__version__,
        "captions": len(captions),
        "sizes": [],
    }
    for count in options.sizes:
        result["sizes"].append(measure(model, captions, real, count, options.work, options.probes))
        print(json.dumps(result["sizes"][-1]), flush=True)
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    plot(result["sizes"]).savefig(options.json.with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
