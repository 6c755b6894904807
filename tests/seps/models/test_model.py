import re
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from seps.models.model import SEPSModel
from tests.helpers.models.tiny import tiny_model

CAPTIONS = ["a dog runs.", "snow", "dogs running a a a a a a a a a a"]


@pytest.fixture(scope="module")
def model(bert: Path) -> SEPSModel:
    return tiny_model(bert)


def photos(count: int) -> list[Image.Image]:
    sizes = torch.randint(20, 300, (count, 2)).tolist()
    return [Image.fromarray(torch.randint(0, 256, (h, w, 3), dtype=torch.uint8).numpy()) for h, w in sizes]


def test_forward_is_the_networks_of_the_encoders(model: SEPSModel) -> None:
    images = model.preprocess(photos(3))
    ids, lengths = model.tokenizer.pad([model.tokenizer.encode(caption, 8) for caption in CAPTIONS])
    dense_ids, dense_lengths = model.tokenizer.pad([model.tokenizer.encode(caption, 12) for caption in CAPTIONS])
    with torch.no_grad():
        plain = model(images, ids, lengths)
        dense = model(images, ids, lengths, dense_ids, dense_lengths)
        expected = model.cross_net(
            model.img_enc(images),
            model.txt_enc(ids, lengths),
            lengths,
            model.txt_enc(dense_ids, dense_lengths),
            dense_lengths,
        )
    assert plain.shape == (3, 3)
    assert torch.equal(dense, expected)
    assert not torch.allclose(plain, dense)
    with pytest.raises(ValueError, match="dense_captions and dense_lengths belong together"):
        model(images, ids, lengths, dense_ids)


def test_encoding_in_batches_is_encoding_one_by_one(model: SEPSModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seps.models.model.PHOTO_BATCH_SIZE", 2)
    monkeypatch.setattr("seps.models.model.CAPTION_BATCH_SIZE", 2)
    pictures = photos(5)
    encoded = model.encode_photos(pictures)
    assert encoded.shape == (5, 101, 24)
    torch.testing.assert_close(encoded[3:4], model.encode_photos(pictures[3:4]), atol=1e-5, rtol=0)
    words, lengths = model.encode_captions(CAPTIONS)
    assert words.shape == (3, 8, 24)
    assert lengths.tolist() == [7, 3, 8]
    assert lengths.dtype == torch.int64
    for i, caption in enumerate(CAPTIONS):
        alone, length = model.encode_captions([caption])
        assert length.tolist() == [lengths[i]]
        torch.testing.assert_close(words[i, : lengths[i]], alone[0], atol=1e-5, rtol=0)
        assert not words[i, lengths[i] :].any()
    assert not encoded.requires_grad and not words.requires_grad
    dense, dense_lengths = model.encode_captions(CAPTIONS, dense=True)
    assert dense.shape == (3, 12, 24)
    assert dense_lengths.tolist() == [7, 3, 12]


def test_encoding_is_that_of_evaluation_mode_and_leaves_the_mode(bert: Path) -> None:
    model = tiny_model(bert, encoder="test_resnet", cls="none")
    pictures = photos(3)
    expected = model.encode_photos(pictures), model.encode_captions(CAPTIONS)[0]
    model.train()
    model.img_enc.eval()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    assert torch.equal(model.encode_photos(pictures), expected[0])
    assert torch.equal(model.encode_captions(CAPTIONS)[0], expected[1])
    assert model.training and model.txt_enc.bert.training
    assert not model.img_enc.training and not model.img_enc.visual_encoder.training
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize("dense", [None, "dogs running a a a a a a a a a a"])
def test_an_explanation_is_the_forward_pass(model: SEPSModel, dense: str | None) -> None:
    photo = photos(1)[0]
    record = model.explain(photo, "a dog runs.", dense)
    ids, lengths = model.tokenizer.pad([model.tokenizer.encode("a dog runs.", 8)])
    inputs: list[Any] = [model.preprocess([photo]), ids, lengths]
    if dense is not None:
        inputs += model.tokenizer.pad([model.tokenizer.encode(dense, 12)])
    with torch.no_grad():
        similarity = float(model(*inputs))
    assert record.similarity == pytest.approx(similarity, abs=1e-5)
    assert record.grid == (10, 10)
    assert record.sparse_alignment.words == ("[CLS]", "a", "dog", "run", "##s", ".", "[SEP]")
    assert (record.dense is None) == (dense is None)


def test_what_does_not_fit(model: SEPSModel) -> None:
    picture = photos(1)[0]
    given: Any
    for given in ([], picture):
        for use in (model.encode_photos, model.preprocess):
            with pytest.raises(ValueError, match="photos must be a list of at least 1 photograph"):
                use(given)
    with pytest.raises(ValueError, match=r"photos\[1\]: The photo has 0 x 5 pixels"):
        model.encode_photos([picture, Image.new("RGB", (0, 5))])
    for given, message in (
        ([], "captions must be a list of at least 1 caption"),
        ("a dog", "captions must be a list of at least 1 caption"),
        ([3], "caption is a int, but a str is needed"),
        (["a dog", "a \ud800 dog"], "caption has '\\ud800' at position 2 of 7"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            model.encode_captions(given)
