from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from PIL import Image

from demo.galleries.indexes.index import index_gallery
from demo.service.retrieval import RetrievalService
from tests.helpers.models.tiny import tiny_model_with_classes, write_tiny_bert

CAPTION = "a motorcycle parked indoors"


def direct(service: RetrievalService, photo: Image.Image, caption: str, dense: str | None) -> float:
    """S(I, T) by the model's own forward pass."""
    images = service.model.encode_photos([photo])
    words, lengths = service.model.encode_captions([caption])
    rest = () if dense is None else service.model.encode_captions([dense], dense=True)
    with torch.no_grad():
        similarity = service.model.cross_net(images, words, lengths, *rest)
    assert isinstance(similarity, torch.Tensor)
    return float(similarity[0, 0])


def test_images_are_ranked_by_the_models_own_score(service: RetrievalService) -> None:
    indexed, dense = service.find("examples"), "A motorcycle stands in a room, beside a wall."
    ranking = service.rank_images(indexed, CAPTION, dense)
    assert sorted(ranking.order) == list(range(len(indexed)))
    assert ranking.scores == sorted(ranking.scores, reverse=True)
    assert indexed.gallery.items[ranking.order[0]].key == "motorcycle"
    for rank in (0, 7):
        photo = indexed.gallery.items[ranking.order[rank]].photo()
        assert ranking.scores[rank] == pytest.approx(direct(service, photo, CAPTION, dense), abs=1e-5)


def test_captions_are_ranked_with_the_truth_beside_them(service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("coffee")
    captions = indexed.gallery.items[index].captions
    ranking = service.rank_captions(indexed, index, "examples", "a mug of tea\na zebra")
    assert len(ranking.captions) == sum(len(item.captions) for item in indexed.gallery.items) + 2
    marked = dict(zip(ranking.captions, ranking.correct, strict=True))
    assert {text for text, right in marked.items() if right} == set(captions)
    assert {text for text, right in marked.items() if right is None} == {"a mug of tea", "a zebra"}
    first = 1 + ranking.correct.index(True)
    assert ranking.hits() == {k: first <= k for k in (1, 5, 10)}
    photo = indexed.gallery.items[index].photo()
    assert ranking.scores[0] == pytest.approx(direct(service, photo, ranking.captions[0], None), abs=1e-5)
    typed = service.rank_captions(indexed, index, None, "a zebra")
    assert (typed.captions, typed.has_truth) == (["a zebra"], False)


def test_an_explanation_is_that_of_the_photo_and_is_kept(service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("coffee")
    record = service.explain(indexed, index, CAPTION)
    photo = indexed.gallery.items[index].photo()
    again = service.model.explain(photo, CAPTION)
    assert record.similarity == pytest.approx(again.similarity, abs=1e-5)
    np.testing.assert_array_equal(record.sparse.kept, again.sparse.kept)
    assert service.explain(indexed, index, CAPTION) is record
    assert service.explain(indexed, index, CAPTION, "A cup on a table.").dense is not None
    assert service.explain_photo(photo, CAPTION).similarity == pytest.approx(record.similarity, abs=1e-5)


def test_a_model_with_classes_sees_each_photo_once_and_every_record_has_what_it_saw(
    service: RetrievalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model_with_classes(write_tiny_bert(tmp_path))
    gallery = service.find("examples").gallery
    indexed = index_gallery(model, replace(gallery, items=gallery.items[:2]), None)
    other = RetrievalService(model, "tiny", [indexed])
    look = Mock(wraps=model.patch_classes)
    monkeypatch.setattr(model, "patch_classes", look)
    record = other.explain(indexed, 1, "a dog runs")
    mask = ~record.sparse.kept
    forced = other.explain(indexed, 1, "a dog runs", mask=mask)
    measured = other.measure(indexed, 1, "a dog runs", None, "effect", mask)
    assert look.call_count == 1
    photo = indexed.gallery.items[1].photo()
    expected = model.explain(photo, "a dog runs").classes
    alone = other.explain_photo(photo, "a dog runs")
    for other_record in (record, forced, measured, alone):
        assert expected is not None and other_record.classes is not None
        assert other_record.classes.names == expected.names
        np.testing.assert_allclose(other_record.classes.word_shares, expected.word_shares, atol=1e-4)
    np.testing.assert_array_equal(forced.sparse.kept, mask)
    assert forced.similarity == pytest.approx(model.explain(photo, "a dog runs", mask=mask).similarity, abs=1e-5)


def test_what_is_not_there_is_told(service: RetrievalService) -> None:
    indexed = service.find("examples")
    with pytest.raises(ValueError, match="There is no gallery 'moon'"):
        service.open("moon")
    with pytest.raises(ValueError, match="The gallery open-photos is still being opened"):
        service.find("open-photos")
    with pytest.raises(ValueError, match="There is no caption to rank"):
        service.rank_captions(indexed, 0, None, " \n")
