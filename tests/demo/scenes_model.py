"""A tiny model with random weights and the vocabulary of the scenes' captions."""

import json
import re
from pathlib import Path

import torch

from demo.galleries.sources.scenes import FACTS_FILE
from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from tests.helpers.models.tiny import WORDS, tiny_settings, write_tiny_bert


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
