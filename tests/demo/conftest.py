"""Fixtures of the app's tests."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache, partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from torch import Tensor

from demo.galleries.reading import photos
from demo.galleries.sources.named import examples_gallery
from demo.galleries.sources.scenes import FACTS_FILE, MOVING, SCENES
from demo.record.layers import layer_table
from demo.record.layers.layer_table import EITHER, Row
from demo.record.texts.table import TABLE, TEMPLATES
from demo.service.models import start, stored
from demo.service.models.registry import ModelRegistry
from demo.service.models.start import GalleryOptions, open_scenes, open_service
from demo.service.recent import Recent
from demo.service.retrieval import RetrievalService
from seps import SEPSModel, load_model
from seps.encoders.vision import VisionEncoder
from seps.models.config import ModelConfig
from seps.models.shipped import shipped_models
from tests.helpers.models.tiny import WORDS, tiny_settings, write_tiny_bert

if TYPE_CHECKING:
    from seps.generator import ImageTextGenerator
    from seps.judge import Judge


@pytest.fixture(scope="session", autouse=True)
def loaded_once() -> Iterator[None]:
    """Each shipped model is loaded once for all commands and services, and computes the features of a photograph once:
    the app does not change it."""
    shipped, load, compute = shipped_models(), lru_cache(load_model), VisionEncoder.features
    known: dict[VisionEncoder, Recent[bytes, Tensor]] = {}

    def model_of(name_or_folder: str | Path) -> SEPSModel:
        folder = shipped.get(str(name_or_folder), name_or_folder)
        if folder not in shipped.values():
            return load_model(folder)
        known.setdefault(load(folder).img_enc, Recent(64))
        return load(folder)

    def features(encoder: VisionEncoder, images: Tensor) -> Tensor:
        if encoder not in known or torch.is_grad_enabled() or len(images) > 1:
            return compute(encoder, images)
        key = sha256(images.cpu().numpy().tobytes()).digest()
        return known[encoder].get_or_add(key, lambda: compute(encoder, images)).clone()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VisionEncoder, "features", features)
        for module in (start, stored):
            patch.setattr(module, "load_model", model_of)
        yield


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def service(cache: Path) -> RetrievalService:
    """The shipped model with the gallery of examples; nothing is fetched."""
    return open_service(GalleryOptions(cache=cache, fetch=False))


@pytest.fixture(scope="session")
def scenes_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny untrained model with 10 x 10 patches, [CLS] and the vocabulary of the scenes' captions, in a folder."""
    folder = tmp_path_factory.mktemp("scenes")
    facts = [json.loads(line) for line in FACTS_FILE.read_text(encoding="utf-8").splitlines()]
    texts = [text for fact in facts for text in (fact["dense"], *(caption["text"] for caption in fact["captions"]))]
    vocabulary = sorted({word for text in texts for word in re.findall(r"[a-z]+", text.lower())})
    settings = tiny_settings(write_tiny_bert(folder / "bert", (*WORDS[:6], ",", ".", *vocabulary)))
    settings["text"] |= {"max_words": 24, "max_dense_words": 64}
    torch.manual_seed(0)
    SEPSModel(ModelConfig.from_dict(settings)).eval().save_pretrained(folder / "model")
    return folder / "model"


@pytest.fixture(scope="session")
def registry(service: RetrievalService, scenes_model: Path, cache: Path) -> ModelRegistry:
    """The shipped model's bench, and one of a tiny model with the gallery of scenes."""
    opened = lru_cache(partial(open_scenes, scenes_model, cache))
    return ModelRegistry(service, {SCENES: (SCENES, opened), MOVING: (SCENES, opened)})


@pytest.fixture
def made_layer(monkeypatch: pytest.MonkeyPatch) -> Row:
    """A layer of each patch's place by score, as one row with its sentences."""
    made = Row("place", {"branch.rank": 1}, "zero", branches=EITHER)
    monkeypatch.setattr(layer_table, "LAYERS", (*layer_table.LAYERS, made))
    words = {"title": "Place by score", "scale": "place", "sentence": "Up to {high}.", "name": "Place"}
    for section, text in words.items():
        for table in (TABLE, TEMPLATES):  # two tables where the new page has words of the same section
            monkeypatch.setitem(table[section], "place", text)
    return made


@pytest.fixture(scope="session")
def small_photo() -> bytes:
    """A PNG of a cup of coffee, of 240 pixels on the long side: faster to write and to read than the photograph."""
    gallery, stream = examples_gallery(), BytesIO()
    image = gallery.items[gallery.position("coffee")].photo()
    image.thumbnail((240, 240))
    image.save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def photo(small_photo: bytes, tmp_path: Path) -> Path:
    (tmp_path / "cup.png").write_bytes(small_photo)
    return tmp_path / "cup.png"


@pytest.fixture
def own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEPS_CACHE", str(cache))


@pytest.fixture
def opened(service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> RetrievalService:
    """The shipped model, which commands open no second time."""
    monkeypatch.setattr(start, "open_model", lambda name: service)
    monkeypatch.setattr(photos, "decoders", None)  # a user's photo needs no separate process
    return service


@pytest.fixture(scope="session")
def judge() -> "Judge":
    """A judge on the encoders of the photos model that ships, its heads untrained."""
    from tests.helpers.models.judged import photos_judge

    return photos_judge()


@pytest.fixture(scope="session")
def generator(tmp_path_factory: pytest.TempPathFactory) -> "ImageTextGenerator":
    """A tiny generator of random weights, which draws and captions."""
    from seps.generator import ImageTextGenerator
    from tests.helpers.models.generated import write_tiny_generator

    return ImageTextGenerator(write_tiny_generator(tmp_path_factory.mktemp("generator")), "cpu")
