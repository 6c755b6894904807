import pytest
import torch

import seps
from seps import CrossSparseAggrNet
from tests.helpers.models.cases import Case


def test_released_selection_with_gradient_reaches_all_patches_and_computes_the_same() -> None:
    case = Case(paper=False, has_cls=False, dense_words=9)
    (detached, inputs), (attached, _) = case.build(), case.build(detach_selection=False)
    inputs["img_embs"].requires_grad_()
    similarity = attached(**inputs)
    assert torch.equal(detached(**inputs), similarity)
    similarity.sum().backward()
    assert (inputs["img_embs"].grad.abs().sum(dim=-1) > 0).all()


@pytest.mark.parametrize("paper", [False, True])
def test_gumbel_samples_in_training_alone_and_by_seed(paper: bool) -> None:
    model, inputs = Case(paper=paper, side=6, dense_words=9).build(use_gumbel_softmax=True)
    top_k = Case(paper=paper, side=6, dense_words=9).build()[0](**inputs)
    assert torch.equal(model(**inputs), top_k)
    model.train()

    def run(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
        similarity, masks = model(**inputs, generator=torch.Generator().manual_seed(seed))
        return similarity, masks[0] if paper else masks

    (first, mask), (again, mask_again), (other, _) = run(1), run(1), run(2)
    assert torch.equal(first, again) and torch.equal(mask, mask_again) and not torch.equal(first, other)
    assert len(mask.sum(dim=-1).unique()) > 1  # the kept count is free
    torch.manual_seed(5)
    global_noise = model(**inputs)[0]
    torch.manual_seed(5)
    assert torch.equal(model(**inputs)[0], global_noise)


def test_the_ratio_loss_has_a_gradient_under_gumbel_and_none_under_top_k() -> None:
    for use_gumbel in (False, True):
        model, inputs = Case(side=6, dense_words=9).build(use_gumbel_softmax=use_gumbel)
        _, masks = model.train()(**inputs)
        loss = seps.ratio_loss(masks, 0.3)
        assert loss.requires_grad == use_gumbel
    loss.backward()
    gradient = model.get_parameter("sparse_net_cap.score_predictor.0.weight").grad
    assert gradient is not None and int(gradient.count_nonzero()) > 0


def test_without_any_aggregated_token_the_model_warns_and_still_scores() -> None:
    with pytest.warns(UserWarning, match=r"4 patches .* make 0 aggregated tokens"):
        model = CrossSparseAggrNet(16, 4, 0.5, 0.4)
    assert model.eval()(torch.randn(2, 5, 16), torch.randn(1, 3, 16), [3]).isfinite().all()
