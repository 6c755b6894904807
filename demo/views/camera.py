"""The camera in Photos: what the caption keeps of each frame that the page sends, and a frozen frame to work on.

A frame comes in an event, is decoded as uploads are, and goes with the answer: nothing of it is written or kept, but
the one that a person freezes, which stays with the session.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from demo.record.packing import pack_array
from demo.service.captions import read_caption
from demo.service.masks import mask_text
from demo.service.models.personal import explain_frame
from demo.service.retrieval import RetrievalService

NAME = "camera.jpg"


def look_value(service: RetrievalService, content: bytes, caption: str) -> dict[str, Any]:
    """Return a caption's mask on an encoded frame, with word maps (L, N); ValueError if either is unreadable."""
    record = explain_frame(service, NAME, content, read_caption(service.model, caption).text)
    return {
        "grid": list(record.grid),
        "mask": mask_text(record.sparse.kept),
        "words": list(record.sparse_alignment.words),
        "maps": pack_array(np.asarray(record.sparse_alignment.word_maps)),
        "similarity": record.similarity,
        "model": service.name,
    }
