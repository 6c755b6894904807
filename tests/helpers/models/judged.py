"""Rated pictures of plain colours, and a judge with tiny encoders, for tests of the judge."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from transformers import CLIPConfig, CLIPModel

from seps.judge.config import JudgeConfig
from seps.judge.judge import Judge

WORDS = ("a", "dog", "red", "green", "blue", "picture")
COLUMNS = ("split", "image", "generator", "prompt", "mos_quality", "mos_align")


def write_tiny_clip(folder: Path) -> Path:
    """A CLIP of random weights with a tokenizer of a few words, as transformers writes it."""
    shared: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2}
    letters = sorted({letter for word in WORDS for letter in word})
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    begin, end = len(tokens) - 2, len(tokens) - 1
    text = {"num_hidden_layers": 2, "vocab_size": len(tokens), "max_position_embeddings": 24}
    config = CLIPConfig(
        text_config=shared | text | {"bos_token_id": begin, "eos_token_id": end, "pad_token_id": end},
        vision_config=shared | {"num_hidden_layers": 3, "image_size": 32, "patch_size": 16},
        projection_dim=12,
    )
    torch.manual_seed(0)
    CLIPModel(config).save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    settings = {"tokenizer_class": "CLIPTokenizer", "model_max_length": 24, "pad_token": "<|endoftext|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def clip_settings(folder: Path, **encoder: Any) -> dict[str, Any]:
    """A judge's config of that CLIP, with changes to its encoder section."""
    return {"encoder": {"kind": "clip", "name": str(folder), "freeze": "all"} | encoder, "data": {"mos_top": 4.5}}


def tiny_judge(folder: Path, **options: Any) -> Judge:
    """A judge of that CLIP in evaluation mode, all frozen, with changes to its config."""
    torch.manual_seed(0)
    return Judge(JudgeConfig.from_dict(clip_settings(folder) | options)).eval()


def photos_judge() -> Judge:
    """A judge on the encoders of the photos model that ships, its heads untrained."""
    torch.manual_seed(0)
    encoder = {"kind": "seps", "name": "photos", "freeze": "all", "stages": [2, 4]}
    return Judge(JudgeConfig.from_dict({"encoder": encoder, "data": {"mos_top": 4.5}})).eval()


def write_ratings(folder: Path, prompts: int = 6, pictures: int = 4, dev: int = 2) -> Path:
    """Pictures of one brightness each, which is their quality; their prompt fits if they are red."""
    rng = np.random.default_rng(0)
    (folder / "images").mkdir(parents=True)
    rows = []
    for i in range(prompts * pictures):
        bright, red = rng.uniform(0.2, 1.0, 2)
        pixels = np.full((40, 40, 3), 255 * bright)
        pixels[..., 1:] *= 1 - red
        Image.fromarray(pixels.astype(np.uint8)).save(folder / "images" / f"{i}.png")
        rows.append(
            {
                "split": "dev" if i // pictures < dev else "train",
                "image": f"{i}.png",
                "generator": f"system-{i % 2}",
                "prompt": f"a {WORDS[1 + i // pictures % 5]} {'picture ' * (i // pictures)}".strip(),
                "mos_quality": f"{4.5 * bright:.4f}",
                "mos_align": f"{4.5 * red:.4f}",
            }
        )
    write_rows(folder, rows)
    return folder


def write_rows(folder: Path, rows: list[dict[str, str]], columns: tuple[str, ...] = COLUMNS) -> None:
    """Write ratings.csv with these columns."""
    with (folder / "ratings.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def read_rows(folder: Path) -> list[dict[str, str]]:
    """The lines of ratings.csv."""
    with (folder / "ratings.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
