"""The lesson's last step: a decision by hand under the knobs, or the model's own without the patch that counts most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from demo.record.counterfactual import Trial, trial_columns, trial_rows
from demo.service.counterfactual import Attempts, Mask
from demo.service.encoded import EncodedCaption
from demo.service.masks import mask_text
from seps import CrossSparseAggrNet, SEPSModel, measure_effects


def made_trial(attempts: Attempts, mask: Mask | None, effects: NDArray[np.floating[Any]] | None = None) -> Trial:
    """Try a decision.

    Args:
        attempts: of the photograph and the caption.
        mask: (N,), the decision by hand; None drops the kept patch of the highest effect instead.
        effects: (N,), what S(I, T) loses by each patch, see `measure_effects`; needed where no mask is given.
    """
    decided = attempts.decided
    if mask is not None:
        return Trial(decided, attempts.attempt(mask), by_hand=True)
    kept = decided.record.sparse.kept  # (N,)
    if kept.sum() < 2:
        return Trial(decided)
    assert effects is not None
    highest = np.where(kept, effects, -np.inf).argmax()
    return Trial(decided, attempts.attempt(kept & (np.arange(kept.size) != highest)))


def effects_of(
    model: SEPSModel,
    net: CrossSparseAggrNet,
    patches: Tensor,
    caption: EncodedCaption,
    mask: Mask,
    dense_mask: Mask | None,
) -> NDArray[np.floating[Any]]:
    """Measure what S(I, T) of a network loses by the decision on each patch: (N,), NaN of the only kept one.

    Args:
        model: encoded image and caption; net: what runs.
        patches: (N[+1], C).
        mask, dense_mask: (N,), the decisions of both branches; None is the network's own.
    """
    embeddings = patches.to(model.device), caption.words, caption.dense_words
    return measure_effects(net, *embeddings, mask=mask, dense_mask=dense_mask).effects


def trial_value(trial: Trial) -> dict[str, Any]:
    """Return what the page draws a trial from, JSON ready.

    Returns:
        As for Photos, see `demo.views.viewer`: `own`, the text of the model's own decision, `objects`, `budget`,
        `now` and `game`, which the lesson has not. `patch` is dropped where nobody chose; `columns` and `rows`, of
        key, title and numbers, are the table beside the picture.
    """
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
