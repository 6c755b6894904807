import argparse
import logging
import os
import pickle
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.torch_version import TorchVersion

from seps.models.checkpoint import read_checkpoint

FORMATS = {"zip": {}, "legacy": {"_use_new_zipfile_serialization": False}}


class Call:
    """Unpickling one calls a function."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.call


class Reclassed:
    """Unpickling one makes a Namespace and gives it another class."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Namespace, (), ({}, {"__class__": torch.storage.TypedStorage})


def save(folder: Path, content: object, form: str = "zip") -> Path:
    """Write a checkpoint in one of the `FORMATS`."""
    torch.save(content, folder / "model.pth", **FORMATS[form])
    return folder / "model.pth"


def refuses(file: Path, message: str) -> None:
    with pytest.raises(ValueError, match=rf"model\.pth{message}"):
        read_checkpoint(file)


NO_CHECKPOINT = r" is no checkpoint of torch\.save, or damaged or cut short"


@pytest.mark.parametrize("form", FORMATS)
def test_both_formats(tmp_path: Path, form: str) -> None:
    state = {"img_enc.a": torch.randn(3), "cross_net.b": nn.Parameter(torch.randn(2, 2))}
    opt = Namespace(sparse_ratio=0.3, vit_type="swin", lr_schedules=[9, 15], device=torch.device("cpu"))
    content = {"model": state, "opt": opt, "epoch": 7, "best_rsum": 512.25, "Eiters": 3}
    checkpoint = read_checkpoint(save(tmp_path, content, form))
    assert checkpoint.tensors.keys() == state.keys()
    assert all(torch.equal(checkpoint.tensors[key], tensor) for key, tensor in state.items())
    assert checkpoint.options == {"sparse_ratio": 0.3, "vit_type": "swin"}
    assert (checkpoint.epoch, checkpoint.best_rsum) == (7, 512.25)


def crafted(place: str, crafty: object) -> object:
    """A checkpoint with something in it that should not be."""
    checkpoint: dict[str, Any] = {"model": {"img_enc.a": torch.ones(2)}, "opt": Namespace(), "epoch": 1}
    if place == "file":
        return crafty
    if place == "opt":
        return checkpoint | {"opt": Namespace(sparse_ratio=crafty)}
    if place == "model":
        return checkpoint | {"model": {"img_enc.a": torch.ones(2), "img_enc.b": crafty}}
    return checkpoint | {place: crafty}


@pytest.mark.parametrize("form", [*FORMATS, "pickle"])
@pytest.mark.parametrize("place", ["file", "opt", "model", "epoch"])
def test_nothing_in_the_file_is_run(tmp_path: Path, form: str, place: str) -> None:
    file, trace = tmp_path / "model.pth", tmp_path / "trace"
    content = crafted(place, Call(os.system, f"echo > {trace}"))
    if form == "pickle":
        file.write_bytes(pickle.dumps(content, protocol=2))
    else:
        save(tmp_path, content, form)
    # A bare pickle writes tensors with the second function.
    refuses(file, r" asks for '(posix\.system|torch\.storage\._load_from_bytes)'")
    assert not trace.exists()
    if form == "pickle":
        pickle.loads(file.read_bytes())
    else:
        torch.load(file, weights_only=False)
    assert trace.exists()  # the trap was a trap


@pytest.mark.parametrize(
    ("crafty", "name"),
    [
        (Call(exec, "1 / 0"), "exec"),
        (Call(argparse.FileType("w"), "trace"), r"argparse\.FileType"),
        (logging.getLogger("train"), r"logging\.getLogger"),
        (Path("/"), r"pathlib\.PosixPath"),
        (torch.nn.Linear(1, 1), r"torch\.nn\.modules\.linear\.Linear"),
    ],
)
def test_what_is_refused_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crafty: object, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    refuses(save(tmp_path, crafted("opt", crafty)), f" asks for '{name}'.* save it again")
    assert not Path("trace").exists()


def test_a_namespace_stays_one(tmp_path: Path) -> None:
    file = save(tmp_path, {"model": {"a": torch.ones(1)}, "opt": Reclassed()})
    with torch.serialization.safe_globals([Namespace]):
        assert type(torch.load(file, weights_only=True)["opt"]) is torch.storage.TypedStorage
    refuses(file, NO_CHECKPOINT)


@pytest.mark.parametrize("form", FORMATS)
def test_numbers_of_numpy_are_numbers(tmp_path: Path, form: str) -> None:
    opt = {"sparse_ratio": np.float32(0.5), "lr": np.float16(0.25), "gpuid": np.int16(-3), "on": np.bool_(True)}
    for given in (opt, Namespace(**opt)):
        content = {"model": {"a": torch.ones(1)}, "opt": given, "epoch": np.int64(7), "best_rsum": np.float64(512.3)}
        checkpoint = read_checkpoint(save(tmp_path, content, form))
        assert checkpoint.options == {"sparse_ratio": 0.5, "lr": 0.25, "gpuid": -3, "on": True}
        assert (checkpoint.epoch, checkpoint.best_rsum) == (7, 512.3)
    file = save(tmp_path, {"model": {}, "best_rsum": np.float64(2.5)}, "legacy")
    file.write_bytes(file.read_bytes().replace(b"numpy._core.multiarray", b"numpy.core.multiarray"))  # as numpy 1 wrote
    assert read_checkpoint(file).best_rsum == 2.5


SCALAR: Any = np.float64(1).__reduce__()[0]


@pytest.mark.parametrize(
    "value",
    [
        np.datetime64("2024-01-01"),
        np.longdouble(1),
        np.array([Call(os.getcwd)], object),
        Call(SCALAR, np.dtype("f8"), b"short"),
        Call(SCALAR, np.dtype("f8"), "text"),
        Call(SCALAR, np.dtype("f8")),
        Call(SCALAR, "f8", bytes(8)),
        Call(SCALAR, np.dtype("O"), bytes(8)),
    ],
    ids=["date", "long double", "objects", "short", "of text", "empty", "no dtype", "of objects"],
)
def test_what_numpy_has_beside_numbers_is_refused(tmp_path: Path, value: object) -> None:
    refuses(save(tmp_path, {"model": {"a": torch.ones(1)}, "best_rsum": value}), " (asks for|is no checkpoint)")


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.module."])
@pytest.mark.parametrize("place", ["all", "part", "list"])
def test_what_wrappers_put_before_names_is_taken_off(tmp_path: Path, prefix: str, place: str) -> None:
    parts = {"img_enc": ("a.weight", "module_b"), "txt_enc": ("c",), "cross_net": ("d.module.e",)}
    plain = [f"{part}.{key}" for part, keys in parts.items() for key in keys]
    if place == "list":
        content: Any = [{prefix + key: torch.ones(1) for key in keys} for keys in parts.values()]
    elif place == "all":
        content = {prefix + key: torch.ones(1) for key in plain}
    else:  # only one part was wrapped
        content = {key.replace("img_enc.", f"img_enc.{prefix}"): torch.ones(1) for key in plain}
    assert list(read_checkpoint(save(tmp_path, {"state_dict": content})).tensors) == plain


def test_what_is_allowed_is_allowed_here_alone(tmp_path: Path) -> None:
    file = save(tmp_path, {"model": {"a": torch.ones(1)}, "opt": Namespace(a=1)})
    before = set(torch.serialization.get_safe_globals())
    read_checkpoint(file)
    assert set(torch.serialization.get_safe_globals()) == before
    with pytest.raises(pickle.UnpicklingError, match=r"argparse\.Namespace"):
        torch.load(file, weights_only=True)
    save(tmp_path, crafted("opt", Call(getattr, "a", "upper")))
    with torch.serialization.safe_globals([getattr]):  # what the rest of the process allows does not count
        torch.serialization.add_safe_globals([Namespace])
        torch.load(file, weights_only=True)
        refuses(file, " asks for 'getattr'")
        assert set(torch.serialization.get_safe_globals()) == before | {getattr, Namespace}
    torch.serialization.clear_safe_globals()
    torch.serialization.add_safe_globals(list(before))


def test_earlier_torch_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = save(tmp_path, {"model": {"a": torch.ones(1)}})
    monkeypatch.setattr(torch, "__version__", TorchVersion("2.9.1+cpu"))
    with pytest.raises(ValueError, match=r"torch 2\.9\.1\+cpu can be made to run code by a crafted"):
        read_checkpoint(file)


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_is_cut_short_or_no_checkpoint(tmp_path: Path, form: str) -> None:
    file = save(tmp_path, {"model": {"a": torch.randn(1000)}, "opt": Namespace(a=1)}, form)
    whole = file.read_bytes()
    cut = [whole[:length] for length in (0, 1, 60, len(whole) // 2, len(whole) - 200, len(whole) - 1)]
    for content in (*cut, b"a dog runs", b"PK\x03\x04 and no more", bytes(1000), b'{"model": 1}'):
        file.write_bytes(content)
        refuses(file, NO_CHECKPOINT)
    file.unlink()
    refuses(file, " does not exist")
    with pytest.raises(ValueError, match="is a folder: name a file"):
        read_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"model": {"a": torch.ones(1), "_orig_mod.a": torch.zeros(1)}}, "model has a name twice, with and without"),
        ({"model": {"a": torch.ones(1)}, "opt": [0.5]}, "opt is a list"),
        (torch.ones(2), "model is a Tensor, but a state dict is needed"),
        ({"model": {"a": 3}}, "model has 'a', a int, but names and tensors are needed"),
        ({"model": {3: torch.ones(1)}}, "model has 3, a Tensor, but names and tensors are needed"),
        ({"model": [{"a": torch.ones(1)}] * 2}, "a list of 2, but 3 are needed: img_enc, txt_enc, cross_net"),
        ({"model": {"a": torch.ones(1, device="meta")}}, r"'a' \(1,\) without all of its values"),
        ({"model": {"a": torch.eye(2).to_sparse()}}, r"'a' \(2, 2\) without all of its values"),
        ({"model": {"a": torch.ones(1).expand(10**12)}}, r"'a' \(1000000000000,\) without all of its values"),
    ],
)
def test_a_checkpoint_of_something_else(tmp_path: Path, content: object, message: str) -> None:
    refuses(save(tmp_path, content), f": .*{message}")
