from types import SimpleNamespace

import pytest
import torch

from seps.generator.config import GeneratorConfig
from seps.generator.model import diffusion
from seps.generator.model.encoders import TextFeatures
from seps.generator.model.network import GeneratorNetwork


def some_text(count: int) -> TextFeatures:
    """Captions of three words that say nothing."""
    return TextFeatures(torch.zeros(count, 512), torch.zeros(count, 3, 512), torch.ones(count, 3, dtype=torch.bool))


class Knowing(torch.nn.Module):
    """A UNet that knows the latents, and so the velocity at each step."""

    def __init__(self, config: GeneratorConfig, latents: torch.Tensor) -> None:
        super().__init__()
        self.kept, self.latents = diffusion.noise_schedule(config.diffusion).alphas_cumprod, latents

    def forward(self, noisy: torch.Tensor, steps: torch.Tensor, **_: object) -> object:
        kept = self.kept[steps].view(-1, 1, 1, 1)
        noise = (noisy - kept.sqrt() * self.latents) / (1 - kept).sqrt()
        return SimpleNamespace(sample=kept.sqrt() * noise - (1 - kept).sqrt() * self.latents)


def test_the_diffusion_loss_of_a_perfect_velocity_is_zero(config: GeneratorConfig) -> None:
    latents = torch.randn(4, 4, 4, 4)
    schedule = diffusion.noise_schedule(config.diffusion)
    loss = diffusion.diffusion_loss(Knowing(config, latents), schedule, latents, some_text(4))
    torch.testing.assert_close(loss, torch.zeros(()), atol=1e-6, rtol=0)


def test_places_count_in_the_diffusion_loss_as_much_as_they_are_said_to(network: GeneratorNetwork) -> None:
    schedule = diffusion.noise_schedule(network.config.diffusion)
    latents = torch.randn(4, 4, 4, 4)
    left = torch.zeros(4, 4, 4)
    left[..., :2] = 1.0

    def loss(places: torch.Tensor | None) -> float:
        torch.manual_seed(3)  # the same noise each time
        return float(diffusion.diffusion_loss(network.unet, schedule, latents, some_text(4), places).detach())

    assert loss(torch.ones(4, 4, 4)) == pytest.approx(loss(None))
    assert loss(left) + loss(1 - left) == pytest.approx(loss(None))
    assert loss(1 + 4 * left) == pytest.approx(loss(None) + 4 * loss(left))


def test_a_unet_that_knows_the_picture_draws_it(config: GeneratorConfig) -> None:
    target, start, text = torch.randn(1, 4, 4, 4), torch.randn(1, 4, 4, 4), some_text(1)
    unet = Knowing(config, target)
    drawings = list(diffusion.draw_latents(unet, config.diffusion, text, text, start, 10, 2.0))
    assert [drawing.step for drawing in drawings] == list(range(1, 11))
    for drawing in drawings:
        torch.testing.assert_close(drawing.clean, target, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(drawings[-1].latents, target, atol=2e-2, rtol=2e-2)


def test_guidance_of_one_draws_by_the_caption_alone(network: GeneratorNetwork) -> None:
    cond, uncond = network.encode_texts(["a red car"]), network.encode_texts([""])
    start = torch.randn(1, 4, 4, 4)

    def draw(guidance: float) -> torch.Tensor:
        *_, last = diffusion.draw_latents(network.unet, network.config.diffusion, cond, uncond, start, 4, guidance)
        return last.latents

    torch.testing.assert_close(draw(1.0), draw(1.0 + 1e-7), atol=1e-4, rtol=1e-3)
    assert not torch.allclose(draw(1.0), draw(5.0), atol=1e-3)
    text = diffusion.both(cond, uncond)
    assert text.words.shape == (2, 5, 512)
    assert text.mask.sum(dim=1).tolist() == [5, 2]
    torch.testing.assert_close(text.embedding, torch.cat([cond.embedding, uncond.embedding]))


@pytest.mark.parametrize(("steps", "guidance", "name"), [(0, 2.0, "num_inference_steps"), (5, 99.0, "guidance")])
def test_numbers_of_drawing_have_their_range(config: GeneratorConfig, steps: int, guidance: float, name: str) -> None:
    text, start = some_text(1), torch.zeros(1, 4, 4, 4)
    with pytest.raises(ValueError, match=f"{name} is "):
        next(diffusion.draw_latents(torch.nn.Identity(), config.diffusion, text, text, start, steps, guidance))


def test_guided_predictions_keep_part_of_their_own_spread() -> None:
    torch.manual_seed(0)
    cond = torch.randn(2, 4, 3, 3)
    guided = 5 * cond + torch.randn(2, 4, 3, 3)
    result = diffusion.rescale_guidance(guided, cond)
    for prediction, before, target in zip(result, guided, cond, strict=True):
        by_hand = diffusion.RESCALE * target.std() + (1 - diffusion.RESCALE) * before.std()
        torch.testing.assert_close(prediction.std(), by_hand)
        torch.testing.assert_close(prediction / prediction.std(), before / before.std())  # its direction stays
    torch.testing.assert_close(diffusion.rescale_guidance(cond, cond), cond)
