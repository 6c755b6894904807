"""The camera in Photos: what the caption keeps of each frame that the page sends, and a frozen frame to work on.

A frame comes in an event, is decoded as uploads are, and goes with the answer: nothing of it is written or kept, but
the one that a person freezes, which stays with the session.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from demo.record.packing import pack_array
from demo.record.photo import with_new_key
from demo.service.captions import read_caption
from demo.service.masks import mask_text
from demo.service.personal import explain_frame
from demo.service.retrieval import RetrievalService

NAME = "camera.jpg"


def look_value(service: RetrievalService, content: bytes, caption: str) -> dict[str, Any]:
    """Return what a caption keeps of a frame.

    Args:
        content: a photograph in one of the formats of uploads; caption: as read or typed.

    Returns:
        `mask`, the text of the decision; `words` and `maps`, (L, N), where each met the frame; S(I, T) and the grid.

    Raises:
        ValueError: a frame that cannot be decoded, or a caption that cannot be read.
    """
    record = explain_frame(service, NAME, content, read_caption(service.model, caption).text)
    return with_new_key(
        {
            "grid": list(record.grid),
            "mask": mask_text(record.sparse.kept),
            "words": list(record.sparse_alignment.words),
            "maps": pack_array(np.asarray(record.sparse_alignment.word_maps)),
            "similarity": record.similarity,
            "model": service.name,
        }
    )
