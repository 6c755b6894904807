"""Layout of a table for a model's embeddings."""

from seps.models.encoder_key import encoder_key
from seps.models.model import SEPSModel
from seps.search.schema import Layout


def table_layout(model: SEPSModel, precision: str = "float32", features: str = "") -> Layout:
    """Return the layout for the output of a model's image encoder; `precision` and `features` apply to a new table."""
    patches = model.img_enc.num_patches + model.img_enc.has_cls
    return Layout(encoder_key(model), patches, model.config.embed_size, precision, features)
