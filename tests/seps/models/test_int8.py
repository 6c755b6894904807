import pytest
import torch

from seps.models.int8 import SCALE, SMALL, from_int8, to_int8


def test_large_tensors_come_back_within_half_a_step() -> None:
    torch.manual_seed(0)
    weight = torch.randn(8, 4, 3, 32) * torch.logspace(-6, 3, 8).view(8, 1, 1, 1)
    weight[3] = 0.0
    others = {
        "bias": torch.randn(4096),
        "small": torch.randn(2, SMALL // 2 - 1),
        "count": torch.arange(4096).view(64, 64),
        "part.scale": torch.tensor(3.0),
    }
    stored = to_int8({"weight": weight} | others)
    assert stored["weight"].dtype == torch.int8 and stored.keys() == {"weight", "weight" + SCALE, *others}
    back = from_int8(stored)
    assert list(back) == ["weight", *others] and all(back[key] is others[key] for key in others)
    error = (back["weight"] - weight).flatten(1).abs().amax(dim=1)
    assert bool((error <= weight.flatten(1).abs().amax(dim=1) / 127 * 0.5001).all())  # so that the row of 0 is exact


def test_scales_that_fit_nothing_are_refused() -> None:
    weight = torch.ones(2, 3, dtype=torch.int8)
    for owner, scale in (
        (weight, torch.ones(2, dtype=torch.int8)),
        (weight, torch.ones(3)),
        (weight, torch.ones(2, 1)),
        (torch.ones(3, 3), torch.ones(3)),
    ):
        with pytest.raises(ValueError, match=r"^unet has weight\.scale, which scales no tensor of 8 bits"):
            from_int8({"weight": owner, "weight.scale": scale}, "unet")
