"""Cache of the image-only quantities next to the embeddings: most of the work of matching with a caption."""

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import decision_dtype
from seps.method.tokens import split_cls
from seps.search.engine import ScoringEngine
from seps.search.index import ImageIndex, model_key
from seps.search.schema import is_usable
from seps.search.store import GalleryStore
from seps.search.table_errors import damaged


def feature_key(engine: ScoringEngine) -> str:
    """Name the network of a table's features."""
    return model_key(engine.model)


def pack_features(engine: ScoringEngine, embeddings: Tensor) -> list[bytes]:
    """Compute the features of images (K, N[+1], C), as the bytes of `feature_dtype` each."""
    images = engine.encode_images(embeddings)
    fields = {"s_im": images.s_im, "s_p": images.s_p[0], "norms": images.norms, "logits": images.logits[0]}
    packed = np.empty(len(images), feature_dtype(engine.model))
    for name, values in fields.items():
        if values is not None:
            packed[name] = values.cpu().double().numpy()  # exact, of bfloat16 too
    return [row.tobytes() for row in packed]


def read_images(engine: ScoringEngine, store: GalleryStore, rows: Sequence[int], dense: bool = False) -> ImageIndex:
    """Read images as the engine takes them, with the features that the table keeps where these serve."""
    check_fits(engine, store)
    if dense or store.layout.features != feature_key(engine):
        return engine.encode_images(store.embeddings(rows))
    embeddings, packed = store.embeddings_and_features(rows)
    if not all(packed):  # some were written for another network
        return engine.encode_images(embeddings.float())
    size = feature_dtype(engine.model).itemsize
    if any(len(features) != size for features in packed):
        raise damaged(store.uri, f"features have another size than {size} bytes")
    images = unpack_images(engine, embeddings, packed)
    if not all(
        is_usable(values) for values in (images.s_im, images.norms, *images.s_p, *images.logits) if values is not None
    ):
        raise damaged(store.uri, "features are not finite or too large")
    return images


def check_fits(engine: ScoringEngine, store: GalleryStore) -> None:
    """Raise DamagedTableError where a table has another number of patches or channels than the model."""
    layout, count = store.layout, engine.model.num_patches
    patches = layout.patches if layout.patches in (count, count + 1) else count  # with [CLS] or without it
    layout.check_shape(store.uri, patches, engine.model.embed_size)


def unpack_images(engine: ScoringEngine, embeddings: Tensor, packed: Sequence[bytes]) -> ImageIndex:
    """Put embeddings (K, N[+1], C), float16 too, and packed features together; both branches have the sparse one's."""
    model, device = engine.model, engine.device
    cls, patches = split_cls(embeddings.to(device), model.num_patches)
    fields = np.frombuffer(bytearray().join(packed), feature_dtype(model))  # a copy: tensors may be written to

    def field(name: str, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(fields[name])).to(device, dtype)

    exact = decision_dtype(device)
    s_p = field("s_p", exact) if model.use_paper_version else None
    logits = field("logits")
    return ImageIndex(
        cls=None if cls is None else F.normalize(cls[:, 0].float(), dim=-1),
        patches=patches,
        norms=field("norms"),
        s_im=field("s_im", exact),
        s_p=(s_p, s_p),
        logits=(logits, logits),
        model_key=feature_key(engine),
    )


def feature_dtype(model: CrossSparseAggrNet) -> np.dtype[np.void]:
    """Lay out an image's features: s^im and s^p (N,) as they decide, lengths (N,) and logits (N_c, N)."""
    n = model.num_patches
    fields: list[tuple[str, str, tuple[int, ...]]] = [("s_im", "<f8", (n,))]
    if model.use_paper_version:
        fields.append(("s_p", "<f8", (n,)))
    return np.dtype([*fields, ("norms", "<f4", (n,)), ("logits", "<f4", (model.num_tokens, n))])
