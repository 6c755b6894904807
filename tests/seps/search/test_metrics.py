import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seps import image_to_text_ranks, retrieval_metrics, text_to_image_ranks
from seps.search import metrics


def obvious_ranks(similarity: list[list[float]], k: int) -> tuple[list[int], list[int]]:
    """Ranks as one reads them: one more than the wrong answers that score no less than the best right one."""
    images, captions = len(similarity), len(similarity[0])
    image_to_text = []
    for i in range(images):
        best = max(similarity[i][j] for j in range(captions) if j // k == i)
        image_to_text.append(1 + sum(similarity[i][j] >= best for j in range(captions) if j // k != i))
    text_to_image = []
    for j in range(captions):
        positive = similarity[j // k][j]
        text_to_image.append(1 + sum(similarity[i][j] >= positive for i in range(images) if i != j // k))
    return image_to_text, text_to_image


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 6), st.integers(0, 10_000))
def test_ranks_are_the_obvious_ones_with_ties(images: int, k: int, levels: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    similarity = torch.randint(levels, (images, images * k), generator=generator).float()  # few levels, many ties
    image_to_text, text_to_image = obvious_ranks(similarity.tolist(), k)
    assert image_to_text_ranks(similarity, k).tolist() == image_to_text
    assert text_to_image_ranks(similarity, k).tolist() == text_to_image


def test_chunks_do_not_change_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    similarity = torch.randint(9, (30, 150)).float()
    whole = image_to_text_ranks(similarity, 5), text_to_image_ranks(similarity, 5)
    monkeypatch.setattr(metrics, "CHUNK", 7)
    assert torch.equal(image_to_text_ranks(similarity, 5), whole[0])
    assert torch.equal(text_to_image_ranks(similarity, 5), whole[1])


def test_a_hand_made_matrix() -> None:
    # Image 0's captions 0 and 1, image 1's captions 2 and 3.
    similarity = torch.tensor([[0.9, 0.1, 0.5, 0.2], [0.8, 0.3, 0.4, 0.7]])
    result = retrieval_metrics(similarity, 2)
    assert image_to_text_ranks(similarity, 2).tolist() == [1, 2]
    assert text_to_image_ranks(similarity, 2).tolist() == [1, 2, 2, 1]
    assert (result.image_to_text.r1, result.image_to_text.r5) == (50.0, 100.0)
    assert (result.text_to_image.r1, result.text_to_image.median_rank, result.text_to_image.mean_rank) == (50, 1.5, 1.5)
    assert result.rsum == 50 + 100 + 100 + 50 + 100 + 100


@pytest.mark.parametrize(
    ("similarity", "k", "message"),
    [
        (torch.zeros(3, 14), 5, "14 captions, but 3 images with 5 captions each make 15"),
        (torch.zeros(3, 3), 0, "3 captions, but 3 images with 0"),
        (torch.zeros(3), 1, r"shape \(3,\)"),
        (torch.full((2, 2), float("nan")), 1, "4 NaN or infinite values among 4"),
    ],
)
def test_bad_matrices_are_refused(similarity: torch.Tensor, k: int, message: str) -> None:
    for function in (image_to_text_ranks, text_to_image_ranks, retrieval_metrics):
        with pytest.raises(ValueError, match=message):
            function(similarity, k)
