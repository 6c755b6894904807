"""An authors' checkpoint, read without running anything that the file holds.

A checkpoint is a pickle, and a pickle may call any function. torch's restricted unpickler makes tensors, containers
and numbers only. The training options come in an `argparse.Namespace`: it is not made either, but an `Options` in its
place, since a crafted pickle could give a Namespace another class, or a `__setstate__` that is then called.
"""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.torch_version import TorchVersion

from seps.checks import is_number

SAFE_TORCH = "2.10"  # crafted files could run code in the restricted unpickler before: CVE-2025-32434, CVE-2026-24747
PARTS = ("img_enc", "txt_enc", "cross_net")
WRAPPED = "module."  # what DataParallel puts before every name
REFUSED = re.compile(r"GLOBAL (\S+)")  # how torch's messages name what a pickle asked for


class Options:
    """Takes the attributes of an `argparse.Namespace` and keeps them in `values`; has no attribute else."""

    __slots__ = ("values",)
    values: dict[str, Any]

    def __new__(cls) -> Options:
        """Without attributes; a pickle calls no `__init__`."""
        options = super().__new__(cls)
        options.values = {}
        return options

    def __setstate__(self, state: object) -> None:
        if type(state) is not dict:
            raise pickle.UnpicklingError("an argparse.Namespace with more than attributes")
        self.values = state


@dataclass(frozen=True)
class Checkpoint:
    """What an authors' checkpoint holds.

    Attributes:
        tensors: the state dict, keys "img_enc.*", "txt_enc.*", "cross_net.*".
        options: those attributes of `opt` that are numbers or text; none where the file has no `opt`.
        epoch, best_rsum: where the file has them.
    """

    tensors: dict[str, Tensor]
    options: dict[str, Any]
    epoch: int | None
    best_rsum: float | None


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read an authors' checkpoint, of torch.save's present format or the one before torch 1.6.

    The state dict may stand under "model" or be the whole file, may come from inside DataParallel, and may be a list
    of three, one a part of the model.

    Raises:
        ValueError: no such file; no checkpoint, or one that is damaged or cut short; one that holds anything but
            tensors, containers, numbers and Namespaces, and then the message names it.
    """
    content = unpickle(Path(path))
    named = content if isinstance(content, Mapping) and "model" in content else {"model": content}
    opt = named.get("opt", Options())
    if not isinstance(opt, Options):
        raise ValueError(f"{path}: opt is a {type(opt).__name__}, but an argparse.Namespace is needed.")
    try:
        tensors = joined(named["model"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    epoch, best_rsum = named.get("epoch"), named.get("best_rsum")
    return Checkpoint(
        tensors=tensors,
        options={name: value for name, value in opt.values.items() if isinstance(value, (int, float, str))},
        epoch=epoch if is_number(epoch) and isinstance(epoch, int) else None,
        best_rsum=float(best_rsum) if is_number(best_rsum) else None,
    )


def unpickle(path: Path) -> Any:
    """Read the file's content, if it is nothing but tensors, containers, numbers and Namespaces."""
    if TorchVersion(torch.__version__) < SAFE_TORCH:
        raise ValueError(
            f"torch {torch.__version__} can be made to run code by a crafted checkpoint; the holes that are known are "
            f"closed in {SAFE_TORCH}: pip install 'torch>={SAFE_TORCH}'"
        )
    if not path.is_file():
        raise ValueError(f"{path} does not exist.")
    try:
        with warnings.catch_warnings(), allowed((Options, "argparse.Namespace")):
            warnings.simplefilter("ignore")  # torch's doubts about a file that it then refuses
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged or crafted file can make the unpickler raise anything
        if refused := REFUSED.search(str(error)):
            raise ValueError(
                f"{path} asks for {refused[1]!r}, but a checkpoint may hold tensors, containers, numbers and an "
                "argparse.Namespace alone: making more could run code, so nothing of it is loaded. If you trust who "
                "wrote it, save it again with torch.save({'model': model.state_dict(), 'opt': opt}, path)."
            ) from error
        cause = (isinstance(error, pickle.UnpicklingError) and error.__context__) or error  # torch wraps it in advice
        reason = f"{type(cause).__name__}: {cause}".split("\n")[0].rstrip(": .")
        raise ValueError(f"{path} is no checkpoint of torch.save, or damaged or cut short ({reason}).") from error


@contextmanager
def allowed(stand_in: tuple[type, str]) -> Iterator[None]:
    """Let the restricted unpickler make a class where a pickle asks for that name, and nothing else that
    was allowed before."""
    before = torch.serialization.get_safe_globals()
    torch.serialization.clear_safe_globals()
    try:
        with torch.serialization.safe_globals([stand_in]):
            yield
    finally:
        torch.serialization.add_safe_globals(before)


def joined(state: object) -> dict[str, Tensor]:
    """Join the state dicts of the three parts of a model, if it is a list of them, into one."""
    if not isinstance(state, (list, tuple)):
        return unwrapped(state)
    if len(state) != len(PARTS):
        raise ValueError(f"model is a list of {len(state)}, but {len(PARTS)} are needed: {', '.join(PARTS)}.")
    parts = zip(PARTS, map(unwrapped, state), strict=True)
    return {f"{name}.{key}": tensor for name, part in parts for key, tensor in part.items()}


def unwrapped(state: object) -> dict[str, Tensor]:
    """Return a state dict of tensors, without the "module." of DataParallel."""
    if not isinstance(state, Mapping):
        raise ValueError(f"model is a {type(state).__name__}, but a state dict is needed: names and tensors.")
    for key, tensor in state.items():
        if not isinstance(key, str) or not isinstance(tensor, Tensor):
            raise ValueError(f"model has {key!r}, a {type(tensor).__name__}, but names and tensors are needed.")
        if not is_whole(tensor):
            raise ValueError(f"model has {key!r} {tuple(tensor.shape)} without all of its values.")
    wrapped = all(key.startswith(WRAPPED) for key in state)
    return {key.removeprefix(WRAPPED) if wrapped else key: tensor.detach() for key, tensor in state.items()}


def is_whole(tensor: Tensor) -> bool:
    """Tell whether the file held each value of a tensor; a small file may claim a tensor of any size."""
    if tensor.layout != torch.strided or tensor.device.type != "cpu":
        return False
    return tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes()
