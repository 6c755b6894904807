"""Drawn scenes with known truth: the pixels of every object and the objects of every phrase."""

# ruff: noqa: F401

from seps.scenes.captions.dense import dense_caption
from seps.scenes.captions.phrases import Caption, Mention
from seps.scenes.captions.sentences import sparse_captions
from seps.scenes.captions.truth import holds, true_of
from seps.scenes.catalogue import KINDS, SIZES, is_held_out
from seps.scenes.draw import Picture, draw
from seps.scenes.graph import SPLITS, Object, Scene, as_json, from_json, relations, split_of
from seps.scenes.palette import NAMED
from seps.scenes.places import PLACES, SIDE
from seps.scenes.placing import make_scene
from seps.scenes.write import AnnotatedScene, annotate, decode_mask, encode_mask, write_split
