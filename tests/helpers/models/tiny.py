"""A model of a few thousand parameters with random weights: what tests of shapes and mathematics build."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertModel

from seps.models.config import ModelConfig
from seps.models.model import SEPSModel

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "a", "dog", "##s", "run", "##ning", "snow", ".")
HALF = [0.5, 0.5, 0.5]


def write_tiny_bert(folder: Path, words: tuple[str, ...] = WORDS) -> Path:
    """A BERT of 2 layers and 16 channels with a vocabulary of these words, as transformers writes it."""
    geometry: dict[str, Any] = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=len(words), **geometry)).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    return folder


def tiny_settings(bert: Path) -> dict[str, Any]:
    """A config of timm's test ViT (10 x 10 patches and [CLS]) and the tiny BERT, all weights random."""
    return {
        "vision": {
            "encoder": "test_vit",
            "weights": "none",
            "image_size": 160,
            "mean": HALF,
            "std": HALF,
            "cls": "encoder",
        },
        "text": {"encoder": f"folder:{bert}", "weights": "none", "max_words": 8, "max_dense_words": 12},
        "embed_size": 24,
        "network": {"use_paper_version": True, "sparse_ratio": 0.5, "aggr_ratio": 0.4},
    }


CLASSES: dict[str, Any] = {  # of a vision section: 3 x 3 patches with class vectors
    "encoder": "test_efficientnet",
    "image_size": 96,
    "cls": "none",
    "classes": {"names": "imagenet-1k", "shared_until": "blocks.2"},
}


def tiny_model_with_classes(bert: Path) -> SEPSModel:
    """The model of `tiny_settings` with a small EfficientNet and random class vectors."""
    model = tiny_model(bert, **CLASSES)
    assert model.img_enc.classes is not None
    model.img_enc.classes.set_vectors(torch.randn(1000, model.config.embed_size))
    model.img_enc.classes.classifier.weight *= 10_000  # else all classes are about equally probable
    return model


BUILT: dict[str, tuple[SEPSModel, torch.Tensor]] = {}  # by settings: a model, and the state of the noise after it


def tiny_model(bert: Path, **vision: Any) -> SEPSModel:
    """The model of `tiny_settings` in evaluation mode, with changes to its vision section; each call gives a copy."""
    settings = tiny_settings(bert)
    settings["vision"] |= vision
    key = json.dumps(settings)
    if key not in BUILT:
        torch.manual_seed(0)
        BUILT[key] = SEPSModel(ModelConfig.from_dict(settings)).eval(), torch.get_rng_state()
    model, noise = BUILT[key]
    torch.set_rng_state(noise)
    return deepcopy(model)


def equal_states(model: SEPSModel, other: SEPSModel) -> bool:
    """Whether two models have the same names and, bit for bit, the same values."""
    first, second = model.state_dict(), other.state_dict()
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
