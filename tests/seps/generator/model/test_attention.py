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


@torch.no_grad()
def test_maps_are_the_mean_over_steps_of_what_the_layers_weigh(network: GeneratorNetwork) -> None:
    hidden, mask = words(network)
    unet, size = network.unet, network.config.latent_size
    first = next(name for name in unet.attn_processors if ".attn2." in name).removesuffix(".processor")
    layer = unet.get_submodule(first)
    seen: list[torch.Tensor] = []
    layer.to_q.register_forward_hook(lambda module, inputs, query: seen.append(query))
    with WordAttention(unet, 2) as watch:
        for step in (3, 9):
            unet(torch.randn(2, 4, size, size), step, encoder_hidden_states=hidden, encoder_attention_mask=mask)
    heads = layer.heads
    key = layer.to_k(hidden).unflatten(2, (heads, -1)).transpose(1, 2)  # (B, heads, L, d)
    expected = torch.zeros(())
    for query in seen:
        logits = query.unflatten(2, (heads, -1)).transpose(1, 2) @ key.transpose(2, 3) * layer.scale  # (B, heads, N, L)
        expected = expected + logits.masked_fill(~mask[:, None, None], -torch.inf).softmax(dim=-1).mean(dim=1)
    torch.testing.assert_close(watch._sums[f"{first}.processor"], expected, atol=1e-4, rtol=1e-4)


def test_coarser_layers_count_as_much_as_fine_ones() -> None:
    watch = WordAttention(None)
    watch.add("fine", F.one_hot(torch.tensor(5), 16)[None, :, None].float())
    watch.add("coarse", F.one_hot(torch.tensor(3), 4)[None, :, None].float())
    maps = watch.maps(4)[0, 0]
    assert maps[1, 1] == 0.5
    torch.testing.assert_close(maps[2:, 2:], torch.full((2, 2), 0.125))
