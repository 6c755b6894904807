"""Captions of photographs measured, chosen by SEPS's score, and printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from PIL import Image

from seps import load_model, shipped_file
from seps.generator.captioner import Decoding
from seps.generator.generator import ImageTextGenerator, WrittenCaption
from seps.generator.photo_captions import COLUMNS, best_captions, evaluate_photos
from seps.generator.program import main
from seps.generator.ranking import BEAMS, agreements, order, seps_scores
from tests.helpers.captioned import write_photo_split

CHINA = "galleries/photos/china.jpg"


def caption(text: str, score: float) -> WrittenCaption:
    return WrittenCaption(text, score, (), torch.zeros(0, 1, 1))


def test_the_score_decides_as_much_as_its_weight() -> None:
    captions, scores = [caption("likely", -0.5), caption("fitting", -0.9)], [0.2, 0.8]
    assert order(captions, scores, 0.0) == [0, 1]
    assert order(captions, scores, 0.5) == [0, 1]
    assert order(captions, scores, 1.0) == [1, 0]
    assert best_captions([(captions, scores)], 1.0) == ["fitting"]


def test_a_caption_s_agreement_is_the_share_of_word_sequences_that_it_has_in_common_with_the_others() -> None:
    """By hand: of 1, 2, 3 and 4 words, "a dog runs" and "a dog sits" share 2 of 3, 1 of 2 and 0 of 1; none has 4."""
    texts = ["A dog runs.", "a dog sits", "two cats"]
    near = (2 / 3 + 1 / 2) / 4
    assert agreements(texts) == pytest.approx([near / 2, near / 2, 0.0])
    assert agreements(["a a dog", "a dog"]) == pytest.approx([(4 / 5 + 2 / 3) / 4] * 2)  # a repeated word counts once
    assert agreements(["a brown dog runs", "A brown dog runs"]) == [1.0, 1.0]
    assert (agreements(["alone"]), agreements([])) == ([0.0], [])


def test_agreement_decides_as_much_as_its_weight() -> None:
    captions = [caption("two cats", -0.5), caption("a dog runs", -0.7), caption("a dog sits", -0.8)]
    near = (2 / 3 + 1 / 2) / 8
    for agreement, expected in ((0.0, [0, 1, 2]), (0.19 / near, [0, 1, 2]), (0.21 / near, [1, 0, 2])):
        assert order(captions, [0.0] * 3, agreement=agreement) == expected
    assert best_captions([(captions, [0.0] * 3)], agreement=0.31 / near) == ["a dog runs"]
    assert order(captions, [0.0] * 3, agreement=0.31 / near) == [1, 2, 0]


def test_a_caption_s_score_is_that_of_the_model() -> None:
    model, photo = load_model("photos"), Image.open(shipped_file(CHINA))
    texts = ["a Chinese tower by a lake", "two dogs run on the beach"]
    scores = seps_scores(model, photo, [caption(text, 0.0) for text in texts])
    assert scores == pytest.approx([model.explain(photo, text).similarity for text in texts], abs=1e-4)
    assert scores[0] > scores[1]


def test_photographs_are_measured_by_people_s_captions(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seps.generator.caption_metrics.shutil.which", lambda name: name)
    monkeypatch.setattr("seps.generator.caption_metrics.meteor_of", lambda truths, results: 0.2)  # Java takes long
    data, target = write_photo_split(tmp_path / "data", "dev"), tmp_path / "result.json"
    arguments = ["evaluate", "--model", str(checkpoint), "--data", str(data), "--split", "dev", "--beams", "2"]
    assert main([*arguments, "--last", "2", "--json", str(target)]) == 0
    result = json.loads(target.read_text())
    assert (result["photographs"], result["beams"], result["reranked"]["ranker"]) == (2, 2, "photos")
    for way in ("greedy", "beam", "reranked", "people"):
        assert 0 <= result[way]["bleu_4"] <= result[way]["bleu_1"] <= 100
        low, high = result[way]["intervals"]["cider"]
        assert low <= result[way]["cider"] <= high
    assert result["people"]["cider"] > result["beam"]["cider"]
    chosen = {(each["beams"], each["agreement"], each["weight"]): each for each in result["choices"]}
    reranked = result["reranked"]
    best = chosen[reranked["beams"], reranked["agreement"], reranked["weight"]]
    for way, choice in (("beam", chosen[2, 0, 0]), ("reranked", best)):
        assert [choice[name] for name in ("bleu_4", "cider")] == [result[way][name] for name in ("bleu_4", "cider")]
    assert {beams for beams, _, _ in chosen} == {2, BEAMS}
    head, columns, *rows = capsys.readouterr().out.splitlines()
    assert head == "2 photographs of dev, 2 beams, 95% intervals"
    assert columns.split() == list(COLUMNS)
    for row, way in zip(rows, ("greedy", "beam", "reranked", "people"), strict=False):
        measured, (name, *cells) = result[way], row.split()
        low, high = measured["intervals"]["cider"]
        assert (name, cells[3], cells[4]) == (way, f"{measured['bleu_4']:.1f}", "20.0")
        cider = f"{measured['cider']:.3f} [{low:.3f}, {high:.3f}] {measured['distinct']:.2f}"
        assert " ".join(cells[-4:]) == cider


def test_how_many_photographs_and_beams_are_checked_before_captions_are_written(
    checkpoint: Path, tmp_path: Path
) -> None:
    data = write_photo_split(tmp_path / "data", "dev")
    generator = ImageTextGenerator(checkpoint, "cpu")
    for last, beams, message in (
        (-1, 4, "--last is -1, but a whole number of at least 0 is needed"),
        (0, 0, "beams is 0, but a whole number of at least 1 is needed"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            evaluate_photos(generator, data, "dev", beams=beams, last=last)


def test_all_captions_are_printed_with_what_they_were_chosen_by(
    checkpoint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--mode", "i2t", "--model", str(checkpoint), "--image", str(shipped_file(CHINA)), "--beams", "3"]
    assert main(asked) == 0
    best = capsys.readouterr().out.strip()
    assert main([*asked, "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{best} (mean log probability -") and 1 <= len(lines) <= 3
    assert main([*asked, "--all", "--seps", "photos"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert 1 <= len(lines) <= 3 and all("S(I, T) " in line and "agreement " in line for line in lines)


def test_more_beams_are_followed_where_there_is_a_choice(
    checkpoint: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[int] = []

    def write(generator: ImageTextGenerator, pictures: list[Image.Image], how: Decoding) -> list[list[WrittenCaption]]:
        followed.append(how.beams)
        return [[caption("a dog", -1.0)]]

    monkeypatch.setattr(ImageTextGenerator, "write", write)
    asked = ["--mode", "i2t", "--model", str(checkpoint), "--image", str(shipped_file(CHINA))]
    for more in ([], ["--seps", "photos"], ["--seps", "photos", "--beams", "5"]):
        assert main([*asked, *more]) == 0
    assert followed == [4, BEAMS, 5]
    assert capsys.readouterr().out.splitlines() == ["a dog"] * 3


def test_a_generator_of_scenes_says_that_it_knows_no_photographs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--mode", "i2t", "--image", str(shipped_file(CHINA))]) == 0
    answer = capsys.readouterr()
    assert answer.err.startswith("Note: scenes knows only drawn scenes") and "--model photos" in answer.err
    assert len(answer.out.splitlines()) == 1 and "Note" not in answer.out
