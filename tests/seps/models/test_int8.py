import pytest
import torch

from seps.models.int8 import from_int8


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
