"""Maps of a caption and of its phrases: explanation, effects, and baselines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from seps.data import SentencePhrases, Split
from seps.data.objects import SceneObjects
from seps.evaluation.grounding.baselines import Gradients, centre_blob, random_order
from seps.evaluation.grounding.measures import Booleans, Floats, Integers, order_of
from seps.explanation.blanking import measure_blanked
from seps.explanation.effects import measure_effects
from seps.explanation.forward_pass import explain

OF_PHRASES = ("seps", "effect", "blanked", "cosine", "gradient")  # methods that have a map for each phrase
METHODS = (*OF_PHRASES, "centre", "random")


@dataclass(frozen=True)
class CaptionMaps:
    """The measured maps of a caption: phrases' maps (N,) by method, the mask (N,), and orders of patches by method."""

    phrases: tuple[dict[str, Floats], ...]
    kept: Booleans
    orders: dict[str, Integers]


def check_images(
    split: Split, entities: Sequence[Sequence[SentencePhrases]], scenes: Sequence[SceneObjects] | None
) -> None:
    """Raise ValueError unless there are entities, and scenes if given, for each image of a split."""
    for kind, given in (("entities", entities), ("scenes", scenes)):
        if given is not None and len(given) != len(split.image_files):
            raise ValueError(f"{kind} has {len(given)} images, but split {split.name} has {len(split.image_files)}.")


def caption_maps(
    gradients: Gradients, image: Tensor, words: Tensor, phrases: Sequence[slice], grid: tuple[int, int], number: int
) -> CaptionMaps:
    """Explain an image (N[+1], C) with a caption (L, C), and compute the baselines' maps of its phrases."""
    net = gradients.net
    record = explain(net, image, words, grid=grid)
    word_maps = record.sparse_alignment.word_maps.astype(np.float64)  # (L, N)
    effects, blanked = measure_effects(net, image, words), measure_blanked(net, image, words)
    plain = record.sparse_alignment.patch_cosines.astype(np.float64)  # (L, N)
    whole = [phrase for phrase in phrases if phrase.stop < len(words)]
    of_phrases, of_caption = gradients.maps(words, whole)
    of_phrase = iter(of_phrases)
    orders = {
        "seps": order_of(word_maps.sum(axis=0), record.sparse.score.astype(np.float64)),
        "effect": order_of(np.nan_to_num(effects.worth)),
        "blanked": order_of(blanked.effects.astype(np.float64)),
        "cosine": order_of(plain.sum(axis=0)),
        "gradient": order_of(of_caption),
        "centre": order_of(centre_blob(grid)),
        "random": random_order(net.num_patches, number),
    }
    worth = np.nan_to_num(effects.word_worth).astype(np.float64)  # (L, N); of an only kept patch there is none
    owed = blanked.word_effects.astype(np.float64)  # (L, N)
    phrase_maps = tuple(
        {
            "seps": mean_map(word_maps, phrase),
            "effect": mean_map(worth, phrase).clip(min=0),
            "blanked": mean_map(owed, phrase).clip(min=0),
            "cosine": subtract_minimum(mean_map(plain, phrase)),
            "gradient": next(of_phrase),
        }
        if phrase.stop < len(words)
        else {}
        for phrase in phrases
    )
    return CaptionMaps(phrase_maps, record.sparse.kept, orders)


def mean_map(maps: Floats, words: slice) -> Floats:
    """Average the maps of some words, from (L, N) to (N,); zero without words."""
    return maps[words].sum(axis=0) / max(1, words.stop - words.start)


def subtract_minimum(values: Floats) -> Floats:
    """Subtract the minimum, so that weights are not negative."""
    return values - values.min()
