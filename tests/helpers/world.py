"""A tiny model with random weights and the vocabulary of the scenes' captions, and the app around it."""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache, partial
from pathlib import Path

import torch

from demo import site
from demo.galleries.moving import MOVING
from demo.galleries.scenes import FACTS_FILE, SCENES
from demo.server.folder import TemporaryFolder
from demo.server.launching import launch
from demo.service.registry import ModelRegistry
from demo.service.start import open_scenes, open_service
from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from tests.helpers.tiny import WORDS, tiny_settings, write_tiny_bert


def write_scenes_model(folder: Path) -> Path:
    """The model in a separate folder: 10 x 10 patches and [CLS], paper variant, a word-level vocabulary."""
    texts = [
        text
        for line in FACTS_FILE.read_text(encoding="utf-8").splitlines()
        for fact in [json.loads(line)]
        for text in (fact["dense"], *(caption["text"] for caption in fact["captions"]))
    ]
    vocabulary = sorted({word for text in texts for word in re.findall(r"[a-z]+", text.lower())})
    words = (*WORDS[:6], ",", ".", *vocabulary)
    settings = tiny_settings(write_tiny_bert(folder / "bert", words))
    settings["text"] |= {"max_words": 24, "max_dense_words": 64}
    torch.manual_seed(0)
    model = SEPSModel(ModelConfig.from_dict(settings)).eval()
    model.save_pretrained(folder / "model")
    return folder / "model"


def registry_with(model: Path, cache: Path) -> ModelRegistry:
    """The app's registry with this model for the scenes."""
    opened = lru_cache(partial(open_scenes, model, cache))
    later = {SCENES: (SCENES, opened), MOVING: (SCENES, opened)}
    return ModelRegistry(open_service(cache=cache, fetch=False), later)


if __name__ == "__main__":
    folder, cache, port = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    with TemporaryFolder() as uploads:
        launch(site.build(registry_with(folder, cache)), "127.0.0.1", port, **site.launch_options(uploads))
