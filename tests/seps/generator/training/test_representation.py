from pathlib import Path

import pytest
import torch

from seps.generator.model.diffusion import attend_step_by_step, predict
from seps.generator.model.network import GeneratorNetwork, normalise
from seps.generator.training.batches import Source, make_batch, prepare
from seps.generator.training.data import read_captioned
from seps.generator.training.losses import Objective, RepresentationHead
from seps.generator.training.settings import GeneratorSettings, Stage

STAGE = Stage(("diffusion", "representation"), freeze_text=True)


def test_the_loss_is_none_for_who_tells_the_features_and_one_for_who_tells_nothing() -> None:
    torch.manual_seed(0)
    head = RepresentationHead(3, 8).eval()
    features = torch.randn(4, 8, 2, 2)
    target = head.normalise(features)
    head.predict = torch.nn.Identity()
    assert float(head(target, features)) == pytest.approx(0.0, abs=1e-6)
    assert float(head(-target, features)) == pytest.approx(2.0, abs=1e-6)
    far = torch.stack([-target[:, 1], target[:, 0], *[torch.zeros_like(target[:, 0])] * 6], dim=1)  # at right angles
    assert float(head(far, features)) == pytest.approx(1.0, abs=1e-6)


def test_cached_features_make_the_same_loss(drawn: Path, network: GeneratorNetwork, tmp_path: Path) -> None:
    objective = Objective(network, GeneratorSettings((STAGE,), batch_size=4)).eval()
    captioned = read_captioned(drawn, "train", 32, network.tokenizer, 24, tmp_path)
    source = prepare(objective, STAGE, Source(captioned), tmp_path)
    rows, which = torch.tensor([5, 2]), torch.tensor([0, 1])
    batch = make_batch(objective, STAGE, source, rows, which)
    assert batch.pictures is None and batch.features is not None
    pictures = normalise(captioned.values(rows))
    losses = []
    for given in (batch, batch._replace(features=None, pictures=pictures)):
        torch.manual_seed(1)
        with torch.no_grad():
            losses.append(float(objective(STAGE, given)["representation"]))
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)  # kept in float16
    assert prepare(objective, Stage(("diffusion",)), Source(captioned), tmp_path).features is None


def test_attention_step_by_step_finds_the_same(network: GeneratorNetwork) -> None:
    latents, text = torch.randn(2, 4, 4, 4), network.encode_texts(["a red car in the park", "a tree"])
    with torch.no_grad():
        fused = predict(network.unet, latents, torch.tensor(3), text)
        attend_step_by_step(network.unet)
        torch.testing.assert_close(predict(network.unet, latents, torch.tensor(3), text), fused, rtol=1e-4, atol=1e-5)
