"""Argument validation and JSON reading."""

import json
import reprlib
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.common.files import LFS_POINTER, LFS_REMEDY, is_lfs_pointer

Lengths = Tensor | Sequence[int]
Mask = Tensor | NDArray[np.bool_]
"""A decision from outside: True keeps a patch, False drops it."""
NEAR = 0.75  # similarity in [0, 1] above which an unknown key is taken for a misspelt one
LARGEST = 1e15  # squares of larger values, summed over channels, overflow float32

MAX_CHANNELS = 16_384  # embed_size, and an encoder's own width
MAX_PATCHES = 65_536  # an image: 256 x 256, 4,096 pixels in patches of 16
MAX_PIXELS = 4_096  # the side of the square that an encoder sees
MAX_WORDS = 8_192  # tokens of a caption
MAX_TOP_K = 1_024  # values that the relevance MLP sees
MAX_WHOLE = 2**63 - 1  # of any whole number: what a tensor holds
MAX_NESTED = 100  # levels of lists and objects in JSON; Python itself gives up at several hundred


def check_whole(name: str, number: float, most: int = MAX_WHOLE, least: int = 1) -> int:
    """Return the number as an int; raise ValueError unless it is a whole number from `least` to `most`."""
    if isinstance(number, Real) and number > most:
        raise ValueError(f"{name} is {shown(number)}, but it must be at most {most}.")
    if not is_number(number) or number != int(number) or number < least:
        raise ValueError(f"{name} is {shown(number)}, but a whole number of at least {least} is needed.")
    return int(number)


def check_positive(name: str, number: float, most: float | None = None) -> None:
    """Raise ValueError unless number > 0, finite and, if given, at most `most`."""
    if most is not None and isinstance(number, Real) and number > most:
        raise ValueError(f"{name} is {shown(number)}, but it must be at most {most}.")
    _check_range(name, number, "greater than 0 and finite", lambda value: value > 0)


def _check_range(name: str, number: float, allowed: str, is_allowed: Callable[[float], bool]) -> None:
    if not (is_number(number) and is_allowed(number)):
        raise ValueError(f"{name} is {shown(number)}, but it must be {allowed}.")


check_ratio = partial(_check_range, allowed="in (0, 1]", is_allowed=lambda ratio: 0.0 < ratio <= 1.0)
check_share = partial(_check_range, allowed="in [0, 1)", is_allowed=lambda share: 0.0 <= share < 1.0)
check_not_negative = partial(_check_range, allowed="at least 0 and finite", is_allowed=lambda number: number >= 0)


def check_text(name: str, text: str) -> None:
    """Raise ValueError unless `text` is a str without half a surrogate pair, such as U+D800."""
    if not isinstance(text, str):
        raise ValueError(f"{name} is a {type(text).__name__}, but a str is needed.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} has {text[error.start]!r} at position {error.start} of {len(text)}, which is half of a surrogate "
            "pair and no character: take it out."
        ) from error


def is_number(value: object) -> TypeGuard[float]:
    """Return whether the value is a real number that a float can hold: not NaN, not infinite, no bool."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # an int beyond the greatest float
        return False


def shown(value: object) -> str:
    """Return the value's repr for a message, cut short if it is long or nested."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return f"a {type(value).__name__} of thousands of digits"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100


def read_json_file(path: str | Path) -> Any:
    """Read a JSON file with `read_json`; the ValueError names the file."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise ValueError(f"{path} does not exist.") from error
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror or error}): name a file that can.") from error
    return read_json(content, str(path))


def read_json(content: str | bytes, subject: str) -> Any:
    """Parse JSON text or UTF-8 bytes, nested at most 100 levels; a ValueError names `subject` ("line 3", a path)."""
    if is_lfs_pointer(content):
        raise ValueError(f"{subject} is {LFS_POINTER}: {LFS_REMEDY}.")
    try:
        text = content if isinstance(content, str) else content.decode()
        value = json.loads(text.removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    except json.JSONDecodeError as error:
        reason = str(error) if error.doc.strip() else "it is empty"
    except ValueError:
        reason = "a number has too many digits"
    except RecursionError:
        reason = f"it is nested more than {MAX_NESTED} levels deep"
    else:
        if not is_nested_deeper(value, MAX_NESTED):
            return value
        reason = f"it is nested more than {MAX_NESTED} levels deep"
    raise ValueError(f"{subject} cannot be read as JSON ({reason}): correct or replace it.")


def read_utf8(content: bytes) -> str:
    """Decode UTF-8 without its byte order mark; a ValueError for another encoding or a Git LFS pointer."""
    if is_lfs_pointer(content):
        raise ValueError(f"it is {LFS_POINTER}: {LFS_REMEDY}")
    for name, marks in (("UTF-32", (b"\xff\xfe\0\0", b"\0\0\xfe\xff")), ("UTF-16", (b"\xff\xfe", b"\xfe\xff"))):
        if content.startswith(marks):
            raise ValueError(f"it is {name}: save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not UTF-8 (byte 0x{content[error.start]:02x}): save it as UTF-8") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"line {line} holds zero bytes, as other encodings do: save it as UTF-8")
    return text


def is_nested_deeper(value: object, most: int) -> bool:
    """Return whether lists and dicts are nested more than `most` levels deep, without recursion."""
    level = [value]
    for _ in range(most + 1):
        nested = [inner_values for inner_values in level if isinstance(inner_values, (dict, list))]
        if not nested:
            return False
        level = [inner for values in nested for inner in (values.values() if isinstance(values, dict) else values)]
    return True


def usable_device(name: str | None) -> torch.device:
    """Return the named device, by default CUDA if available, else the CPU; ValueError if it is not available."""
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0].partition(". ")[0].rstrip(".")  # torch continues with links to drivers
        raise ValueError(f"device {name} cannot be used here: {reason}. Give cpu, or leave it out.") from error


def check_embeddings(name: str, embeddings: Tensor, channels: int, dtype: torch.dtype) -> None:
    """Raise ValueError unless `embeddings` is a finite (batch, length, channels) tensor of the model's dtype."""
    if not isinstance(embeddings, Tensor):
        raise ValueError(f"{name} is a {type(embeddings).__name__}, but a torch.Tensor is needed.")
    if embeddings.ndim != 3:
        raise ValueError(
            f"{name} has {embeddings.ndim} dimensions {tuple(embeddings.shape)}, but 3 are needed: "
            "(batch, length, channels)."
        )
    if embeddings.shape[0] == 0:
        raise ValueError(f"{name} has a batch of 0, but at least 1 is needed.")
    if not embeddings.is_floating_point():
        raise ValueError(f"{name} holds {embeddings.dtype}, but floating-point embeddings are needed.")
    if embeddings.dtype != dtype and not torch.is_autocast_enabled(embeddings.device.type):
        raise ValueError(f"{name} holds {embeddings.dtype}, but the model's parameters are {dtype}: convert one.")
    if embeddings.shape[-1] != channels:
        raise ValueError(
            f"{name} has {embeddings.shape[-1]} channels, but the model was built for embed_size {channels}."
        )
    check_has_values(name, embeddings)
    largest = largest_magnitude(embeddings)
    if not isfinite(largest):
        bad = (~torch.isfinite(embeddings)).nonzero()
        raise ValueError(
            f"{name} holds {len(bad)} NaN or infinite values among {embeddings.numel()}, the first at index "
            f"{tuple(bad[0].tolist())}."
        )
    if largest > LARGEST:
        raise ValueError(f"{name} holds a magnitude of {largest:.1e}, but squares and sums need at most {LARGEST:.0e}.")


def check_has_values(name: str, tensor: Tensor) -> None:
    """Raise ValueError for a tensor on the meta device, which has a shape and no values."""
    if tensor.is_meta:
        raise ValueError(f"{name} is on the meta device, which holds no values: make it on a CPU or a GPU.")


def check_patch_count(name: str, tokens: int, num_patches: int) -> bool:
    """Return whether the image has a [CLS] token; raise ValueError if the count fits neither case."""
    if tokens == num_patches + 1:
        return True
    if tokens == num_patches:
        return False
    raise ValueError(
        f"{name} has {tokens} tokens an image, but the model was built for num_patches {num_patches}: "
        f"{num_patches} tokens, or {num_patches + 1} with a [CLS] token first."
    )


def check_mask(name: str, mask: Mask, num_patches: int, images: int = 1) -> Tensor:
    """Return a forced decision as a bool tensor, (N,) or (B_v, N), with at least one kept patch per row."""
    if isinstance(mask, np.ndarray):
        if mask.dtype != np.bool_:
            raise ValueError(f"{name} holds {mask.dtype}, but bool is needed: True keeps a patch, False drops it.")
        mask = torch.from_numpy(mask.copy())
    if not isinstance(mask, Tensor):
        raise ValueError(f"{name} is a {type(mask).__name__}, but a torch.Tensor or a numpy array is needed.")
    if mask.dtype != torch.bool:
        raise ValueError(f"{name} holds {mask.dtype}, but bool is needed: True keeps a patch, False drops it.")
    if mask.shape not in ((num_patches,), (images, num_patches)):
        rows = f" or ({images}, {num_patches}), a row an image," if images > 1 else ""
        raise ValueError(
            f"{name} has shape {tuple(mask.shape)}, but ({num_patches},), a bool a patch,{rows} is needed."
        )
    check_has_values(name, mask)
    if torch.compiler.is_exporting():  # the values are only known when the graph runs
        return mask
    kept = mask.any(dim=-1)
    if not bool(kept.all()):
        where = f" in row {int((~kept).nonzero()[0])}" if mask.ndim == 2 else ""
        raise ValueError(f"{name} keeps 0 of {num_patches} patches{where}, but at least 1 is needed.")
    return mask


def check_lengths(name: str, lengths: Lengths, embeddings_name: str, embeddings: Tensor) -> list[int]:
    """Return caption lengths as ints; raise ValueError for a wrong count, a 0, or a length beyond the tensor."""
    try:
        numbers = torch.as_tensor(lengths)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{name} is {lengths!r}, but a whole number a caption is needed.") from error
    check_has_values(name, numbers)
    if numbers.ndim != 1:
        raise ValueError(f"{name} has {numbers.ndim} dimensions, but 1 is needed: a length a caption.")
    if numbers.is_floating_point() and not bool((numbers.isfinite() & (numbers == numbers.round())).all()):
        raise ValueError(f"{name} is {numbers.tolist()}, but whole numbers are needed.")
    counts = [int(number) for number in numbers.tolist()]
    batch, longest = embeddings.shape[:2]
    if len(counts) != batch:
        raise ValueError(f"{name} has {len(counts)} entries, but {embeddings_name} has {batch} captions.")
    for i, count in enumerate(counts):
        if not 1 <= count <= longest:
            raise ValueError(
                f"{name}[{i}] is {count}, but {embeddings_name} has room for 1 to {longest} words a caption."
            )
    return counts


def check_captions(
    channels: int,
    cap_embs: Tensor,
    cap_lens: Lengths,
    dense_cap_embs: Tensor | None,
    dense_cap_lens: Lengths | None,
    dtype: torch.dtype,
) -> tuple[list[int], list[int] | None]:
    """Check sparse and dense captions together; return their lengths as ints."""
    check_embeddings("cap_embs", cap_embs, channels, dtype)
    lengths = check_lengths("cap_lens", cap_lens, "cap_embs", cap_embs)
    if dense_cap_embs is None:
        if dense_cap_lens is not None:
            raise ValueError(
                f"dense_cap_lens has {len(dense_cap_lens)} entries, but there are 0 dense captions: "
                "pass dense_cap_embs."
            )
        return lengths, None
    if dense_cap_lens is None:
        raise ValueError(
            f"dense_cap_embs has {dense_cap_embs.shape[0]} dense captions, but 0 lengths: pass dense_cap_lens."
        )
    check_embeddings("dense_cap_embs", dense_cap_embs, channels, dtype)
    if dense_cap_embs.shape[0] != cap_embs.shape[0]:
        raise ValueError(
            f"dense_cap_embs has {dense_cap_embs.shape[0]} dense captions, but cap_embs has "
            f"{cap_embs.shape[0]} captions: each caption needs its own."
        )
    return lengths, check_lengths("dense_cap_lens", dense_cap_lens, "dense_cap_embs", dense_cap_embs)


def check_keys(where: str, values: Mapping[str, Any], required: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Raise ValueError for a key that is not allowed or one that is missing."""
    unknown = [key for key in values if key not in allowed]
    if unknown:
        near = get_close_matches(str(unknown[0]), allowed, 1, NEAR)
        meant = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"{where} has the unknown key {shown(unknown[0])}: allowed are {', '.join(allowed)}.{meant}")
    missing = [key for key in required if key not in values]
    if missing:
        raise ValueError(f"{where} lacks the key {missing[0]!r}: needed are {', '.join(required)}.")


def check_type(name: str, value: object, kind: type) -> None:
    """Raise ValueError unless the value has the type: an int is also accepted as a float, a bool never as a number."""
    kinds: tuple[type, ...] = {float: (float, int), list: (list, tuple), dict: (Mapping,)}.get(kind, (kind,))
    if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name} is {shown(value)}, a {type(value).__name__}, but a {kind.__name__} is needed.")
    if kind is float and not is_number(value):
        raise ValueError(f"{name} is {shown(value)}, but a finite number is needed.")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {shown(value)}, but it must be one of {', '.join(choices)}.")


def largest_magnitude(tensor: Tensor) -> float:
    """Return the largest absolute value: NaN or infinite if any value is, 0 without values."""
    if tensor.numel() == 0:
        return 0.0
    low, high = tensor.detach().aminmax()  # takes less time than isfinite
    return float(torch.maximum(-low, high))


def check_finite(source: object, key: str, tensor: Tensor) -> None:
    """Raise ValueError if a tensor from a file or another source contains NaN or infinity."""
    if tensor.is_floating_point() and not isfinite(largest_magnitude(tensor)):
        bad = int((~torch.isfinite(tensor)).sum())
        raise ValueError(
            f"{source} has {key} with {bad} NaN or infinite values among {tensor.numel()}: it is damaged, save or "
            "download it again."
        )
