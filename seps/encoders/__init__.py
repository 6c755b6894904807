"""Encoders: photographs to patch embeddings, captions to word embeddings."""

from seps.encoders.preprocessing import preprocess
from seps.encoders.text import TextEncoder
from seps.encoders.tokenizer import Tokenizer
from seps.encoders.vision import VisionEncoder

__all__ = ["TextEncoder", "Tokenizer", "VisionEncoder", "preprocess"]
