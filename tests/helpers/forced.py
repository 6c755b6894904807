"""Random decisions from outside, and the engine's arguments for one pair."""

from __future__ import annotations

from typing import Any

import torch

from seps import CaptionIndex, CrossSparseAggrNet, ImageIndex, ScoringEngine


def random_masks(case_seed: int, num_patches: int, dense: bool) -> dict[str, Any]:
    """A mask of any count from 1, and for a dense caption another: what `match`, `explain` and `score` take."""
    generator = torch.Generator().manual_seed(case_seed)
    masks: dict[str, Any] = {}
    for name in ("mask", "dense_mask") if dense else ("mask",):
        count = int(torch.randint(1, num_patches + 1, (), generator=generator))
        order = torch.randperm(num_patches, generator=generator)
        masks[name] = torch.zeros(num_patches, dtype=torch.bool).index_fill(0, order[:count], True)
    return masks


def indexed(model: CrossSparseAggrNet, inputs: dict[str, Any]) -> tuple[ScoringEngine, ImageIndex, CaptionIndex]:
    """An engine, and the inputs of a forward pass encoded for it."""
    engine = ScoringEngine(model)
    captions = {name: value for name, value in inputs.items() if name != "img_embs"}
    return engine, engine.encode_images(inputs["img_embs"]), engine.encode_captions(**captions)
