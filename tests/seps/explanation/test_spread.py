import pytest
import torch

from seps.explanation.spread import caption_spread

BLIND = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)


def test_what_every_caption_scores_alike_is_not_the_captions() -> None:
    assert caption_spread(torch.stack([BLIND, BLIND + 5.0])) == (0.0, 4.0)  # a caption's level decides nothing
    assert caption_spread(BLIND[None]) == (0.0, 2.0)  # undefined for a single caption
    assert caption_spread(torch.ones(2, 3)) == (0.0, 0.0)


def test_what_differs_between_captions_is_theirs() -> None:
    assert caption_spread(torch.stack([BLIND, -BLIND])) == (4.0, 4.0)
    # Centred -1, 0, 1 and -2, 0, 2: means -1.5, 0, 1.5, so that 4 times 0.25 are the captions'.
    assert caption_spread(torch.stack([BLIND, 2 * BLIND])) == pytest.approx((1.0, 10.0))
