"""The lesson's last step: a decision by hand under the knobs, or the model's own without the patch that counts most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from demo.record.counterfactual import Trial, trial_columns, trial_rows
from demo.service.experiments.counterfactual import Attempts, Mask
from demo.service.explaining import EncodedCaption
from demo.service.masks import mask_text
from seps import CrossSparseAggrNet, SEPSModel, measure_effects


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


def effects_of(
    model: SEPSModel,
    net: CrossSparseAggrNet,
    patches: Tensor,
    caption: EncodedCaption,
    mask: Mask,
    dense_mask: Mask | None,
) -> NDArray[np.floating[Any]]:
    """Measure what S(I, T) of a network loses by the decision on each patch: (N,), NaN of the only kept one."""
    embeddings = patches.to(model.device), caption.words, caption.dense_words
    return measure_effects(net, *embeddings, mask=mask, dense_mask=dense_mask).effects


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
