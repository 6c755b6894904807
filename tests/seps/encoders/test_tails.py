from pathlib import Path

import pytest
import torch

from seps.encoders import TextEncoder, VisionEncoder
from seps.encoders.config import TextConfig, VisionConfig

HALF = (0.5, 0.5, 0.5)


def image_encoder(name: str = "test_efficientnet", context: int = 96) -> VisionEncoder:
    torch.manual_seed(0)
    return VisionEncoder(VisionConfig(name, "none", 160, HALF, HALF, "none", context), 24).eval()


def text_encoder(bert: Path, low_rank: int = 0) -> TextEncoder:
    source = f"folder:{bert}"
    return TextEncoder(TextConfig(source, source, low_rank=low_rank), 24).eval()


@pytest.mark.parametrize(("until", "context"), [("blocks.0", 96), ("blocks.2", 0)])
def test_the_image_backbones_parts_make_the_whole(until: str, context: int) -> None:
    encoder, images = image_encoder(context=context), torch.randn(2, 3, 160, 160)
    with torch.no_grad():
        whole, features = encoder(images), encoder.features(images)
        encoder.freeze_until(until)
        cells = encoder.features(images)
        torch.testing.assert_close(encoder.finished(cells), features)
        torch.testing.assert_close(encoder.project(cells), whole)
    learning = {name for name, part in encoder.visual_encoder.named_parameters() if part.requires_grad}
    last = int(until[-1])
    assert {int(name.split(".")[1]) for name in learning if name.startswith("blocks")} == set(range(last + 1, 5))
    assert "conv_head.weight" in learning and "conv_stem.weight" not in learning
    assert any("conv_pw" in name for name in learning)
    assert not any("conv_dw" in name for name in learning)  # depthwise ones stay
    encoder.train()
    assert encoder.vision_proj.training and not encoder.visual_encoder.training


@pytest.mark.parametrize(("name", "until"), [("test_vit", "blocks.0"), ("test_efficientnet", "blocks.9")])
def test_a_backbone_that_cannot_be_split_there_is_refused(name: str, until: str) -> None:
    with pytest.raises(ValueError, match=rf"training\.frozen_until is '{until}'"):
        image_encoder(name, 0).freeze_until(until)


@pytest.mark.parametrize("count", [0, 1])
def test_the_text_encoders_layers_make_the_whole(bert: Path, count: int) -> None:
    encoder = text_encoder(bert)
    ids, lengths = torch.tensor([[2, 6, 7, 9, 3], [2, 7, 3, 0, 0]]), torch.tensor([5, 3])
    with torch.no_grad():
        whole = encoder(ids, lengths)
        encoder.freeze_layers(count)
        torch.testing.assert_close(encoder.project(encoder.features(ids, lengths), lengths), whole)
    learning = {name.split(".")[2] for name, part in encoder.bert.named_parameters() if part.requires_grad}
    assert learning == {str(layer) for layer in range(count, 2)}
    with pytest.raises(ValueError, match="frozen_text_layers is 3, but the text encoder has 2"):
        encoder.freeze_layers(3)


def test_low_rank_differences_begin_at_nothing_and_learn_alone(bert: Path) -> None:
    plain, encoder = text_encoder(bert), text_encoder(bert, low_rank=3)
    encoder.fc.load_state_dict(plain.fc.state_dict())
    ids, lengths = torch.tensor([[2, 6, 7, 9, 3]]), torch.tensor([5])
    with torch.no_grad():
        torch.testing.assert_close(encoder(ids, lengths), plain(ids, lengths))
    encoder.freeze_layers(1)
    encoder(ids, lengths).square().sum().backward()
    learning = {name: part for name, part in encoder.bert.named_parameters() if part.requires_grad}
    assert len(learning) == 12  # up and down of six linear parts of one layer
    assert all(name.startswith("encoder.layer.1.") and name.endswith((".up", ".down")) for name in learning)
    assert any(part.grad is not None and bool(part.grad.any()) for part in learning.values())
    layer = "encoder.layer.1.attention.self.query"
    with torch.no_grad():
        learning[f"{layer}.parametrizations.weight.0.up"].fill_(1.0)
        moved = encoder.bert.get_submodule(layer).weight - plain.bert.get_parameter(f"{layer}.weight")
        changed = encoder(ids, lengths)
    assert not torch.allclose(changed, plain(ids, lengths))
    assert torch.linalg.matrix_rank(moved) == 1
