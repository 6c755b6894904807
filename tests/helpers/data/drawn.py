"""A data folder in the authors' layout with drawn images: coloured squares, and sentences about them."""

import json
import random
from pathlib import Path

from PIL import Image, ImageDraw

COLOURS = {"red": (220, 30, 30), "green": (30, 180, 30), "blue": (30, 30, 220), "yellow": (230, 220, 30)}
FORMS = ("{c} square", "a {c} square", "square of {c}", "one {c} square .", "a square , {c}")
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "square", "of", "one", ".", ",", "on", *COLOURS)


def draw_split(folder: Path, split: str, count: int, seed: int, entities: bool = True) -> None:
    """`count` images of one square each, 5 captions an image, and the square's box for every caption."""
    rng = random.Random(seed)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    mapping_file = folder / "id_mapping.json"
    mapping = json.loads(mapping_file.read_text()) if mapping_file.is_file() else {}
    captions, ids, records = [], [], []
    for number in range(count):
        name = list(COLOURS)[number % len(COLOURS)]
        image = Image.new("RGB", (64, 64), tuple(rng.randrange(90, 160) for _ in range(3)))
        left, top = rng.randrange(0, 32), rng.randrange(0, 32)
        ImageDraw.Draw(image).rectangle((left, top, left + 31, top + 31), fill=COLOURS[name])
        mapping[f"{split}{number}"] = f"{split}{number}.png"
        image.save(folder / "images" / f"{split}{number}.png")
        sentences = []
        for form in FORMS:
            sentence = form.format(c=name)
            captions.append(sentence)
            ids.append(f"{split}{number}")
            box = [left / 64, top / 64, (left + 32) / 64, (top + 32) / 64]
            phrase = {"phrase": sentence.split()[0], "first_word": 0, "type": "other", "boxes": [box]}
            sentences.append({"sentence": sentence, "phrases": [phrase]})
        records.append({"image": mapping[f"{split}{number}"], "size": [64, 64], "sentences": sentences})
    (folder / f"{split}_caps.txt").write_text("\n".join(captions) + "\n")
    (folder / f"{split}_ids.txt").write_text("\n".join(ids) + "\n")
    mapping_file.write_text(json.dumps(mapping))
    if entities:
        (folder / f"{split}_entities.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
