"""Photographs encoded on the machines of a Ray cluster: the extra `cluster`.

Ray reads and encodes; what comes back is committed to the table by the one process that started it. Ray starts a worker
that was killed again, with the files that it had; what was committed stays if all of it ends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from seps.indexing.files import FolderFile
from seps.indexing.sync import Encoded
from seps.models.hub import load_model
from seps.photos import PhotoError, open_image

BATCH = 16  # photographs that a worker takes at a time
Columns = dict[str, Any]


class Encoder:
    """A worker's model, loaded once: on a GPU where Ray gave the worker one."""

    def __init__(self, model: str) -> None:
        self.model = load_model(model).to("cuda" if torch.cuda.is_available() else "cpu")

    def __call__(self, batch: Columns) -> Columns:
        """Encode a batch's files as (B, N[+1], C); zeros where one cannot be read, and why it cannot in `error`."""
        patches = self.model.img_enc.num_patches + self.model.img_enc.has_cls
        embeddings = np.zeros((len(batch["file"]), patches, self.model.config.embed_size), dtype=np.float32)
        errors = np.full(len(batch["file"]), "", dtype=object)
        for place, file in enumerate(batch["file"]):
            try:
                embeddings[place] = self.model.encode_photos([open_image(Path(file))])[0].float().cpu().numpy()
            except PhotoError as error:
                errors[place] = str(error)
        return {"number": batch["number"], "embeddings": embeddings, "error": errors.astype(str)}


def join_cluster(address: str) -> None:
    """Join a Ray cluster, at "auto" the one that this machine belongs to, at "local" one that ends with this process.

    Raises:
        ValueError: Ray is not installed, or there is no cluster at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise ValueError("--ray needs Ray: pip install 'seps-explorer[cluster]'.") from error
    try:
        ray.init(address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:160]
        raise ValueError(f"There is no Ray cluster at {address!r} ({reason}): start one, or leave --ray.") from error


def encode_on_cluster(model: str, files: Sequence[FolderFile]) -> Callable[[FolderFile], Encoded]:
    """Start to encode files on the cluster that was joined, whose machines all see them under the same paths.

    Args:
        model: as `load_model` takes it; files: in the order in which they are asked for, though not all need be.

    Returns:
        what gives a file's embeddings, waiting until they are there; it raises PhotoError where it cannot be read.
    """
    import ray

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    rows = [{"number": number, "file": str(file.file.resolve())} for number, file in enumerate(files)]
    resources = ray.cluster_resources()
    kind = "GPU" if resources.get("GPU") else "CPU"
    workers = min(max(1, int(resources.get(kind, 1))), -(-len(files) // BATCH))
    encoded = iter(
        ray.data.from_items(rows)
        .map_batches(
            Encoder,
            fn_constructor_args=(model,),
            batch_size=BATCH,
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=workers),
            num_gpus=1 if kind == "GPU" else 0,
        )
        .iter_rows()
        if files
        else ()
    )

    def encode(file: FolderFile) -> Encoded:
        row = next(row for row in encoded if files[int(row["number"])] == file)
        if row["error"]:
            raise PhotoError(str(row["error"]))
        return Encoded(torch.from_numpy(np.array(row["embeddings"])))

    return encode
