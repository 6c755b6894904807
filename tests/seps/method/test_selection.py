import math

import torch

from seps.method.aggregation import TokenAggregation
from seps.method.selection import TokenSparse, count_kept, gumbel_mask, min_max, sort_top_k_mask, top_k_mask
from seps.method.softmax import masked_softmax
from tests.helpers.models.cases import Case


def test_the_highest_scores_are_kept_and_of_equal_ones_the_earlier() -> None:
    assert [count_kept(*given) for given in ((16, 0.5), (49, 0.5), (16, 0.01), (9, 1.0))] == [8, 25, 1, 9]
    scores = torch.randint(0, 6, (50, 20)).double() + (torch.rand(50, 1) > 0.5) * torch.rand(50, 20)  # half with ties
    for keep in (1, 7, 20):
        mask = top_k_mask(scores, keep)
        assert torch.equal(sort_top_k_mask(scores, keep), mask)
        for row, kept in zip(scores.tolist(), mask, strict=True):
            order = sorted(range(20), key=lambda patch: (-row[patch], patch))
            assert kept.nonzero().flatten().tolist() == sorted(order[:keep])


def test_min_max_stretches_to_the_unit_interval_and_flattens_a_flat_one() -> None:
    stretched = min_max(torch.tensor([[2.0, 4.0, 3.0], [7.0, 7.0, 7.0]], dtype=torch.float64))
    torch.testing.assert_close(stretched, torch.tensor([[0.0, 1.0, 0.5], [0.0, 0.0, 0.0]], dtype=torch.float64))


def test_masked_softmax_is_a_softmax_among_the_kept() -> None:
    logits, mask = torch.randn(5, 7), (torch.rand(5, 7) > 0.4).float()
    mask[3], logits[4, 0], mask[4, 0] = 0, 1000.0, 0.0  # a row of nothing; a dropped logit that would overflow
    weights = masked_softmax(logits, mask)
    for row in range(5):
        kept = mask[row] > 0
        torch.testing.assert_close(weights[row, kept], logits[row, kept].softmax(0))
        assert (weights[row, ~kept] == 0).all()


def test_masked_softmax_gives_the_mask_the_gradient_of_the_function_within_bounds() -> None:
    logits = torch.randn(1, 6, dtype=torch.float64)
    mask = torch.tensor([[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    value = torch.randn(6, dtype=torch.float64)
    (masked_softmax(logits, mask) @ value).sum().backward()
    other = mask.detach().clone().requires_grad_()
    ((logits.exp() * other / (logits.exp() * other).sum()) @ value).sum().backward()
    torch.testing.assert_close(mask.grad, other.grad)
    mask = torch.tensor([0.0, 1.0, 1.0], requires_grad=True)
    (masked_softmax(torch.tensor([40.0, 0.0, 0.0]), mask) @ torch.tensor([1.0, -1.0, 1.0])).backward()
    assert mask.grad is not None and float(mask.grad.abs().max()) < 100  # where a dropped logit towers


def test_the_keep_probability_is_the_scores_place_in_its_range() -> None:
    net = TokenSparse(8, 0.5, use_paper_version=True, beta=0.25)
    score = torch.full((1, 40_000), 0.3, dtype=torch.float64)  # of 0 to 1.5
    assert abs(float(net.sample(score, torch.Generator().manual_seed(0)).mean()) - 0.2) < 0.01
    released = TokenSparse(8, 0.5).sample(score, torch.Generator().manual_seed(0))  # of -2 to 2
    assert abs(float(released.mean()) - 0.575) < 0.01


def test_gumbel_draws_are_exact_seeded_and_follow_their_probability() -> None:
    p = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64).repeat_interleave(20_000)[None]
    mask = gumbel_mask(p, 1.0, torch.Generator().manual_seed(3))
    assert set(mask.unique().tolist()) == {0.0, 1.0}
    assert torch.equal(mask, gumbel_mask(p, 1.0, torch.Generator().manual_seed(3)))
    assert not torch.equal(mask, gumbel_mask(p, 1.0, torch.Generator().manual_seed(4)))
    torch.testing.assert_close(mask.view(3, -1).mean(dim=1), p[0, ::20_000], atol=0.02, rtol=0)
    rare = torch.tensor([[1e-9, 1e-9, 1e-7, 1e-9]] * 4, dtype=torch.float64)
    drawn = gumbel_mask(rare, 1.0, torch.Generator().manual_seed(0))
    assert drawn.tolist() == [[0, 0, 1, 0]] * 4  # the most probable patch, as nothing else would be kept


def test_the_temperature_shapes_the_gradient_and_not_the_draw() -> None:
    uniform = torch.rand((2, 1, 50), generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    keep_noise, drop_noise = -torch.log(-torch.log(uniform))
    logit = math.log(0.4 / 0.6) + keep_noise - drop_noise  # (1, 50), before the temperature
    for tau in (0.5, 2.0):
        p = torch.full((1, 50), 0.4, dtype=torch.float64, requires_grad=True)
        mask = gumbel_mask(p, tau, torch.Generator().manual_seed(0))
        mask.sum().backward()
        assert torch.equal(mask.detach(), (logit > 0).double())
        soft = torch.sigmoid(logit / tau)
        torch.testing.assert_close(p.grad, soft * (1 - soft) / (tau * 0.4 * 0.6))


def test_the_authors_calls_select_and_aggregate_as_the_network_does() -> None:
    torch.manual_seed(0)
    tokens, attention_x, attention_y = torch.randn(2, 7, 8), torch.rand(2, 7), torch.rand(2, 7)
    kept, extra, mask = TokenSparse(8, 0.5).select_tokens(tokens, attention_x, attention_y)
    assert (kept.shape, extra.shape, mask.shape) == ((2, 4, 8), (2, 1, 8), (2, 7))
    aggregation = TokenAggregation(8, 3)
    aggregated = aggregation.aggregate(kept)
    for i, score in enumerate(attention_x + attention_y):  # image by image, as one reads it
        order = score.sort(descending=True).indices
        assert torch.equal(kept[i], tokens[i, order[:4]])
        assert mask[i].nonzero().flatten().tolist() == sorted(order[:4].tolist())
        dropped = score[order[4:]].softmax(dim=0)
        torch.testing.assert_close(extra[i, 0], dropped @ tokens[i, order[4:]])
        weights = aggregation.weight(kept[i]).T.softmax(dim=-1)  # (N_c, N_keep); the scale is 1
        torch.testing.assert_close(aggregated[i], weights @ kept[i])
    torch.testing.assert_close(aggregation.aggregate(tokens, mask), aggregated)  # the same by the mask


def test_of_the_paper_variant_select_tokens_decides_as_the_network_does() -> None:
    network, inputs = Case(images=2, captions=1, channels=8, paper=True).build()
    image = network.encode_images(inputs["img_embs"])
    words = inputs["cap_embs"][0, : inputs["cap_lens"][0]]
    branch = network.match(image, words).sparse.selection
    direction = words.double().mean(dim=0)
    s_st = image.unit @ (direction / direction.norm())
    kept, extra, mask = network.sparse_net_cap.select_tokens(image.patches, image.s_im, s_st)
    assert torch.equal(mask, branch.mask)
    torch.testing.assert_close(extra, branch.extra_weights.to(extra.dtype)[:, None] @ image.patches)
    order = branch.score.argsort(descending=True)[:, : kept.shape[1]]
    assert all(torch.equal(kept[i], image.patches[i, order[i]]) for i in range(2))
    assert not torch.allclose(branch.score, image.s_im + s_st)  # s^p is added, and the attentions are normalised
