"""Photographs captioned in the view "Generate": both models' maps of each word, and the order of the captions."""

from __future__ import annotations

import pytest
from PIL import Image

from demo.service.generating.service import GeneratingService
from demo.service.registry import ModelRegistry
from demo.views.generate.photo_captions import SHOWN, explained_captions, photo_captions_value
from seps import shipped_file
from seps.generator import ImageTextGenerator
from seps.generator.captioner import Decoding
from seps.generator.ranking import AGREEMENT, BEAMS, WEIGHT, agreements, order, seps_scores
from tests.helpers.generated import write_tiny_generator


@pytest.fixture(scope="module")
def captioner(tmp_path_factory: pytest.TempPathFactory) -> ImageTextGenerator:
    return ImageTextGenerator(write_tiny_generator(tmp_path_factory.mktemp("captioner"), draws=False), "cpu")


@pytest.fixture
def captioning(
    registry: ModelRegistry, captioner: ImageTextGenerator, monkeypatch: pytest.MonkeyPatch
) -> ModelRegistry:
    monkeypatch.setattr(registry, "captioning", GeneratingService(lambda: captioner))
    return registry


def test_a_photograph_s_captions_have_both_maps_of_each_word_on_one_grid(
    captioning: ModelRegistry, captioner: ImageTextGenerator
) -> None:
    picture = Image.open(shipped_file("galleries/photos/china.jpg"))
    captions = explained_captions(captioning, picture)
    written = captioner.write([picture], Decoding(beams=BEAMS))[0]
    best = order(written, seps_scores(captioning.photos.model, picture, written))[:SHOWN]
    assert len(written) > len(captions) == SHOWN  # the best of more
    assert [caption.written.text for caption in captions] == [written[i].text for i in best]
    agreeing = agreements([caption.text for caption in written])
    assert [caption.agreement for caption in captions] == [agreeing[i] for i in best]
    value = photo_captions_value(picture, "data:,", "china", captions)
    assert [beam["text"] for beam in value["beams"]] == [caption.written.text for caption in captions]
    assert any(beam["words"] for beam in value["beams"])
    for beam, caption in zip(value["beams"], captions, strict=True):
        record, words = caption.record, caption.written.words
        read = {label for label in record.sparse_alignment.words if label in words}  # by both tokenizers
        labels = [word["label"] for word in beam["words"]]
        assert set(labels) == read
        patches = record.grid[0] * record.grid[1]
        assert beam["maps"]["shape"] == beam["seps"]["shape"] == [len(labels), patches]
        assert f"S(I, T) {record.similarity:.3f}" in beam["numbers"]
        assert f"{caption.agreement:.2f} (" in beam["numbers"] and f"{AGREEMENT:g} times the third" in beam["numbers"]
        assert f"{WEIGHT:g} times the second" in beam["numbers"]
        assert beam["measures"].endswith(f"agreement {caption.agreement:.2f}")
        assert all("SEPS" in word["seps"] and "captioner" in word["says"] for word in beam["words"])
