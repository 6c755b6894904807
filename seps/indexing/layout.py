"""What a table of a model's embeddings is like."""

from __future__ import annotations

from seps.models.encoder_key import encoder_key
from seps.models.model import SEPSModel
from seps.search.store import Layout


def table_layout(model: SEPSModel, precision: str = "float32", features: str = "") -> Layout:
    """Lay out a table for what a model's image encoder gives; `precision` and `features` are those of a new table."""
    patches = model.img_enc.num_patches + model.img_enc.has_cls
    return Layout(encoder_key(model), patches, model.config.embed_size, precision, features)
