"""Ranking and explaining agree with the model itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from demo.service.workbench import Workbench

CAPTION = "a motorcycle parked indoors"


def direct(bench: Workbench, photo: Image.Image, caption: str, dense: str | None = None) -> float:
    """S(I, T) by the model's own forward pass."""
    images = bench.model.encode_photos([photo])
    words, lengths = bench.model.encode_captions([caption])
    rest = () if dense is None else bench.model.encode_captions([dense], dense=True)
    with torch.no_grad():
        similarity = bench.model.cross_net(images, words, lengths, *rest)
    assert isinstance(similarity, torch.Tensor)
    return float(similarity[0, 0])


@pytest.mark.parametrize("dense", [None, "A motorcycle stands in a room, beside a wall."])
def test_images_are_ranked_by_the_models_own_score(bench: Workbench, dense: str | None) -> None:
    indexed = bench.find("examples")
    ranking = bench.rank_images(indexed, CAPTION, dense)
    assert sorted(ranking.order) == list(range(len(indexed)))
    assert ranking.scores == sorted(ranking.scores, reverse=True)
    assert indexed.gallery.items[ranking.order[0]].key == "motorcycle"
    for rank in (0, 7):
        photo = indexed.gallery.items[ranking.order[rank]].photo()
        assert ranking.scores[rank] == pytest.approx(direct(bench, photo, CAPTION, dense), abs=1e-5)
    assert 0 < ranking.seconds < 30


def test_captions_are_ranked_with_the_truth_beside_them(bench: Workbench) -> None:
    indexed = bench.find("examples")
    place = indexed.gallery.position("coffee")
    own = indexed.gallery.items[place].captions
    ranking = bench.rank_captions(indexed, place, "examples", "a mug of tea\na zebra")
    assert len(ranking.captions) == sum(len(item.captions) for item in indexed.gallery.items) + 2
    assert {text for text, right in zip(ranking.captions, ranking.correct, strict=True) if right} == set(own)
    assert [text for text, right in zip(ranking.captions, ranking.correct, strict=True) if right is None] == [
        text for text in ranking.captions if text in ("a mug of tea", "a zebra")
    ]
    first = 1 + ranking.correct.index(True)
    assert ranking.hits() == {k: first <= k for k in (1, 5, 10)}
    photo = indexed.gallery.items[place].photo()
    assert ranking.scores[0] == pytest.approx(direct(bench, photo, ranking.captions[0]), abs=1e-5)
    typed = bench.rank_captions(indexed, place, None, "a zebra")
    assert (typed.captions, typed.has_truth) == (["a zebra"], False)


def test_an_explanation_is_that_of_the_photo_and_is_kept(bench: Workbench) -> None:
    indexed = bench.find("examples")
    place = indexed.gallery.position("coffee")
    record = bench.explain(indexed, place, CAPTION)
    again = bench.model.explain(indexed.gallery.items[place].photo(), CAPTION)
    assert record.similarity == pytest.approx(again.similarity, abs=1e-5)
    np.testing.assert_array_equal(record.sparse.kept, again.sparse.kept)
    assert bench.explain(indexed, place, CAPTION) is record
    assert bench.explain(indexed, place, CAPTION, "A cup on a table.").dense is not None
    assert bench.explain_photo(indexed.gallery.items[place].photo(), CAPTION).similarity == pytest.approx(
        record.similarity, abs=1e-5
    )


def test_what_is_not_there_is_told(bench: Workbench) -> None:
    indexed = bench.find("examples")
    with pytest.raises(ValueError, match="There is no gallery 'moon'; there are: examples, open-photos"):
        bench.open("moon")
    with pytest.raises(ValueError, match="open-photos is still being opened"):
        bench.find("open-photos")
    with pytest.raises(ValueError, match="no caption to rank"):
        bench.rank_captions(indexed, 0, None, " \n")
