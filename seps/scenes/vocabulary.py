"""Vocabulary of the scenes' captions, with whole words, for a caption encoder.

python -m seps.scenes.vocabulary > seps/configs/encoders/scenes/vocab.txt
"""

import re

from tqdm import trange

from seps.scenes.captions.dense import dense_caption
from seps.scenes.captions.sentences import sparse_captions
from seps.scenes.placing import make_scene

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SCENES = 10_000  # of the training split; the last new word comes long before


def vocabulary(scenes: int = SCENES) -> list[str]:
    """Return the special tokens, then all words and marks in the captions of the first training scenes, sorted."""
    words: set[str] = set()
    for index in trange(scenes, desc="Captions", leave=False):
        scene = make_scene(0, "train", index)
        for caption in (*sparse_captions(scene), dense_caption(scene)):
            words.update(re.findall(r"\w+|[^\w\s]", caption.text.lower()))
    return [*SPECIAL, *sorted(words)]


if __name__ == "__main__":
    print("\n".join(vocabulary()))
