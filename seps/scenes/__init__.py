"""Drawn scenes with known truth: the pixels of every object and the objects of every phrase."""

from seps.scenes.captions.dense import dense_caption
from seps.scenes.captions.phrases import Caption, Mention, Statement
from seps.scenes.captions.sentences import sparse_captions
from seps.scenes.captions.truth import holds, true_of
from seps.scenes.catalogue import KINDS, SIZES, Kind, is_held_out
from seps.scenes.draw import Picture, draw
from seps.scenes.graph import SPLITS, Object, Scene, as_json, from_json, relations, split_of
from seps.scenes.palette import NAMED
from seps.scenes.places import PLACES, SIDE, Place
from seps.scenes.placing import make_scene
from seps.scenes.write import AnnotatedScene, annotate, decode_mask, describe, encode_mask, write_split

__all__ = [
    "KINDS",
    "NAMED",
    "PLACES",
    "SIDE",
    "SIZES",
    "SPLITS",
    "AnnotatedScene",
    "Caption",
    "Kind",
    "Mention",
    "Object",
    "Picture",
    "Place",
    "Scene",
    "Statement",
    "annotate",
    "as_json",
    "decode_mask",
    "dense_caption",
    "describe",
    "draw",
    "encode_mask",
    "from_json",
    "holds",
    "is_held_out",
    "make_scene",
    "relations",
    "sparse_captions",
    "split_of",
    "true_of",
    "write_split",
]
