"""What endpoints read and answer: captions, outcomes, files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.drawing.formats import Download
from demo.service.captions import read_typed
from demo.service.experiment import Outcome
from demo.service.retrieval import RetrievalService
from seps.scenes import as_json

if TYPE_CHECKING:  # the captioner is imported with its first use
    from seps.generator.generator import WrittenCaption

SAME = "same"  # the gallery of the photo itself


def read_captions(service: RetrievalService, typed: str) -> list[str]:
    """Read captions typed one a line.

    Raises:
        ValueError: there is none, or one cannot be read.
    """
    texts = read_typed(service.model, typed)
    if not texts:
        raise ValueError("There is no caption: write at least one, one a line.")
    return texts


def caption_record(caption: WrittenCaption) -> dict[str, Any]:
    """Write a picture's caption as the endpoint answers it."""
    return {
        "caption": caption.text,
        "score": caption.score,
        "words": list(caption.words),
        "attention": caption.attention.tolist(),
    }


def outcome_value(outcome: Outcome) -> dict[str, Any]:
    """Write an outcome as the endpoint answers it."""
    kept = outcome.record.sparse.kept.astype(int).tolist()
    ranked = {"rank": outcome.rank, "total": len(outcome.indexed), "score": outcome.record.similarity}
    return {"scene": as_json(outcome.scene), **ranked, "kept": kept}


def written(file: Download) -> str:
    """Write a file into the app's temporary folder, which goes after a while; returns its path."""
    path = Path(tempfile.mkdtemp(dir=os.environ.get("GRADIO_TEMP_DIR"))) / file.name
    path.write_bytes(file.content)
    return str(path)
