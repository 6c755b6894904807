"""Representation alignment: the compared features, their positions, and the saved parts."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from seps.generator.batches import Source, make_batch, with_latents
from seps.generator.data import read_captioned
from seps.generator.diffusion import attend_step_by_step, predict
from seps.generator.losses import Objective
from seps.generator.network import GeneratorNetwork, normalise
from seps.generator.representation import RepresentationHead, middle_of
from seps.generator.settings import GeneratorSettings, Stage

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


def test_what_all_places_share_is_no_agreement() -> None:
    torch.manual_seed(0)
    head = RepresentationHead(8, 8).train()
    head.predict = torch.nn.Identity()
    features = 100 + torch.randn(64, 8, 2, 2)
    assert float(head(100 + torch.randn(64, 8, 2, 2), features)) > 0.9


def test_features_of_a_finer_grid_are_averaged() -> None:
    torch.manual_seed(0)
    head = RepresentationHead(3, 8).eval()
    coarse, middle = torch.randn(2, 8, 2, 2), torch.randn(2, 3, 2, 2)
    fine = coarse.repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)
    torch.testing.assert_close(head(middle, fine), head(middle, coarse))


def test_the_middle_is_watched_only_within_its_block(network: GeneratorNetwork) -> None:
    latents, text = torch.randn(2, 4, 4, 4), network.encode_texts(["a red car", "a tree"])
    with middle_of(network.unet) as outputs:
        predict(network.unet, latents, torch.tensor(3), text)
    predict(network.unet, latents, torch.tensor(3), text)
    assert [tuple(output.shape) for output in outputs] == [(2, 32, 2, 2)]


def test_features_computed_beforehand_make_the_same_loss(
    drawn: Path, network: GeneratorNetwork, tmp_path: Path
) -> None:
    objective = Objective(network, GeneratorSettings((STAGE,), batch_size=4)).eval()
    captioned = read_captioned(drawn, "train", 32, network.tokenizer, 24, tmp_path)
    source = with_latents(objective, STAGE, Source(captioned))
    rows, which = torch.tensor([5, 2]), torch.tensor([0, 1])
    batch = make_batch(objective, STAGE, source, rows, which)
    assert batch.pictures is None and batch.features is not None
    pictures = normalise(captioned.values(rows))
    losses = []
    for given in (batch, batch._replace(features=None, pictures=pictures)):
        torch.manual_seed(1)
        with torch.no_grad():
            losses.append(float(objective(STAGE, given).each["representation"]))
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)  # kept in float16
    assert with_latents(objective, Stage(("diffusion",)), Source(captioned)).features is None


def test_the_head_is_not_kept(network: GeneratorNetwork) -> None:
    objective = Objective(network, GeneratorSettings((STAGE,)))
    assert any(name.startswith("representation.") for name, _ in objective.named_parameters())
    assert not any("representation" in key for part in network.saved().values() for key in part)
    assert Objective(network, GeneratorSettings()).representation is None


def test_it_needs_diffusion_beside_it() -> None:
    with pytest.raises(ValueError, match=r'training\.stages has "representation"'):
        Stage(("representation",))


def test_attention_step_by_step_finds_the_same(network: GeneratorNetwork) -> None:
    latents, text = torch.randn(2, 4, 4, 4), network.encode_texts(["a red car in the park", "a tree"])
    with torch.no_grad():
        fused = predict(network.unet, latents, torch.tensor(3), text)
        attend_step_by_step(network.unet)
        torch.testing.assert_close(predict(network.unet, latents, torch.tensor(3), text), fused, rtol=1e-4, atol=1e-5)
