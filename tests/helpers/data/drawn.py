"""A data folder in the authors' layout with drawn images: coloured squares, and sentences about them."""

import json
import random
from pathlib import Path

from PIL import Image, ImageDraw

from tests.helpers.data.drawn_data import write_captions, write_lines

COLOURS = {"red": (220, 30, 30), "green": (30, 180, 30), "blue": (30, 30, 220), "yellow": (230, 220, 30)}
FORMS = ("{c} square", "a {c} square", "square of {c}", "one {c} square .", "a square , {c}")
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "square", "of", "one", ".", ",", "on", *COLOURS)


def draw_split(folder: Path, split: str, count: int, seed: int) -> None:
    """`count` images of one square each, 5 captions an image, and the square's box for every caption."""
    rng = random.Random(seed)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    captions: dict[str, tuple[str, list[str]]] = {}
    records: list[dict[str, object]] = []
    for number in range(count):
        colour, name = list(COLOURS)[number % len(COLOURS)], f"{split}{number}.png"
        image = Image.new("RGB", (64, 64), tuple(rng.randrange(90, 160) for _ in range(3)))
        left, top = rng.randrange(0, 32), rng.randrange(0, 32)
        ImageDraw.Draw(image).rectangle((left, top, left + 31, top + 31), fill=COLOURS[colour])
        image.save(folder / "images" / name)
        texts = [form.format(c=colour) for form in FORMS]
        captions[f"{split}{number}"] = name, texts
        phrase = {"first_word": 0, "type": "other", "boxes": [[side / 64 for side in (left, top, left + 32, top + 32)]]}
        sentences = [{"sentence": text, "phrases": [phrase | {"phrase": text.split()[0]}]} for text in texts]
        records.append({"image": name, "size": [64, 64], "sentences": sentences})
    write_captions(folder, split, captions)
    write_lines(folder / f"{split}_entities.jsonl", [json.dumps(record) for record in records])
