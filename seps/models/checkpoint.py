"""Safe reading of the authors' checkpoints, without executing code from the file."""

from __future__ import annotations

import pickle
import re
import struct
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.torch_version import TorchVersion

from seps.common.checks import is_number
from seps.common.files import check_weights_file

SAFE_TORCH = "2.10"  # crafted files could run code in the restricted unpickler before: CVE-2025-32434, CVE-2026-24747
PARTS = ("img_enc", "txt_enc", "cross_net")
STATES = ("model", "state_dict", "model_state_dict")  # keys that may hold the weights
WRAPPED = "module."  # prefix added by DataParallel
COMPILED = re.compile(r"(^|\.)(?:_orig_mod\.)+")  # prefix that torch.compile adds to the names of compiled modules
NUMBERS = dict(  # numpy's kinds of numbers, as struct calls them
    zip(["b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"], "?efdbhiqBHIQ", strict=True)
)
REFUSED = re.compile(r"GLOBAL (\S+)")  # how torch's messages name what a pickle asked for


class Options:
    """Replacement for `argparse.Namespace` that stores the attributes in `values`."""

    __slots__ = ("values",)
    values: dict[str, Any]

    def __new__(cls) -> Options:
        """Create an instance without attributes; a pickle does not call `__init__`."""
        options = super().__new__(cls)
        options.values = {}
        return options

    def __setstate__(self, state: object) -> None:
        if type(state) is not dict:
            raise pickle.UnpicklingError("an argparse.Namespace with more than attributes")
        self.values = state


class NumberKind:
    """Replacement for numpy.dtype in a pickle: the type of a number and its byte order."""

    __slots__ = ("kind", "order")
    kind: str
    order: str

    def __new__(cls, kind: object, align: object = False, copy: object = False) -> NumberKind:
        """Return a number type, in the machine's byte order."""
        made = super().__new__(cls)
        made.kind, made.order = str(kind), "="
        return made

    def __setstate__(self, state: object) -> None:
        order = state[1] if isinstance(state, tuple) and len(state) > 1 else None
        if order not in ("<", ">", "=", "|"):
            raise pickle.UnpicklingError("a numpy number with bytes in no order")
        self.order = order.replace("|", "=")


def number_of(kind: object, content: object) -> float:
    """Decode a pickled NumPy number from its bytes."""
    code = NUMBERS.get(kind.kind) if isinstance(kind, NumberKind) else None
    if code is None or not isinstance(kind, NumberKind) or not isinstance(content, bytes):
        raise pickle.UnpicklingError("a numpy value that is no number")
    return struct.unpack(f"{kind.order}{code}", content)[0]


STAND_INS: tuple[tuple[Any, str], ...] = (
    (Options, "argparse.Namespace"),
    (NumberKind, "numpy.dtype"),
    (number_of, "numpy._core.multiarray.scalar"),
    (number_of, "numpy.core.multiarray.scalar"),  # of numpy 1
)


@dataclass(frozen=True)
class Checkpoint:
    """Content of an authors' checkpoint."""

    tensors: dict[str, Tensor]
    options: dict[str, Any]
    epoch: int | None
    best_rsum: float | None


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read an authors' checkpoint in the current torch.save format or that before torch 1.6."""
    content = unpickle(Path(path))
    place = next((name for name in STATES if isinstance(content, Mapping) and name in content), None)
    named = {"model": content} if place is None else content
    opt = named.get("opt", {})
    options = opt.values if isinstance(opt, Options) else opt
    if not isinstance(options, Mapping):
        raise ValueError(f"{path}: opt is a {type(opt).__name__}, but an argparse.Namespace or a dict is needed.")
    try:
        tensors = joined(named[place or "model"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    epoch, best_rsum = named.get("epoch"), named.get("best_rsum")
    return Checkpoint(
        tensors=tensors,
        options={str(name): value for name, value in options.items() if isinstance(value, (int, float, str))},
        epoch=epoch if is_number(epoch) and isinstance(epoch, int) else None,
        best_rsum=float(best_rsum) if is_number(best_rsum) else None,
    )


def unpickle(path: Path) -> Any:
    """Read the file's content if it contains only tensors, containers, numbers and Namespaces."""
    if TorchVersion(torch.__version__) < SAFE_TORCH:
        raise ValueError(
            f"torch {torch.__version__} can be made to run code by a crafted checkpoint; the holes that are known are "
            f"closed in {SAFE_TORCH}: pip install 'torch>={SAFE_TORCH}'"
        )
    check_weights_file(path)
    try:
        with warnings.catch_warnings(), allowed(STAND_INS):
            warnings.simplefilter("ignore")  # torch's doubts about a file that it then refuses
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged or crafted file can make the unpickler raise anything
        if refused := REFUSED.search(str(error)):
            raise ValueError(
                f"{path} asks for {refused[1]!r}, but a checkpoint may hold tensors, containers, numbers and an "
                "argparse.Namespace: loading more could run code, so nothing of it is loaded. If you trust who "
                "wrote it, save it again with torch.save({'model': model.state_dict(), 'opt': opt}, path)."
            ) from error
        cause = (isinstance(error, pickle.UnpicklingError) and error.__context__) or error  # torch wraps it in advice
        reason = f"{type(cause).__name__}: {cause}".split("\n")[0].rstrip(": .")
        raise ValueError(f"{path} is no checkpoint of torch.save, or damaged or cut short ({reason}).") from error


@contextmanager
def allowed(stand_ins: Sequence[tuple[Any, str]]) -> Iterator[None]:
    """Let the restricted unpickler use these replacements for the names in a pickle, and nothing else."""
    before = torch.serialization.get_safe_globals()
    torch.serialization.clear_safe_globals()
    try:
        with torch.serialization.safe_globals(list(stand_ins)):
            yield
    finally:
        torch.serialization.add_safe_globals(before)


def joined(state: object) -> dict[str, Tensor]:
    """Merge a list of the state dicts of three parts into one."""
    if not isinstance(state, (list, tuple)):
        return strip_prefixes(state)
    if len(state) != len(PARTS):
        raise ValueError(f"model is a list of {len(state)}, but {len(PARTS)} are needed: {', '.join(PARTS)}.")
    parts = zip(PARTS, map(strip_prefixes, state), strict=True)
    return {f"{name}.{key}": tensor for name, part in parts for key, tensor in part.items()}


def strip_prefixes(state: object) -> dict[str, Tensor]:
    """Return a state dict of tensors without the prefixes of DataParallel and torch.compile."""
    if not isinstance(state, Mapping):
        raise ValueError(f"model is a {type(state).__name__}, but a state dict is needed: names and tensors.")
    for key, tensor in state.items():
        if not isinstance(key, str) or not isinstance(tensor, Tensor):
            raise ValueError(f"model has {key!r}, a {type(tensor).__name__}, but names and tensors are needed.")
        if not is_whole(tensor):
            raise ValueError(f"model has {key!r} {tuple(tensor.shape)} without all of its values.")
    names = {key: COMPILED.sub(r"\1", key) for key in state}
    for part in ("", *(f"{part}." for part in PARTS)):
        members = {key: name for key, name in names.items() if name.startswith(part)}
        while members and all(name.startswith(f"{part}{WRAPPED}") for name in members.values()):
            members = {key: part + name.removeprefix(f"{part}{WRAPPED}") for key, name in members.items()}
        names |= members
    if len(set(names.values())) < len(names):
        raise ValueError("model has a name twice, with and without what DataParallel or torch.compile put before it.")
    return {names[key]: tensor.detach() for key, tensor in state.items()}


def is_whole(tensor: Tensor) -> bool:
    """Return whether the file contained every value of a tensor; a small file may claim a tensor of any size."""
    if tensor.layout != torch.strided or tensor.device.type != "cpu":
        return False
    return tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes()
