"""Precomputed data of the view Losses for the static page, in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from demo.record.language import in_languages
from demo.service.retrieval import RetrievalService
from demo.views.losses.claims import CLAIMS, claims_value, run_claim
from demo.views.losses.values import playground_value

LOSSES = "losses.json"


def write_losses(service: RetrievalService, folder: Path) -> None:
    """Write the data of the view Losses to a folder; arguments as for `losses_facts`."""
    folder.mkdir(parents=True)
    (folder / LOSSES).write_text(json.dumps(losses_facts(service), separators=(",", ":")), encoding="utf-8")


def losses_facts(service: RetrievalService) -> dict[str, Any]:
    """Compute the data of the view Losses.

    Args:
        service: of the model `photos`, with the gallery of examples.

    Returns:
        JSON ready: `playground` under default settings, which assets/js/engine/loss.js recomputes under others;
            `claims` with measurements that the page cannot make.
    """

    def claims() -> dict[str, Any]:
        return claims_value({name: run_claim(service, name) for name in CLAIMS})

    return {
        "playground": playground_value(service),
        "claims": in_languages(claims) | {"live": False},
    }
