"""From a folder of photographs and captions to batches, in the order in which it happens.

`layout` reads a split in the authors' layout and lists everything that does not fit in one `DataError`, before
anything else starts; `sources` knows other people's caption files, reads them directly and lists what is wrong, and
`python -m seps.data.convert` writes them in that layout. `dense_captions` says which dense caption comes with which
caption. `entities` reads the boxes of phrases, for measuring where a model points. `augmentation` holds the changes
to captions and images. `dataset` turns captions into items, and items into batches

    (images, captions, lengths, dense_captions, dense_lengths, ids, img_ids)

    split = read_split("data/f30k", "train", images="data")  # which has flickr30k-images/
    dataset = CaptionDataset(split, tokenizer, preprocess, train=True, seed=7)
    loader = DataLoader(dataset, batch_size=64, shuffle=True, collate_fn=dataset.collate)
    for epoch in range(30):
        dataset.set_epoch(epoch)
        for images, captions, lengths, dense_captions, dense_lengths, ids, img_ids in loader:
            ...
"""

from seps.data.augmentation import augment_image, augment_words
from seps.data.dataset import Batch, CaptionDataset, CaptionTokenizer, Item, collate
from seps.data.entities import PhraseBoxes, SentencePhrases, read_entities
from seps.data.layout import PROTOCOLS, Split, dense_captions, no_dense, read_split
from seps.data.overlap import overlap_notes
from seps.data.problems import DataError
from seps.photos import open_image

__all__ = [
    "PROTOCOLS",
    "Batch",
    "CaptionDataset",
    "CaptionTokenizer",
    "DataError",
    "Item",
    "PhraseBoxes",
    "SentencePhrases",
    "Split",
    "augment_image",
    "augment_words",
    "collate",
    "dense_captions",
    "no_dense",
    "open_image",
    "overlap_notes",
    "read_entities",
    "read_split",
]
