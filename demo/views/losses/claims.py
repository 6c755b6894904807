"""What the equations and the released code imply and the paper does not say, each shown on the live model. A claim is
measured on the playground's batch, with its dense captions. Gradients are taken without touching the model's
parameters."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from demo.record.settings import network_with, trained_knobs
from demo.record.texts.table import say
from demo.service.retrieval import RetrievalService
from demo.views.losses.values import GALLERY, Batch, read_batch
from seps import CrossSparseAggrNet
from seps.method.losses import align_loss, ratio_loss
from seps.method.selection import count_kept, top_k_mask

Measured = dict[str, float]
MISSED_TARGET = 0.3


def run_claim(service: RetrievalService, name: str) -> dict[str, Any]:
    """Run one of CLAIMS on a model with the gallery of examples: its sentences, `measured` and `holds`, JSON ready."""
    if name not in CLAIMS:
        raise ValueError(f"There is no claim {name!r}; there are: {', '.join(CLAIMS)}.")
    with torch.enable_grad():
        measured, holds = CLAIMS[name](service)
    return _sentences(name) | {"measured": measured, "holds": holds}


def claims_value(results: Mapping[str, dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return every claim with its `result`, from `run_claim` where it has been run, else None."""
    return {"claims": [_sentences(name) | {"result": (results or {}).get(name)} for name in CLAIMS]}


def _sentences(name: str) -> dict[str, Any]:
    return {"name": name, "claim": say(f"claim.{name}"), "how": say(f"how.{name}")}


def _fixed_share(service: RetrievalService) -> tuple[Measured, bool]:
    """Under hard top-k: kept shares, L_ratio before and after the score networks change, and the gradients' norms."""
    net, batch = _training_network(service, "top-k"), read_batch(service)
    images = _leaf(batch.images)
    masks = _decisions(net, batch, images)
    loss, missed = ratio_loss(masks, net.sparse_ratio), ratio_loss(masks, MISSED_TARGET)
    other = deepcopy(net)  # with score networks that are changed at random
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for part in (other.sparse_net_cap, other.sparse_net_long):
            for values in part.score_predictor.parameters():
                values.add_(torch.randn(values.shape, generator=generator).to(values))
    changed = ratio_loss(_decisions(other, batch, images), net.sparse_ratio)
    gradients = [_gradient_norm(each, [*net.parameters(), images]) for each in (loss, missed)]
    fractions, shares = _kept_shares(masks)
    measured = shares | {
        say("measured.loss", target=net.sparse_ratio): _number(loss),
        say("measured.loss_changed"): _number(changed),
        say("measured.gradient", target=net.sparse_ratio): gradients[0],
        say("measured.loss", target=MISSED_TARGET): _number(missed),
        say("measured.gradient", target=MISSED_TARGET): gradients[1],
    }
    fraction = count_kept(net.num_patches, net.sparse_ratio) / net.num_patches
    same = bool(torch.isclose(fractions, torch.full_like(fractions, fraction)).all())
    return measured, same and _number(loss) == _number(changed) and not any(gradients)


def _drawn_share(service: RetrievalService) -> tuple[Measured, bool]:
    """Under Gumbel-Softmax: the kept shares of all pairs, L_ratio of two draws, and the norms of its gradient."""
    net, batch = _training_network(service, "gumbel"), read_batch(service)
    images = _leaf(batch.images)
    masks = _decisions(net, batch, images, seed=0)
    loss = ratio_loss(masks, net.sparse_ratio)
    other = ratio_loss(_decisions(net, batch, images, seed=1), net.sparse_ratio)
    scores = [*net.sparse_net_cap.score_predictor.parameters(), *net.sparse_net_long.score_predictor.parameters()]
    reaching = _gradient_norm(loss, scores)
    fractions, shares = _kept_shares(masks)
    measured = shares | {
        say("measured.loss_seed", seed=0): _number(loss),
        say("measured.loss_seed", seed=1): _number(other),
        say("measured.gradient_scores"): reaching,
        say("measured.gradient_patches"): _gradient_norm(loss, [images]),
    }
    varies = bool(fractions.max() > fractions.min()) and _number(loss) != _number(other)
    return measured, varies and reaching > 0


def _cut_gradient(service: RetrievalService) -> tuple[Measured, bool]:
    """In the released variant: the norms of the gradient of the sum of all S(I, T), without and with [CLS]."""
    batch = read_batch(service)
    model, encoder = service.model, service.model.img_enc
    released = network_with(model, replace(trained_knobs(model), variant="released"))
    paper = network_with(model, trained_knobs(model))
    through = deepcopy(released)
    through.detach_selection = False
    patches = _leaf(batch.images[:, -released.num_patches :])  # without any [CLS]
    words = _leaf(batch.words)
    cls = _leaf(patches.detach().mean(dim=1, keepdim=True))  # (B, 1, C), the mean patch stands in for [CLS]
    head = encoder.vision_proj.weight
    item = service.find(GALLERY).gallery.items[batch.indices[0]]
    with torch.no_grad():
        features = encoder.features(model.preprocess([item.photo()]).to(model.device))
    encoded = encoder.project(features)[:, -released.num_patches :]  # (1, N, C), with a gradient at the head

    def norm(net: CrossSparseAggrNet, images: Tensor, at: Tensor) -> float:
        similarity = net(images, words, batch.lengths, batch.dense_words, batch.dense_lengths)
        return _gradient_norm(similarity.sum(), [at])

    with_cls = torch.cat([cls, patches], dim=1)
    cut = {
        say("measured.released_patches"): norm(released, patches, patches),
        say("measured.released_head"): norm(released, encoded, head),
        say("measured.released_cls_patches"): norm(released, with_cls, patches),
    }
    reached = {
        say("measured.released_cls"): norm(released, with_cls, cls),
        say("measured.released_words"): norm(released, patches, words),
        say("measured.through_patches"): norm(through, patches, patches),
        say("measured.paper_patches"): norm(paper, patches, patches),
        say("measured.paper_head"): norm(paper, encoded, head),
    }
    return cut | reached, not any(cut.values()) and all(value > 0 for value in reached.values())


def _cheating(service: RetrievalService) -> tuple[Measured, bool]:
    """Measure L_align and L_ratio of the batch under its own decision, and under three that hold no caption in view."""
    net, batch = _training_network(service, "top-k"), read_batch(service)
    with torch.no_grad():
        by_image = net.encode_images(batch.images).s_im  # (B_v, N)
        masks = {
            "decided": None,
            "keeps_all": torch.ones_like(by_image, dtype=torch.bool),
            "keeps_one": top_k_mask(by_image, 1),
            "keeps_same": top_k_mask(by_image, count_kept(net.num_patches, net.sparse_ratio)),
        }
        losses = {name: _forced_losses(net, batch, mask) for name, mask in masks.items()}
    aligns, ratios = ({name: pair[i] for name, pair in losses.items()} for i in (0, 1))
    measured = {
        say(f"measured.{kind}", selector=say(f"measured.{name}")): value
        for kind, values in (("align", aligns), ("ratio", ratios))
        for name, value in values.items()
    }
    unseen = ratios["keeps_same"] == ratios["decided"] < min(ratios["keeps_all"], ratios["keeps_one"])
    return measured, unseen and min(aligns.values()) < aligns["decided"]


# Each gives its numbers, and whether they bear it out.
CLAIMS: dict[str, Callable[[RetrievalService], tuple[Measured, bool]]] = {
    "top-k": _fixed_share,
    "gumbel": _drawn_share,
    "cut-gradient": _cut_gradient,
    "cheats": _cheating,
}


def _training_network(service: RetrievalService, decision: str) -> CrossSparseAggrNet:
    """Return the paper's variant with the trained parameters, in training mode, with a kind of decision."""
    return network_with(service.model, replace(trained_knobs(service.model), decision=decision)).train()


def _decisions(net: CrossSparseAggrNet, batch: Batch, images: Tensor, seed: int = 0) -> Sequence[Tensor]:
    """Return the decision masks of a training pass of the batch: one (B_t, B_v, N) a branch."""
    dense = batch.dense_words, batch.dense_lengths
    generator = torch.Generator(images.device).manual_seed(seed)
    _, masks = net(images, batch.words, batch.lengths, *dense, generator=generator)
    return masks


def _forced_losses(net: CrossSparseAggrNet, batch: Batch, mask: Tensor | None) -> tuple[float, float]:
    """Compute L_align, all negatives, and L_ratio; both branches keep what a mask (B_v, N) says, or decide."""
    image = net.encode_images(batch.images)
    similarities, masks = [], []
    for i, (length, dense_length) in enumerate(zip(batch.lengths, batch.dense_lengths, strict=True)):
        words, dense_words = batch.words[i, :length], batch.dense_words[i, :dense_length]
        match = net.match(image, words, dense_words, mask=mask, dense_mask=mask)
        similarities.append(match.similarity)
        masks.append(net.decision_masks(match))
    align = align_loss(torch.stack(similarities, dim=1), img_ids=batch.img_ids)
    ratio = ratio_loss([torch.stack(branch) for branch in zip(*masks, strict=True)], net.sparse_ratio)
    return _number(align), _number(ratio)


def _kept_shares(masks: Sequence[Tensor]) -> tuple[Tensor, Measured]:
    """Return the share of patches that each pair keeps, (branches, B_t, B_v), and the smallest and the largest."""
    shares = torch.stack([mask.detach().mean(dim=-1) for mask in masks])
    ends = {"smallest": shares.min(), "largest": shares.max()}
    return shares, {say(f"measured.{name}_share"): _number(end) for name, end in ends.items()}


def _leaf(values: Tensor) -> Tensor:
    """Return a copy that gradients are taken at."""
    return values.detach().clone().requires_grad_()


def _number(value: Tensor) -> float:
    return float(value.detach())


def _gradient_norm(loss: Tensor, at: Sequence[Tensor]) -> float:
    """Return the Euclidean norm of a scalar's gradient at all of these tensors together; 0 where none reaches them."""
    if not loss.requires_grad:
        return 0.0
    gradients = torch.autograd.grad(loss, list(at), allow_unused=True, retain_graph=True)
    return float(sum(gradient.double().pow(2).sum() for gradient in gradients if gradient is not None)) ** 0.5
