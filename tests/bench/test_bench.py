import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from seps import CrossSparseAggrNet, ScoringEngine
from seps.search.store import GalleryStore
from tests.bench.gpu import NAMES, Checks, compare_decisions, compare_encoders, main, run_checks
from tests.bench.plain import plain_similarity
from tests.bench.scale import build, exact_scores, fraction_of_top, gallery_rows, timed
from tests.bench.timing import PeakMemory, race
from tests.helpers.models.cases import Case
from tests.helpers.models.tiny import tiny_model


def test_it_refuses_without_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main(["--out", str(tmp_path / "gpu.json")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: No CUDA GPU was found") and error.count("\n") == 1
    assert main(["--out", str(tmp_path / "nowhere" / "gpu.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_what_breaks_is_written_down_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Checks) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(Checks, "engine", broken)
    checks = Checks(torch.device("cpu"), True, tmp_path)
    assert run_checks(checks, tmp_path / "gpu.json", ("engine", "machine")) == ["engine"]
    results = json.loads((tmp_path / "gpu.json").read_text())
    assert results["engine"]["error"] == "RuntimeError: out of memory"
    assert "in broken" in results["engine"]["where"]
    assert results["machine"]["device"] == "cpu"


@pytest.mark.slow
def test_every_check_runs_on_a_cpu(tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path / "gpu.json"), "--device", "cpu", "--small"]) == 0
    results = json.loads((tmp_path / "gpu.json").read_text())
    assert list(results) == list(NAMES)
    for variant in ("released", "paper"):
        assert list(results["engine"][variant]) == ["4 x 6, N 49, dense", "4 x 6, N 64, dense", "8 x 40"]
        assert all(sizes["peak_bytes"] >= 0 for sizes in results["engine"][variant].values())
        assert results["float32"][variant]["similarity"] < 1e-6  # of the CPU from itself
        assert len(results["training"][variant]["epochs"]) == 2
        whole, half = (results["mixed_precision"][variant][name] for name in ("float32", "bfloat16"))
        assert whole["gradients_finite"] and half["gradients_finite"]
        assert half["loss"] == pytest.approx(whole["loss"], rel=0.1) and half["loss"] != whole["loss"]
    assert all(results[name]["check_seconds"] > 0 for name in NAMES if name != "machine")


def test_a_cpu_decides_as_itself_and_otherwise_with_other_weights(bert: Path) -> None:
    pictures = [Image.fromarray(torch.randint(0, 256, (40, 30, 3), dtype=torch.uint8).numpy()) for _ in range(2)]
    galleries, here, there = {"drawn": (pictures, ["a dog", "snow"])}, tiny_model(bert), tiny_model(bert)
    assert compare_encoders(here, there, galleries) == {"image_embeddings": 0, "caption_embeddings": 0}
    same = {"differing": 0, "pairs_differing": 0, "differing_given_embeddings": 0}
    assert compare_decisions(here, there, galleries) == {"drawn": {"pairs": 4, "decisions": 4 * 100} | same}
    with torch.no_grad():
        there.img_enc.vision_proj.weight[0] *= 2
    other = compare_decisions(here, there, galleries)["drawn"]
    assert other["differing"] >= other["pairs_differing"] > 0
    assert other["differing_given_embeddings"] == 0  # its network is the same
    assert compare_encoders(here, there, galleries)["image_embeddings"] > 0.01


def test_functions_take_turns_and_each_counts_its_best_round(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0, 9, 9, 9.5, 10, 14, 14, 16, 20, 23, 23, 24])  # seconds: 9 and 0.5, not counted, 4 and 2, 3 and 1
    monkeypatch.setattr("tests.bench.timing.time.perf_counter", lambda: next(clock))
    calls: list[str] = []
    runs = {name: partial(calls.append, name) for name in ("loop", "batch")}
    assert race("cpu", runs, 3) == {"loop": 3, "batch": 1}
    assert calls == ["loop", "batch"] * 3
    assert capsys.readouterr().out == "cpu: loop 3,000.0 ms   batch 1,000.0 ms   ratio 3.0\n"


def test_the_peak_counts_what_is_freed_again() -> None:
    with PeakMemory() as memory:
        np.ones(8_000_000)  # 64 MB, freed at once
    assert 60_000_000 < memory.added < 80_000_000


@pytest.mark.parametrize(("paper", "dense_words", "has_cls"), [(False, 9, False), (True, 9, True), (True, 0, False)])
def test_the_plain_loop_equals_the_module(paper: bool, dense_words: int, has_cls: bool) -> None:
    case = Case(images=5, captions=7, side=7, channels=32, paper=paper, dense_words=dense_words, has_cls=has_cls)
    model, inputs = case.build()
    with torch.no_grad():
        expected = model(**inputs)
    for dtype in (torch.float32, torch.float64):
        plain = plain_similarity(model, **inputs, score_dtype=dtype)
        torch.testing.assert_close(plain, expected, atol=1e-5, rtol=0)


REAL = np.random.default_rng(1).standard_normal((6, 16, 8)).astype(np.float16)


def test_a_table_of_mixtures_is_built_and_scored_exactly(tmp_path: Path) -> None:
    engine = ScoringEngine(CrossSparseAggrNet(8, 16).eval())
    measured = build(engine, tmp_path / "bench.lance", REAL, 20, (4, 4))
    assert measured["bytes"] > 20 * 16 * 8 * 2
    captions = engine.encode_captions(torch.randn(3, 5, 8), [5, 4, 3])
    rows, scores, pooled = exact_scores(engine, GalleryStore.read(tmp_path / "bench.lance"), captions)
    mixtures = torch.cat([embeddings for _, embeddings in gallery_rows(REAL, 20, (4, 4))])
    assert torch.equal(mixtures[:6], torch.from_numpy(REAL.astype(np.float32)))
    torch.testing.assert_close(scores, engine.score(engine.encode_images(mixtures.half().float()), captions))
    assert len(rows) == 20
    np.testing.assert_allclose(np.linalg.norm(pooled, axis=1), 1, atol=1e-3)
    answers, times = timed(lambda number: [number, 10 + number], 3)
    assert answers == [[0, 10], [1, 11], [2, 12]] and 0 <= times["p50_ms"] <= times["p95_ms"]
    assert fraction_of_top(answers, [set(range(10)), set(range(10, 20)), set(range(3, 13))]) == (0.1 + 0.1 + 0.1) / 3
