"""A lent GPU: only where a Space lends one."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image

from demo.galleries.examples import examples_gallery
from demo.galleries.index import index_gallery, require_in_memory
from demo.service import gpu
from demo.service.retrieval import RetrievalService


def spaces(zero_gpu: bool, calls: list[Any]) -> ModuleType:
    """A stand-in for the package `spaces`."""

    def lend(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            calls.append(arguments)
            return function(*arguments)

        return call

    module = ModuleType("spaces")
    module.__spec__ = ModuleSpec("spaces", None)
    module.__dict__.update(GPU=lend, config=SimpleNamespace(Config=SimpleNamespace(zero_gpu=zero_gpu)))
    return module


def test_nothing_is_lent_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "spaces", raising=False)
    assert gpu.lease_encoder("photos") is None
    monkeypatch.setitem(sys.modules, "spaces", spaces(False, []))
    assert gpu.lease_encoder("photos") is None


def test_photos_are_encoded_where_the_gpu_is(service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setitem(sys.modules, "spaces", spaces(True, calls))
    monkeypatch.setattr(gpu, "_model_on_gpu", lambda name: service.model)  # no GPU here
    encode = gpu.lease_encoder("photos")
    assert encode is not None
    gallery = examples_gallery()
    subset = type(gallery)(gallery.name, gallery.title, "", gallery.items[:2])
    indexed = index_gallery(service.model, subset, None, False, encode)
    assert [(name, len(photos)) for name, photos in calls] == [("photos", 1), ("photos", 1)]
    assert all(isinstance(photo, Image.Image) for _, photos in calls for photo in photos)
    torch.testing.assert_close(indexed.embeddings, require_in_memory(service.find("examples")).embeddings[:2])
