"""Captions unlike the training captions: centres, threshold, and the program's file for the app."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

from seps.data import read_split
from seps.encoders.low_rank import LowRank
from seps.evaluation.harness import main
from seps.evaluation.known_captions import area, centres_of, measure_known_captions
from seps.models.config import ModelConfig
from seps.models.known_captions import (
    CENTRES,
    JSON_NAME,
    TENSORS_NAME,
    KnownCaptions,
    caption_vectors,
    read_known_captions,
    with_vectors,
)
from seps.models.model import SEPSModel
from tests.helpers.drawn_data import write_split
from tests.helpers.tiny import DRAWN_WORDS, tiny_model, tiny_settings, write_tiny_bert

WORDS = (*DRAWN_WORDS, "boat", "sea", "moon")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SEPSModel:
    return tiny_model(write_tiny_bert(tmp_path_factory.mktemp("bert"), WORDS)).eval()


def test_vectors_are_mean_words_of_unit_length(model: SEPSModel) -> None:
    texts = ["the red disc is on a bar .", "moon"]
    vectors = caption_vectors(model, texts)
    max_words = model.config.text.max_words
    ids, lengths = model.tokenizer.pad([model.tokenizer.encode(text, max_words) for text in texts])
    with torch.no_grad():
        words = model.txt_enc.features(ids, lengths)
    for row, (of_caption, length) in enumerate(zip(words, lengths.tolist(), strict=True)):
        torch.testing.assert_close(vectors[row], F.normalize(of_caption[:length].mean(dim=0), dim=0))


@pytest.mark.parametrize("low_rank", [0, 2])
def test_captions_and_their_vectors_come_from_one_pass(tmp_path: Path, low_rank: int) -> None:
    settings = tiny_settings(write_tiny_bert(tmp_path, WORDS))
    settings["text"] |= {"low_rank": low_rank, "low_rank_layers": 1}
    model = SEPSModel(ModelConfig.from_dict(settings)).eval()
    with torch.no_grad():
        for part in model.txt_enc.modules():
            if isinstance(part, LowRank):
                part.up.normal_()
    texts = ["the red disc is on a bar .", "moon"]
    embeddings, lengths, vectors = with_vectors(model, texts)
    expected, expected_lengths = model.encode_captions(texts)
    torch.testing.assert_close(embeddings, expected)
    assert lengths.tolist() == expected_lengths.tolist()
    torch.testing.assert_close(vectors, caption_vectors(model, texts))


def test_centres_gather_what_is_alike() -> None:
    groups = F.normalize(torch.eye(3).repeat_interleave(20, dim=0) + 0.01 * torch.randn(60, 3), dim=1)
    centres = centres_of(groups, 3, seed=1)
    torch.testing.assert_close(centres.norm(dim=1), torch.ones(3))
    assert torch.equal(centres, centres_of(groups, 3, seed=1))
    corner = torch.tensor([[1.0, 0.0, 0.0]])
    four = torch.cat([torch.eye(3), -corner])
    torch.testing.assert_close(KnownCaptions(four, 0.9).nearness(corner), torch.tensor([1 / 3]))  # without the farthest
    with pytest.raises(ValueError, match="centres is 61, but it must be at most 60"):
        centres_of(groups, 61)


def test_the_area_counts_pairs() -> None:
    larger, smaller = np.array([3.0, 1.0, 2.0]), np.array([2.0, 0.0])
    by_hand = np.mean([[(a > b) + 0.5 * (a == b) for b in smaller] for a in larger])
    assert area(larger, smaller) == pytest.approx(by_hand)


def test_the_threshold_leaves_95_of_100_above(model: SEPSModel) -> None:
    colours, shapes = ("red", "green", "blue", "grey"), ("square", "disc", "bar")
    train = [f"the {colour} {shape} is on the picture ." for colour in colours for shape in shapes]
    captions = [f"a {colour} {shape} on a picture" for colour in colours for shape in shapes] * 5
    known, figures = measure_known_captions(model, train, captions, ["moon sea boat", "sea sea"], 4)
    near = known.nearness(caption_vectors(model, captions))
    assert float((near < known.threshold).float().mean()) == pytest.approx(figures.below)
    assert figures.below <= 0.1
    far = known.nearness(caption_vectors(model, ["moon sea boat", "sea sea"]))
    assert figures.others_below == pytest.approx(float((far < known.threshold).float().mean()))
    assert (figures.train_captions, figures.captions, figures.others_captions) == (12, 60, 2)


def test_the_program_writes_what_the_app_reads(
    model: SEPSModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("seps.evaluation.cli.load_model", lambda name: model)
    folder, file = tmp_path / "data", tmp_path / JSON_NAME
    folder.mkdir()
    write_split(folder, images=5)
    count = len(set(read_split(folder, "dev").captions)) // 2
    words = [
        "--measure",
        "known_captions",
        "--model",
        "tiny",
        "--data",
        str(folder),
        "--split",
        "dev",
        "--device",
        "cpu",
        "--json",
        str(file),
    ]
    words += ["--train", "dev", "--others", str(folder), "--centres", str(count)]
    main([*words, "--others-split", "dev"])
    result = json.loads(file.read_text())
    assert f"threshold {result['threshold']:.4f}" in capsys.readouterr().out
    known = read_known_captions(tmp_path)
    assert known is not None and known.threshold == result["threshold"]
    assert known.centres.shape == (count, model.txt_enc.width)
    assert result["auc"] == pytest.approx(0.5)
    with pytest.raises(SystemExit):
        main(words)
    assert "--others-split is needed" in capsys.readouterr().err


def test_files_that_do_not_fit_are_told(tmp_path: Path) -> None:
    assert read_known_captions(tmp_path) is read_known_captions(None) is None
    (tmp_path / JSON_NAME).write_text('{"threshold": 7}')
    with pytest.raises(ValueError, match=r"known-captions\.json has no threshold from -1 to 1"):
        read_known_captions(tmp_path)
    (tmp_path / JSON_NAME).write_text('{"threshold": 0.5}')
    with pytest.raises(ValueError, match=r"known-captions\.safetensors does not exist"):
        read_known_captions(tmp_path)
    save_file({CENTRES: torch.full((2, 3), torch.nan)}, tmp_path / TENSORS_NAME)
    with pytest.raises(ValueError, match=r"known-captions\.safetensors has no finite centres"):
        read_known_captions(tmp_path)
