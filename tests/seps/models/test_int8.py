import pytest
import torch

from seps.models.int8 import SCALE, SMALL, from_int8, to_int8


def test_large_tensors_come_back_within_half_a_step() -> None:
    torch.manual_seed(0)
    tensors = {
        "weight": torch.randn(8, 4, 3, 32) * torch.logspace(-6, 3, 8).view(8, 1, 1, 1),
        "bias": torch.randn(4096),
        "small": torch.randn(2, SMALL // 2 - 1),
        "count": torch.arange(4096).view(64, 64),
        "part.scale": torch.tensor(3.0),
    }
    tensors["weight"][3] = 0.0
    stored = to_int8(tensors)
    assert stored["weight"].dtype == torch.int8
    assert {key for key in stored if key.endswith(SCALE)} == {"weight" + SCALE, "part.scale"}
    back = from_int8(stored)
    assert list(back) == list(tensors)
    for key in ("bias", "small", "count", "part.scale"):
        assert back[key] is tensors[key]
    step = tensors["weight"].flatten(1).abs().amax(dim=1) / 127
    error = (back["weight"] - tensors["weight"]).flatten(1).abs().amax(dim=1)
    assert bool((error <= step * 0.5001).all())
    assert not back["weight"][3].any()


@pytest.mark.parametrize("scale", [torch.ones(2, dtype=torch.int8), torch.ones(3), torch.ones(2, 1)])
def test_scales_that_fit_nothing_are_refused(scale: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"^unet has weight\.scale, which scales no tensor of 8 bits"):
        from_int8({"weight": torch.ones(2, 3, dtype=torch.int8), "weight.scale": scale}, "unet")
    with pytest.raises(ValueError, match=r"^unet has weight\.scale, which scales no tensor of 8 bits"):
        from_int8({"weight": torch.ones(3, 3), "weight.scale": torch.ones(3)}, "unet")
