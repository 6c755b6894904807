import torch
import torch.nn.functional as F

from seps.generator.model.attention import WordAttention
from seps.generator.model.network import GeneratorNetwork


def words(network: GeneratorNetwork) -> tuple[torch.Tensor, torch.Tensor]:
    text = network.encode_texts(["a red car", "two small dogs in the park"])
    return text.words, text.mask


@torch.no_grad()
def test_watching_changes_nothing_and_counts_what_captions_say(network: GeneratorNetwork) -> None:
    hidden, mask = words(network)
    size = network.config.latent_size
    latents = torch.randn(2, 4, size, size)
    unet = network.unet
    plain = unet(latents, 7, encoder_hidden_states=hidden, encoder_attention_mask=mask).sample
    before = {name: type(processor) for name, processor in unet.attn_processors.items()}
    with WordAttention(unet, 1) as watch:
        watched = unet(latents, 7, encoder_hidden_states=hidden, encoder_attention_mask=mask).sample
        assert type(unet.attn_processors[next(name for name in before if ".attn2." in name)]) not in before.values()
    torch.testing.assert_close(watched, plain, atol=1e-5, rtol=1e-5)
    assert {name: type(processor) for name, processor in unet.attn_processors.items()} == before
    maps = watch.maps(8)
    assert maps.shape == (1, hidden.shape[1], 8, 8)
    real = mask[0]
    torch.testing.assert_close(maps.sum(dim=(2, 3))[0, real], torch.ones(int(real.sum())))
    assert not maps[0, ~real].any()  # the padding was never looked at


def test_coarser_layers_count_as_much_as_fine_ones() -> None:
    watch = WordAttention(None)
    watch.add("fine", F.one_hot(torch.tensor(5), 16)[None, :, None].float())
    watch.add("coarse", F.one_hot(torch.tensor(3), 4)[None, :, None].float())
    maps = watch.maps(4)[0, 0]
    assert maps[1, 1] == 0.5
    torch.testing.assert_close(maps[2:, 2:], torch.full((2, 2), 0.125))
