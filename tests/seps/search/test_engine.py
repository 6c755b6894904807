import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seps import CrossSparseAggrNet, ScoringEngine
from seps.search import blocks
from seps.search.engine import rank
from tests.helpers.examples import number_of_examples
from tests.helpers.models.cases import Case, cases, indexed


def difference(model: CrossSparseAggrNet, inputs: dict[str, Any], **options: Any) -> float:
    """The largest difference between engine and forward pass."""
    engine, images, captions = indexed(model, inputs, **options)
    with torch.no_grad():
        return float((engine.score(images, captions) - model(**inputs)).abs().max())


@given(cases, st.sampled_from([1, 3, 12]), st.sampled_from([0.01, None]), st.booleans())
@settings(max_examples=number_of_examples(200))
def test_scores_are_the_forward_pass(case: Case, captions: int, memory_mb: float | None, batched: bool) -> None:
    model, inputs = replace(case, captions=captions).build()
    assert difference(model, inputs, memory_mb=memory_mb, batched=batched) < 1e-5


WIDE = Case(channels=64, side=4, images=3, captions=20, aggr_ratio=1.0)


@pytest.fixture(params=[False, True], ids=["cpu", "accelerator"])
def batched(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize(("side", "channels"), [(4, 64), (8, 256)])
def test_patches_that_cancel_out(side: int, channels: int, monkeypatch: pytest.MonkeyPatch, batched: bool) -> None:
    # Every patch has nearly its opposite next to it, so that tokens are far shorter than their summands.
    case = replace(WIDE, side=side, channels=channels, sparse_ratio=1.0, dense_words=9, has_cls=False, captions=40)
    model, inputs = case.build()
    half = torch.randn(3, side**2 // 2, channels)
    inputs["img_embs"] = torch.cat([half, -half], dim=1) + 0.01 * torch.randn(3, side**2, channels)
    logits = torch.zeros(3, model.num_tokens, side**2)
    monkeypatch.setattr(model.aggr_net, "logits", lambda patches: (logits[: len(patches)],) * 2)
    assert difference(model, inputs, batched=batched) < 1e-5
    monkeypatch.setattr(blocks, "CANCELLED", 0.0)
    if side == 8 and not batched:  # multiplied by the Gram matrix
        assert not difference(model, inputs) < 1e-5  # the guard keeps them


@pytest.mark.parametrize("weight", [14.0, 200.0])
def test_a_caption_that_drops_the_heavy_patch(weight: float, monkeypatch: pytest.MonkeyPatch, batched: bool) -> None:
    # Beside patch 0 no other counts; all captions keep it but the last.
    model, inputs = Case(images=1, captions=20, side=4, channels=64, paper=False).build()
    logits = torch.zeros(1, model.num_tokens, 16)
    logits[:, :, 0], logits[:, :, 1] = weight, weight / 2
    monkeypatch.setattr(model.aggr_net, "logits", lambda patches: logits)
    heavy = inputs["img_embs"][0, 1] + inputs["img_embs"][0, 2]
    inputs["cap_embs"] += 3 * heavy
    inputs["cap_embs"][-1] -= 6 * heavy
    assert difference(model, inputs, batched=batched) < 1e-5
    monkeypatch.setattr(blocks, "MIN_NORM", -1.0)
    if weight > 100:
        assert not difference(model, inputs, batched=batched) < 1e-5  # the guard keeps them


@pytest.mark.parametrize("paper", [False, True])
def test_rankings_are_sorted_scores(paper: bool) -> None:
    engine, images, captions = indexed(*Case(images=6, captions=9, dense_words=9, paper=paper).build())
    scores = engine.score(images, captions)
    ranking = engine.rank_images(captions[2:3], images)
    assert torch.equal(ranking.indices, scores[:, 2].argsort(descending=True, stable=True))
    torch.testing.assert_close(ranking.scores, scores[ranking.indices, 2])
    best = engine.rank_captions(images[[4]], captions, top=3)
    assert torch.equal(best.indices, scores[4].argsort(descending=True, stable=True)[:3])
    torch.testing.assert_close(best.scores, scores[4, best.indices])


def test_equal_scores_keep_their_order() -> None:
    # Scores themselves: equal images may be scored apart in the seventh digit, see `ScoringEngine`.
    assert rank(torch.tensor([0.5, 0.7, 0.5, 0.7, 0.5]), None).indices.tolist() == [1, 3, 0, 2, 4]
    assert rank(torch.full((50,), 0.25), 3).indices.tolist() == [0, 1, 2]


def test_indices_are_of_something_and_not_swapped_and_top_is_a_whole_number() -> None:
    engine, images, captions = indexed(*Case(images=1, captions=1).build())
    cases: list[tuple[Any, tuple[Any, ...], str]] = [
        (engine.rank_images, (captions, images, 0), "top is 0, but a whole number of at least 1 is needed"),
        (engine.rank_captions, (images, captions, 0), "top is 0, but a whole number of at least 1 is needed"),
        (engine.score, (captions, images), "images is a CaptionIndex"),
        (engine.rank_images, (images, captions), "images is a CaptionIndex"),
        (engine.rank_captions, (captions, images), "images is a CaptionIndex"),
        (engine.score, (images, "a dog"), "captions is a str, but the CaptionIndex that encode_captions"),
        (engine.score, (images[:0], captions), "images is an index of 0 images"),
        (engine.rank_captions, (images, captions[:0]), "captions is an index of 0 captions"),
    ]
    for call, indices, message in cases:
        with pytest.raises(ValueError, match=message):
            call(*indices)


def test_an_index_can_be_cut_by_slices_and_indices() -> None:
    engine, images, captions = indexed(*Case(images=5, captions=12, dense_words=9).build())
    whole = engine.score(images, captions)
    assert (len(images[1:4]), len(captions[[0, 5]])) == (3, 2)
    part = engine.score(images[torch.tensor([3, 0])], captions[[0, 5, 7]])
    torch.testing.assert_close(part, whole[[3, 0]][:, [0, 5, 7]], atol=1e-6, rtol=0)


def test_gradient_mode_and_autocast_of_the_caller_do_not_matter() -> None:
    model, inputs = Case(captions=20, dense_words=9).build()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        engine = ScoringEngine(model.train())
        images = engine.encode_images(inputs["img_embs"])
        scores = engine.score(images, engine.encode_captions(*list(inputs.values())[1:]))
    assert model.training
    assert not scores.requires_grad
    with torch.no_grad():
        torch.testing.assert_close(scores, model.eval()(**inputs), atol=1e-5, rtol=0)


@pytest.mark.parametrize("scale", [1e-13, 1e14])
@pytest.mark.parametrize("paper", [False, True])
def test_small_and_large_embeddings(scale: float, paper: bool, batched: bool) -> None:
    model, inputs = replace(WIDE, paper=paper, dense_words=9).build()
    inputs["img_embs"] *= scale
    assert difference(model, inputs, batched=batched) < 1e-5


@pytest.mark.parametrize("spread", [10.0, 90.0])
def test_light_tokens_of_small_patches(spread: float, monkeypatch: pytest.MonkeyPatch, batched: bool) -> None:
    # Every caption drops the one heavy patch: the others weigh e^-spread, and patches are short as well.
    model, inputs = replace(WIDE, images=1, paper=False, has_cls=False).build()
    logits = torch.zeros(1, model.num_tokens, 16)
    logits[:, :, 0] = spread
    monkeypatch.setattr(model.aggr_net, "logits", lambda patches: logits)
    inputs["cap_embs"] -= 3 * inputs["img_embs"][0, 0]
    inputs["img_embs"] *= 1e-3
    assert difference(model, inputs, batched=batched) < 1e-5


@pytest.mark.parametrize(("dtype", "paper"), [(torch.float64, True), (torch.bfloat16, False)])
def test_other_precisions_are_scored_in_float32(dtype: torch.dtype, paper: bool) -> None:
    model, inputs = Case(captions=20, dense_words=9, paper=paper).build()
    inputs = {key: value.to(dtype) if value.is_floating_point() else value for key, value in inputs.items()}
    model = model.to(dtype)
    assert difference(model, inputs) < (1e-5 if dtype == torch.float64 else 0.05)


def test_an_index_of_another_model_is_refused() -> None:
    model, inputs = Case().build()
    engine, images, captions = indexed(model, inputs)
    other = ScoringEngine(Case(sparse_ratio=0.7).build()[0])
    with pytest.raises(ValueError, match=r"ratios 0.5 and 0.5.*but this is.*ratios 0.7 and 0.5"):
        other.score(images, captions)
    with torch.no_grad():
        model.get_parameter("hrpa.relevance_mlp.0.weight").add_(1)
    with pytest.raises(ValueError, match="parameters adding up"):
        engine.score(images, captions)


MEASURE = """
import ctypes
import torch
from tests.bench.timing import PeakMemory
from seps import CrossSparseAggrNet, ScoringEngine
torch.manual_seed(0)
images, words, lengths = torch.randn(24, 197, 256), torch.randn(200, 50, 256), [50] * 200
for paper in (False, True):
    for limit in (24, 512):
        engine = ScoringEngine(CrossSparseAggrNet(256, 196, use_paper_version=paper).eval(), memory_mb=limit)
        indices = engine.encode_images(images), engine.encode_captions(words[:, :40], [40] * 200, words, lengths)
        engine.score(indices[0][:2], indices[1][:2])  # the libraries' own start-up memory
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # freed memory goes back, so that scoring cannot hide in it
        with PeakMemory() as memory:
            engine.score(*indices)
        print(memory.added / 2**20)
"""


@pytest.mark.slow
def test_memory_is_bounded_by_the_setting() -> None:
    result = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    megabytes = [float(line) for line in result.stdout.split()]
    for little, more in (megabytes[:2], megabytes[2:]):
        assert little < 24 < more < 512
