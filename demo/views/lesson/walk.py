"""The walk: the method's nine steps on one photograph and one caption, and what the knobs move."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from demo.galleries.indexes.index import IndexedGallery
from demo.record import settings
from demo.record.counterfactual import Trial, trial_columns, trial_rows
from demo.record.packing import packed
from demo.record.photo import photo_value
from demo.record.texts.table import say
from demo.service.captions import read_pair
from demo.service.experiments.counterfactual import Attempts, Decided, Mask
from demo.service.explaining import explain_pair, index_captions
from demo.service.masks import mask_text, read_mask
from demo.service.retrieval import RetrievalService
from demo.views.lesson.steps import STEPS, Example, steps
from seps import CaptionIndex, CrossSparseAggrNet, Explanation, ImageIndex, Ranking, ScoringEngine, measure_effects
from seps.explanation.spread import caption_spread
from seps.method.selection import gumbel_mask, normalise_patches, text_attention
from seps.search.index import model_key


@dataclass(frozen=True)
class WalkRequest:
    """Photo, caption and settings of a walk through the method."""

    service: RetrievalService
    indexed: IndexedGallery
    index: int
    caption: str  # as typed
    dense: str | None
    knobs: settings.Knobs  # of the pass; "before" is what the model is evaluated with
    mask: str = ""  # the decision by hand as links write it, empty for the model's own


@dataclass(frozen=True)
class Walk:
    """One pass of the lesson; both captions are there even where the knobs leave the dense one out."""

    caption: str  # as read
    dense: str | None
    dense_words: list[str] | None
    knobs: settings.Knobs  # of the pass
    net: CrossSparseAggrNet
    record: Explanation
    before: Explanation  # the same pair by what the model is evaluated with
    changed: bool  # whether the knobs move anything against that
    rank: int | None  # of the photograph for the caption, from 1; None for a drawn decision
    rank_before: int
    total: int  # photographs that are ranked
    caption_rank: dict[str, Any] | None  # see `_caption_ranks`
    spread: tuple[float, int] | None  # see `_captions_spread`
    trial: Trial  # a decision next to that of the pass, under the same knobs


def walk(request: WalkRequest) -> Walk:
    """Compute the lesson for one photograph of a gallery; errors as `walk_value`."""
    service, indexed, index, knobs = request.service, request.indexed, request.index, request.knobs
    model = service.model
    mask = read_mask(request.mask, model.cross_net.num_patches)  # (N,)
    caption, dense = read_pair(model, request.caption, request.dense)
    changed = bool(settings.changes(knobs, settings.evaluation_knobs(model), dense is not None))
    net = settings.network_with(model, knobs) if changed else model.cross_net
    encoded = service.encode_caption(caption, dense)
    used = encoded if knobs.dense else encoded.alone
    before = service.explain_encoded(indexed, index, encoded)
    drawn = knobs.decision == "gumbel"
    alone, caption_index = (index_captions(service.engine, [either]) for either in (encoded.alone, encoded))
    images, positions = indexed.shortlist(alone, index)
    at = positions.index(index)
    ranking_before = photo_ranking(model.cross_net, images, caption_index)
    ranking: Ranking | None = None if drawn else ranking_before
    if changed and not drawn:
        ranking = photo_ranking(net, images, alone if used.dense is None else caption_index)
    places = [1 + either.indices.tolist().index(at) for either in (ranking_before, ranking) if either is not None]
    rank, record = None if ranking is None else places[1], before
    if changed:
        generator = torch.Generator(model.device).manual_seed(knobs.seed) if drawn else None
        record = explain_pair(model, indexed.patches(index), used, net, generator)
    dense_mask = record.dense.kept if drawn and record.dense is not None else None  # of the same draw

    def explained(mask: Mask) -> Explanation:
        if not changed:
            return service.explain_encoded(indexed, index, encoded, mask)
        return explain_pair(model, indexed.patches(index), used, net, mask=mask, dense_mask=dense_mask)

    decided = Decided(record) if rank is None else Decided(record, rank, len(images))
    others = np.empty(0) if ranking is None else ranking.scores[ranking.indices != at].double().numpy()
    effects = None
    if mask is None:
        embeddings = indexed.patches(index).to(model.device), used.words, used.dense_words
        effects = measure_effects(net, *embeddings, mask=record.sparse.kept, dense_mask=dense_mask).effects
    return Walk(
        caption=caption,
        dense=dense,
        dense_words=None if dense is None else model.words(dense, dense=True),
        knobs=knobs,
        net=net,
        record=record,
        before=before,
        changed=changed,
        rank=rank,
        rank_before=places[0],
        total=len(images),
        caption_rank=_caption_ranks(service, net, indexed, index, caption, alone, drawn),
        spread=_captions_spread(service, net, indexed, index, caption_index if used.dense else None),
        trial=made_trial(Attempts(decided, others, explained), mask, effects),
    )


def walk_value(request: WalkRequest, step: int = 1) -> dict[str, Any]:
    """Return the lesson as its script draws it, JSON ready; `step` is the one to show, 1 to 9. ValueError for a caption
    that cannot be read, settings that the model does not allow, no such step, or a text that is no mask."""
    if step not in range(1, STEPS + 1):
        raise ValueError(f"There is no step {step!r}: the lesson has steps 1 to {STEPS}.")
    service, indexed, knobs = request.service, request.indexed, request.knobs
    walked, trained = walk(request), settings.trained_knobs(service.model)
    note = say("rank.drawn") if knobs.decision == "gumbel" else ""
    ranks = {"before": walked.rank_before, "now": walked.rank, "total": walked.total, "gallery": indexed.gallery.name}
    among, alone = walked.caption_rank, say("rank.alone") if walked.dense else ""
    sparse = len(service.model.words(walked.caption))
    dense = None if walked.dense_words is None else len(walked.dense_words)
    return {
        "photo": photo_value(indexed, request.index),
        "model": service.name,
        "caption": walked.caption,
        "dense_caption": walked.dense,
        "step": step,
        "knobs": asdict(knobs),
        "trained": asdict(trained),
        "untrained": settings.untrained(knobs, trained),
        "idle": settings.idle_choices(),
        "fixed": settings.idle(knobs, walked.dense is not None) | settings.fixed(service.model),
        "limits": {name: list(ends) for name, ends in settings.limits(service.model).items()},
        "record": packed(walked.record),
        "before": packed(walked.before) if walked.changed else None,
        "rank": ranks | {"note": note},
        "caption_rank": None if among is None else among | {"note": note or alone},
        "moved": moved_between(walked.before, walked.record),
        "channels": walked.net.embed_size,
        "dense_words": walked.dense_words,
        "lengths": {"sparse": sparse, "dense": dense, "denser": None if dense is None else dense / sparse},
        "steps": told_steps(service, walked),
        "by_hand": request.mask,
        "whatif": trial_value(walked.trial),
    }


def made_trial(attempts: Attempts, mask: Mask | None, effects: NDArray[np.floating[Any]] | None = None) -> Trial:
    """Try `mask` (N,), or without one drop the kept patch of the highest of `effects` (N,), see `measure_effects`."""
    decided = attempts.decided
    if mask is not None:
        return Trial(decided, attempts.attempt(mask), by_hand=True)
    kept = decided.record.sparse.kept  # (N,)
    if kept.sum() < 2:
        return Trial(decided)
    assert effects is not None
    highest = np.where(kept, effects, -np.inf).argmax()
    return Trial(decided, attempts.attempt(kept & (np.arange(kept.size) != highest)))


def trial_value(trial: Trial) -> dict[str, Any]:
    """Return a trial for the page, as `whatif_value` in `demo.views.viewer`, with its table; JSON ready."""
    return {
        "own": mask_text(trial.decided.record.sparse.kept),
        "objects": [],
        "budget": 0,
        "now": None,
        "game": None,
        "patch": trial.patch,
        "columns": trial_columns(trial),
        "rows": [list(row) for row in trial_rows(trial)],
    }


def _images_for(net: CrossSparseAggrNet, images: ImageIndex) -> ImageIndex:
    """Photographs as an engine on `net` takes it. The settings leave what depends on images alone as it is; the
    released variant has no s_p, and the sparse branch's aggregation logits serve both branches."""
    if not net.use_paper_version:
        images = replace(images, s_p=(None, None), logits=(images.logits[0], images.logits[0]))
    return replace(images, model_key=model_key(net))


def photo_ranking(net: CrossSparseAggrNet, images: ImageIndex, caption: CaptionIndex) -> Ranking:
    """Photographs ranked for one caption."""
    return ScoringEngine(net).rank_images(caption, _images_for(net, images))


def _caption_ranks(
    service: RetrievalService,
    net: CrossSparseAggrNet,
    indexed: IndexedGallery,
    index: int,
    caption: str,
    alone: CaptionIndex,
    drawn: bool,
) -> dict[str, Any] | None:
    """Return the caption's place for the photograph among a gallery's captions, which it joins if it is none of them.
    None where neither the photograph's gallery nor the first one has captions."""
    name = _pool_name(service, indexed)
    if name is None:
        return None
    texts, _, caption_index = service.caption_pool(name)

    def rank(net: CrossSparseAggrNet) -> int:
        engine, image = ScoringEngine(net), _images_for(net, indexed.image(index))
        scores = engine.score(image, caption_index)[0]  # (T,)
        if caption in texts:
            return 1 + scores.argsort(descending=True, stable=True).tolist().index(texts.index(caption))
        return 1 + int((scores >= engine.score(image, alone)[0]).sum())

    before = rank(service.model.cross_net)
    now = None if drawn else before if net is service.model.cross_net else rank(net)
    return {"before": before, "now": now, "total": len(texts) + (caption not in texts), "gallery": name}


def _captions_spread(
    service: RetrievalService, net: CrossSparseAggrNet, indexed: IndexedGallery, index: int, dense: CaptionIndex | None
) -> tuple[float, int] | None:
    """Return the caption's share, in [0, 1], of the spread of the sparse branch's score over a photograph's patches,
    and of how many captions. None without captions, and where the score is the same on every patch."""
    name = _pool_name(service, indexed)
    if name is None:
        return None
    captions, image = service.caption_pool(name)[2], _images_for(net, indexed.image(index))
    unit = normalise_patches(image.patches)[0]  # (N, C)
    s_st = text_attention(unit, captions.sparse.direction.T).T  # (P, N)
    attentions = {"s_st": s_st, "s_im": image.s_im.expand_as(s_st)}
    if dense is not None and dense.dense is not None and net.use_paper_version:
        attentions["s_dt"] = text_attention(unit, dense.dense.direction[0]).expand_as(s_st)
    s_p = image.s_p[0]
    _, scores = net.sparse_net_cap.combine(None if s_p is None else s_p.expand_as(s_st), attentions)
    of_caption, whole = caption_spread(scores)
    return (of_caption / whole, len(captions)) if whole > 0 else None


def _pool_name(service: RetrievalService, indexed: IndexedGallery) -> str | None:
    """Return the gallery whose captions stand for others: the photograph's own or else the first, or None."""
    for name in (indexed.gallery.name, service.first):
        if name in service.galleries and any(item.captions for item in service.galleries[name].gallery.items):
            return name
    return None


def moved_between(before: Explanation, now: Explanation) -> dict[str, Any]:
    """Return what differs between two passes; a term that one of them lacks is None there."""
    then, kept = before.sparse.kept, now.sparse.kept
    names = dict.fromkeys([*now.terms, *before.terms])
    return {
        "kept": {
            "both": int((then & kept).sum()),
            "gained": (kept & ~then).nonzero()[0].tolist(),
            "lost": (then & ~kept).nonzero()[0].tolist(),
        },
        "terms": {name: [before.terms.get(name), now.terms.get(name)] for name in names},
        "score": [before.similarity, now.similarity],
    }


def told_steps(service: RetrievalService, walked: Walk) -> list[dict[str, Any]]:
    """Return the nine steps; the fourth with the keep probabilities and, for a draw, its decision's gradients."""
    config, knobs = service.model.config, walked.knobs
    example = Example(
        record=walked.record,
        knobs=knobs,
        channels=walked.net.embed_size,
        pixels=config.vision.image_size,
        dense_length=None if walked.dense_words is None else len(walked.dense_words),
        context=(config.vision.context_size > 0, config.text.context),
        classes=len(service.model.class_names),
        trained_k=service.model.cross_net.hrpa.top_k,
        rank=None if walked.rank is None else (walked.rank, walked.total),
        spread=walked.spread,
        trial=walked.trial,
    )
    listed = steps(example)
    probability = keep_probability(walked)  # (N,)
    listed[3]["keep_probability"] = probability.tolist()
    if knobs.decision == "gumbel":
        device = service.model.device
        leaf = probability[None].to(device).requires_grad_()  # (1, N)
        gumbel_mask(leaf, knobs.temperature, torch.Generator(device).manual_seed(knobs.seed)).sum().backward()
        assert leaf.grad is not None
        listed[3]["decision_gradient"] = leaf.grad[0].tolist()
    return listed


def keep_probability(walked: Walk) -> Tensor:
    """(N,) in [0, 1]: how likely a draw keeps each patch, the place of its score in the range that a score can have."""
    low, high = walked.net.sparse_net_cap.score_range
    return torch.tensor((walked.record.sparse.score - low) / (high - low)).clamp(0, 1)
