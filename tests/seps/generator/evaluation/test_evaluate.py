import numpy as np
import pytest
import torch

from seps.generator.evaluation import evaluate
from seps.scenes.captions.reading import read_caption
from seps.scenes.graph import Object, Scene

DOG = Object("dog", "brown", "medium", (20, 150, 86, 198), "ground", 0)
CAR = Object("car", "red", "medium", (110, 160, 219, 202), "ground", 0)
PARK = Scene(0, "test", 0, "park", (), 0, (DOG, CAR))


@pytest.mark.parametrize(
    ("text", "fraction"),
    [("a brown dog and a red car", 1.0), ("a dog in a park", 0.5), ("a black dog and a car", 0.5), ("at night", 0.0)],
)
def test_objects_named_without_an_untruth(text: str, fraction: float) -> None:
    assert evaluate.objects_named(PARK, read_caption(text)) == fraction


def test_recall_among_blocks() -> None:
    similarity = torch.eye(5)
    similarity[3, 4] = 2.0  # caption 4 prefers picture 3
    assert evaluate.firsts(similarity).tolist() == [1, 1, 1, 1, 0]
    assert evaluate.firsts_among(similarity, 2).tolist() == [1, 1, 1, 1, 0]  # the last block is pictures 3 and 4
    assert evaluate.firsts_among(similarity, 3).tolist() == [1, 1, 1, 1, 0]
    similarity[3, 4], similarity[0, 4] = 0.0, 2.0
    assert evaluate.firsts_among(similarity, 2).tolist() == [1, 1, 1, 1, 1]  # picture 0 is in another block


def test_objects_and_colours_that_are_named_again() -> None:
    asked = [read_caption("a red car and a girl in a blue dress"), read_caption("a dog"), read_caption("at night")]
    back = [read_caption("a child in a green dress and a red automobile").named, read_caption("a cat").named, ()]
    objects, colours = evaluate.compute_named_fractions(asked, back)
    np.testing.assert_array_equal(objects, [1.0, 0.0, np.nan])
    np.testing.assert_array_equal(colours, [0.5, np.nan, np.nan])
    assert evaluate.alike("child", "girl") and not evaluate.alike("girl", "boy")
    assert evaluate.figure(colours) == {"mean": 0.5, "interval": [0.5, 0.5]}
    assert evaluate.figure(np.array([np.nan])) == {"mean": None, "interval": None}
