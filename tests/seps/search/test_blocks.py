from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from seps import CrossSparseAggrNet, ScoringEngine
from seps.method.selection import caption_direction, text_attention
from seps.search import blocks
from seps.search.blocks import COSINE_ERROR, Decisions
from seps.search.index import CaptionIndex, ImageIndex

N, C, T = 100, 384, 12


def near(patches: Tensor) -> Tensor:
    """Patches in threes that differ in the seventh digit: of one of these threes some are kept and some dropped."""
    patches = patches.clone()
    for more in (1, 2):
        patches[:, more::3] = patches[:, : N - more : 3] + 1e-7 * torch.randn_like(patches[:, more::3])
    return patches


KINDS: dict[str, Callable[[Tensor], Tensor]] = {
    "any": lambda patches: patches,
    "nearly equal pairs": near,
    "all nearly equal": lambda patches: patches[:, :1] * (1 + 1e-6 * patches),
    "all equal": lambda patches: patches[:, :1].expand_as(patches).contiguous(),
    "tiny": lambda patches: patches * 1e-25,
    "huge": lambda patches: patches * 1e14,
    "some zero": lambda patches: patches * (torch.arange(N) % 3 > 0)[:, None],
}


def built(paper: bool, kind: str, dense: bool) -> tuple[CrossSparseAggrNet, ImageIndex, CaptionIndex]:
    torch.manual_seed(0)
    model = CrossSparseAggrNet(embed_size=C, num_patches=N, use_paper_version=paper).eval()
    engine = ScoringEngine(model)
    words, lengths = torch.randn(T, 9, C), [9, 4, 7] * 4
    more = (torch.randn(T, 20, C), [20] * T) if dense else (None, None)
    images = engine.encode_images(KINDS[kind](torch.randn(3, N, C)))
    return model, images, engine.encode_captions(words, lengths, *more)


@pytest.mark.parametrize(("paper", "dense"), [(False, True), (True, False)])
@pytest.mark.parametrize("kind", KINDS)
def test_decisions_are_the_networks(kind: str, paper: bool, dense: bool) -> None:
    model, images, captions = built(paper, kind, dense)
    selections = Decisions(model, images).select(captions)
    image = model.encode_images(images.patches)
    for t in range(T):
        s_st = text_attention(image.unit, captions.sparse.direction[t])
        s_dt = None if captions.dense is None else text_attention(image.unit, captions.dense.direction[t])
        for fast, exact in zip(selections, model.select(image.s_p, image.s_im, s_st, s_dt), strict=True):
            assert (fast is None) is (exact is None)
            if fast is not None and exact is not None:
                assert torch.equal(fast.mask[:, t].double(), exact.mask)
                torch.testing.assert_close(fast.score[:, t].double(), exact.score, atol=1e-4, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_look_at_values_decisions_are_the_same_or_reported_as_missed(kind: str) -> None:
    model, images, captions = built(True, kind, True)
    expected = Decisions(model, images).select(captions)
    selections, missed = Decisions(model, images).select_batched(captions)
    uncertain = Decisions(model, images).select_in_float32(captions)[1]
    assert bool(missed) == (int(uncertain.sum()) > blocks.MIN_EXACT)
    if not missed:
        for batched, exact in zip(selections, expected, strict=True):
            assert batched is not None and exact is not None
            assert torch.equal(batched.mask.double(), exact.mask.double())
            torch.testing.assert_close(batched.score.double(), exact.score.double(), atol=1e-6, rtol=0)


@pytest.mark.parametrize("channels", [64, 768])
def test_cosines_in_float32_are_within_their_error(channels: int) -> None:
    torch.manual_seed(0)
    model = CrossSparseAggrNet(embed_size=channels, num_patches=N, use_paper_version=True).eval()
    patches = torch.randn(8, N, channels) + 2 * torch.randn(8, 1, channels)  # alike, as a picture's are
    engine = ScoringEngine(model)
    words = patches[:, :5] + torch.randn(8, 5, channels)
    captions, images = engine.encode_captions(words, [5] * 8), engine.encode_images(patches)
    for texts in (captions, captions[0]):  # both orders of multiplication
        cosines = Decisions(model, images).attention(texts.sparse)  # (8, T, N)
        unit = model.encode_images(patches).unit
        exact = torch.stack([text_attention(unit, caption_direction(words[t])) for t in range(len(texts))], dim=1)
        assert float((cosines - exact).abs().max()) < COSINE_ERROR
