"""What the equations and the released code imply and the paper does not say, each shown on the live model.

A claim is measured on the playground's batch, with its dense captions. Gradients are taken without touching the
model's parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Claim:
    """A claim, by its name in links and in the table; `measure` gives its numbers and whether they bear it out."""

    name: str
    measure: Callable[[RetrievalService], tuple[Measured, bool]]

    @property
    def says(self) -> dict[str, str]:
        """A claim: its `name`, the sentence `claim`, and `how` it is measured."""
        return {"name": self.name, "claim": say(f"claim.{self.name}"), "how": say(f"how.{self.name}")}


def run_claim(service: RetrievalService, name: str) -> dict[str, Any]:
    """Run one of CLAIMS on a model with the gallery of examples: its sentences, `measured` and `holds`, JSON ready."""
    if name not in CLAIMS:
        raise ValueError(f"There is no claim {name!r}; there are: {', '.join(CLAIMS)}.")
    claim = CLAIMS[name]
    with torch.enable_grad():
        measured, holds = claim.measure(service)
    return {**claim.says, "measured": measured, "holds": holds}


def claims_value(results: Mapping[str, dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return every claim with its `result`, from `run_claim` where it has been run, else None."""
    results = results or {}
    return {"claims": [{**claim.says, "result": results.get(claim.name)} for claim in CLAIMS.values()]}


def fixed_share(service: RetrievalService) -> tuple[Measured, bool]:
    """Under hard top-k: kept shares, L_ratio before and after the score networks change, and the gradients' norms."""
    net = training_network(service, "top-k")
    batch, images = read_batch(service), leaf(read_batch(service).images)
    masks = decisions(net, batch, images)
    loss, missed = ratio_loss(masks, net.sparse_ratio), ratio_loss(masks, MISSED_TARGET)
    changed = ratio_loss(decisions(with_other_scores(net), batch, images), net.sparse_ratio)
    everything = [*net.parameters(), images]
    gradients = [gradient_norm(loss, everything), gradient_norm(missed, everything)]
    fractions = compute_kept_shares(masks)
    measured = {
        say("measured.smallest_share"): number(fractions.min()),
        say("measured.largest_share"): number(fractions.max()),
        say("measured.loss", target=net.sparse_ratio): number(loss),
        say("measured.loss_changed"): number(changed),
        say("measured.gradient", target=net.sparse_ratio): gradients[0],
        say("measured.loss", target=MISSED_TARGET): number(missed),
        say("measured.gradient", target=MISSED_TARGET): gradients[1],
    }
    fraction = count_kept(net.num_patches, net.sparse_ratio) / net.num_patches
    same = bool(torch.isclose(fractions, torch.full_like(fractions, fraction)).all())
    return measured, same and number(loss) == number(changed) and not any(gradients)


def drawn_share(service: RetrievalService) -> tuple[Measured, bool]:
    """Under Gumbel-Softmax: the kept shares of all pairs, L_ratio of two draws, and the norms of its gradient."""
    net = training_network(service, "gumbel")
    batch, images = read_batch(service), leaf(read_batch(service).images)
    masks = decisions(net, batch, images, seed=0)
    loss = ratio_loss(masks, net.sparse_ratio)
    other = ratio_loss(decisions(net, batch, images, seed=1), net.sparse_ratio)
    fractions = compute_kept_shares(masks)
    scores = [*net.sparse_net_cap.score_predictor.parameters(), *net.sparse_net_long.score_predictor.parameters()]
    reaching = gradient_norm(loss, scores)
    measured = {
        say("measured.smallest_share"): number(fractions.min()),
        say("measured.largest_share"): number(fractions.max()),
        say("measured.loss_seed", seed=0): number(loss),
        say("measured.loss_seed", seed=1): number(other),
        say("measured.gradient_scores"): reaching,
        say("measured.gradient_patches"): gradient_norm(loss, [images]),
    }
    varies = bool(fractions.max() > fractions.min()) and number(loss) != number(other)
    return measured, varies and reaching > 0


def cut_gradient(service: RetrievalService) -> tuple[Measured, bool]:
    """In the released variant: the norms of the gradient of the sum of all S(I, T), without and with [CLS]."""
    batch = read_batch(service)
    released = network_with(service.model, replace(trained_knobs(service.model), variant="released"))
    paper = network_with(service.model, trained_knobs(service.model))
    through = deepcopy(released)
    through.detach_selection = False
    patches = leaf(batch.images[:, -released.num_patches :])  # without any [CLS]
    words = leaf(batch.words)
    cls = leaf(patches.detach().mean(dim=1, keepdim=True))  # (B, 1, C), the mean patch stands in for [CLS]
    head = service.model.img_enc.vision_proj.weight
    encoded = project_photo(service, batch)[:, -released.num_patches :]

    def norm(net: CrossSparseAggrNet, images: Tensor, at: Tensor) -> float:
        return gradient_norm(similarities(net, batch, images, words), [at])

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


def cheating(service: RetrievalService) -> tuple[Measured, bool]:
    """Measure L_align and L_ratio of the batch under its own decision, and under three that hold no caption in view."""
    net, batch = training_network(service, "top-k"), read_batch(service)
    with torch.no_grad():
        by_image = net.encode_images(batch.images).s_im  # (B_v, N)
        masks = {
            "decided": None,
            "keeps_all": torch.ones_like(by_image, dtype=torch.bool),
            "keeps_one": top_k_mask(by_image, 1),
            "keeps_same": top_k_mask(by_image, count_kept(net.num_patches, net.sparse_ratio)),
        }
        losses = {name: forced_losses(net, batch, mask) for name, mask in masks.items()}
    aligns, ratios = ({name: pair[i] for name, pair in losses.items()} for i in (0, 1))
    measured = {
        say(f"measured.{kind}", selector=say(f"measured.{name}")): value
        for kind, values in (("align", aligns), ("ratio", ratios))
        for name, value in values.items()
    }
    unseen = ratios["keeps_same"] == ratios["decided"] < min(ratios["keeps_all"], ratios["keeps_one"])
    return measured, unseen and min(aligns.values()) < aligns["decided"]


CLAIMS: dict[str, Claim] = {
    claim.name: claim
    for claim in (
        Claim("top-k", fixed_share),
        Claim("gumbel", drawn_share),
        Claim("cut-gradient", cut_gradient),
        Claim("cheats", cheating),
    )
}


def training_network(service: RetrievalService, decision: str) -> CrossSparseAggrNet:
    """Return the paper's variant with the trained parameters, in training mode, with a kind of decision."""
    knobs = replace(trained_knobs(service.model), decision=decision)
    return network_with(service.model, knobs).train()


def decisions(net: CrossSparseAggrNet, batch: Batch, images: Tensor, seed: int = 0) -> Sequence[Tensor]:
    """Return the decision masks of a training pass of the batch: one (B_t, B_v, N) a branch."""
    dense = batch.dense_words, batch.dense_lengths
    generator = torch.Generator(images.device).manual_seed(seed)
    _, masks = net(images, batch.words, batch.lengths, *dense, generator=generator)
    return masks


def forced_losses(net: CrossSparseAggrNet, batch: Batch, mask: Tensor | None) -> tuple[float, float]:
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
    return number(align), number(ratio)


def compute_kept_shares(masks: Sequence[Tensor]) -> Tensor:
    """Return the share of patches that each pair keeps: (branches, B_t, B_v)."""
    return torch.stack([mask.detach().mean(dim=-1) for mask in masks])


def with_other_scores(net: CrossSparseAggrNet) -> CrossSparseAggrNet:
    """Return a copy of the network whose two score networks are changed at random."""
    other = deepcopy(net)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for part in (other.sparse_net_cap, other.sparse_net_long):
            for values in part.score_predictor.parameters():
                values.add_(torch.randn(values.shape, generator=generator).to(values))
    return other


def similarities(net: CrossSparseAggrNet, batch: Batch, images: Tensor, words: Tensor) -> Tensor:
    """S(I, T) of all pairs, added: a scalar that any loss on S reaches the images through."""
    return net(images, words, batch.lengths, batch.dense_words, batch.dense_lengths).sum()


def project_photo(service: RetrievalService, batch: Batch) -> Tensor:
    """Return the batch's first photograph through the image encoder, (1, N[+1], C), with a gradient at its head."""
    encoder = service.model.img_enc
    item = service.find(GALLERY).gallery.items[batch.indices[0]]
    pixels = service.model.preprocess([item.photo()]).to(service.model.device)
    with torch.no_grad():
        features = encoder.features(pixels)
    return encoder.project(features)


def leaf(values: Tensor) -> Tensor:
    """Return a copy that gradients are taken at."""
    return values.detach().clone().requires_grad_()


def number(value: Tensor) -> float:
    """Return a scalar as a float."""
    return float(value.detach())


def gradient_norm(loss: Tensor, at: Sequence[Tensor]) -> float:
    """Return the Euclidean norm of a scalar's gradient at all of these tensors together; 0 where none reaches them."""
    if not loss.requires_grad:
        return 0.0
    gradients = torch.autograd.grad(loss, list(at), allow_unused=True, retain_graph=True)
    return float(sum(gradient.double().pow(2).sum() for gradient in gradients if gradient is not None)) ** 0.5
