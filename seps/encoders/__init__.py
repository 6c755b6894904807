"""Encoders: photographs to patch embeddings, captions to word embeddings.

`preprocessing` converts a photograph to pixels and `tokenizer` a caption to ids; `vision` and `text` embed them;
`sources` finds a backbone's files and `weights` loads them.
"""

from seps.encoders.preprocessing import preprocess
from seps.encoders.text import TextEncoder
from seps.encoders.tokenizer import Tokenizer
from seps.encoders.vision import VisionEncoder

__all__ = ["TextEncoder", "Tokenizer", "VisionEncoder", "preprocess"]
