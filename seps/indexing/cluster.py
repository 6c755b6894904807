"""Encoding of photographs on a Ray cluster (extra `cluster`)."""

import logging
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import torch

from seps.indexing.files import FolderFile
from seps.indexing.sync import Encoded
from seps.media.photos import PhotoError, open_image
from seps.models.hub import load_model

BATCH = 16  # photographs that a worker takes at a time
CONNECT_SECONDS, JOIN_SECONDS = 10, 30  # until a port, and a cluster, has to answer; Ray itself waits 14 minutes
JOIN = "import logging, ray, sys; ray.init(sys.argv[1], log_to_driver=False, logging_level=logging.ERROR)"
Columns = dict[str, Any]


class Encoder:
    """A worker with its model, loaded once, on a GPU if Ray assigned one."""

    def __init__(self, model: str) -> None:
        self.model = load_model(model).to("cuda" if torch.cuda.is_available() else "cpu")

    def __call__(self, batch: Columns) -> Columns:
        """Encode a batch of files as (B, N[+1], C); zeros for unreadable ones, with the reason in `error`."""
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
    """Join a Ray cluster, "auto" for this machine's, "local" for a new one; ValueError if none answers."""
    try:
        import ray
    except ImportError as error:
        raise ValueError("--ray needs Ray: pip install 'seps-explorer[cluster]'.") from error
    try:
        if address != "local":
            check_cluster(address)
        ray.init(address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:160]
        raise ValueError(f"There is no Ray cluster at {address!r} ({reason}): start one, or leave --ray.") from error


def check_cluster(address: str) -> None:
    """Raise OSError or ValueError unless the port of HOST:PORT answers, and then the cluster from another process."""
    place = urlsplit(f"//{address.removeprefix('ray://')}")
    if place.hostname and place.port:
        socket.create_connection((place.hostname, place.port), CONNECT_SECONDS).close()
    command = [sys.executable, "-c", JOIN, address]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, check=False, timeout=JOIN_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ConnectionError(f"no answer within {JOIN_SECONDS} seconds") from error
    if tried.returncode:
        raise ConnectionError(next(iter(tried.stderr.strip().splitlines()[-1:]), "the connection failed"))


def encode_on_cluster(model: str, files: Sequence[FolderFile]) -> Callable[[FolderFile], Encoded]:
    """Start to encode files on the joined cluster; all machines must see them under the same paths."""
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
