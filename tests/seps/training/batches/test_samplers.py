import torch

from seps.training.batches.samplers import group_batches, sample_captions, shuffle_batches, similar_batches


def test_shuffled_batches_hold_each_caption_once() -> None:
    batches = shuffle_batches(23, 5, torch.Generator().manual_seed(0))
    assert [len(batch) for batch in batches] == [5, 5, 5, 5]
    assert len(torch.cat(batches).unique()) == 20


def test_similar_batches_hold_neighbours_and_no_image_twice() -> None:
    generator = torch.Generator().manual_seed(0)
    groups = torch.arange(40) % 4  # 4 kinds of images, far apart
    pooled = torch.nn.functional.one_hot(groups, 4).float()
    batches = similar_batches(pooled, 5, 5, 10, 0.0, generator)
    assert len(batches) == 20
    captions = torch.cat(batches)
    assert len(captions.unique()) == len(captions) == 200
    for batch in batches:
        images = batch // 5
        assert len(images.unique()) == 10
        assert len(groups[images].unique()) == 1
    blurred = similar_batches(pooled, 5, 2, 10, 100.0, generator)
    assert len(blurred) == 8
    assert any(len(groups[batch // 5].unique()) > 1 for batch in blurred)


def test_sampled_captions_are_one_an_image_and_round() -> None:
    images = torch.tensor([3, 5, 8, 9, 11])
    rounds = sample_captions(images, 5, 3, torch.Generator().manual_seed(0))
    assert len(rounds) == 3
    assert all((captions // 5).equal(images) for captions in rounds)
    assert len(torch.cat(rounds).unique()) == 15


def test_grouped_batches_are_groups_of_neighbours() -> None:
    generator = torch.Generator().manual_seed(0)
    kinds = torch.arange(24) % 6
    pooled = torch.nn.functional.normalize(torch.nn.functional.one_hot(kinds, 6) + 0.01 * torch.rand(24, 6), dim=-1)
    batches = group_batches(pooled, 4, 8, generator)
    assert len(batches) == 3
    assert len(torch.cat(batches).unique()) == 24
    for batch in batches:
        assert [len(kinds[members].unique()) for members in batch.split(4)] == [1, 1]
    assert len(group_batches(pooled[:11], 4, 8, generator)) == 1  # two groups; three embeddings are left over
