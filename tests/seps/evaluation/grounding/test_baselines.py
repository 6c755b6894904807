import numpy as np
import pytest
import torch

from seps import CrossSparseAggrNet
from seps.evaluation.grounding.baselines import Gradients, centre_blob
from seps.evaluation.grounding.measures import order_of

PHRASES = [slice(1, 3), slice(2, 2)]


def network(paper: bool, sparse_ratio: float = 1.0) -> CrossSparseAggrNet:
    torch.manual_seed(3)
    return CrossSparseAggrNet(
        embed_size=8, num_patches=9, sparse_ratio=sparse_ratio, use_paper_version=paper, top_k=3
    ).double()


def embeddings(cls: bool) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    image = torch.randn(9 + cls, 8, generator=generator, dtype=torch.float64)
    return image, torch.randn(4, 8, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize(("paper", "cls"), [(True, True), (False, False)])
def test_gradients_are_what_scaling_a_patch_does(paper: bool, cls: bool) -> None:
    # All patches are kept, so that S depends on them through no attention: v . dF/dv is dF of v's length.
    net, (image, words) = network(paper), embeddings(cls)

    def scores(scaled: torch.Tensor) -> tuple[float, float]:
        with torch.no_grad():
            match = net.match(net.encode_images(scaled[None]), words)
        best = match.alignments[0].cosines[0].amax(dim=0)
        return float(best[PHRASES[0]].sum()), float(match.similarity[0])

    phrases, caption = Gradients(net, image).maps(words, PHRASES)
    step = 1e-5
    for patch in range(9):
        more, less = image.clone(), image.clone()
        more[cls + patch] *= 1 + step
        less[cls + patch] *= 1 - step
        changes = [abs(up - down) / (2 * step) for up, down in zip(scores(more), scores(less), strict=True)]
        assert [phrases[0][patch], caption[patch]] == pytest.approx(changes, abs=1e-8)
    assert phrases[0].any() and caption.any()
    assert not phrases[1].any()  # a phrase without words
    assert net.detach_selection != paper and all(parameter.grad is None for parameter in net.parameters())


def test_the_blob_is_centred() -> None:
    blob = centre_blob((3, 4)).reshape(3, 4)
    assert np.array_equal(blob, blob[::-1]) and np.array_equal(blob, blob[:, ::-1])
    assert blob[1, 1] == pytest.approx(np.exp(-(0.125**2) / 0.125))
    assert blob[0, 0] == pytest.approx(np.exp(-(0.375**2 + (1 / 3) ** 2) / 0.125))
    assert set(order_of(blob.ravel())[:2].tolist()) == {5, 6}
