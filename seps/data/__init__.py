"""From a folder of photographs and captions to batches."""

# ruff: noqa: F401

from seps.data.dataset import Batch, CaptionDataset, CaptionTokenizer, Item, augment_image, augment_words, collate
from seps.data.entities import PhraseBoxes, SentencePhrases, read_entities
from seps.data.layout import PROTOCOLS, Split, dense_captions, no_dense, read_split
from seps.data.overlap import overlap_notes
from seps.data.problems import DataError
from seps.media.photos import open_image
