from dataclasses import asdict
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image

from demo.galleries.sources.packaged import load_examples
from demo.service.judging import STRENGTHS, JudgingService
from seps.judge import Judge
from seps.judge.spoil import distort
from tests.helpers.models.judged import tiny_judge, write_tiny_clip


@pytest.fixture
def judging(judge: Judge) -> JudgingService:
    return JudgingService(lambda: judge)


@pytest.fixture(scope="module")
def photo() -> Image.Image:
    return load_examples()[0].photo()


def test_the_numbers_are_the_librarys(judging: JudgingService, judge: Judge, photo: Image.Image) -> None:
    result, expected = judging.judge(("one", photo.copy), "an astronaut"), judge.score(photo, "an astronaut")
    for name in ("quality", "consistency"):
        assert asdict(getattr(result, name)) == pytest.approx(asdict(getattr(expected, name)), abs=1e-5)
    assert result.seen.logit == pytest.approx(expected.logit, abs=1e-5)
    assert result.seen.grid == expected.grid == (14, 14)
    assert result.seen.attributions is not None and expected.attributions is not None
    np.testing.assert_allclose(result.seen.attributions, expected.attributions, atol=1e-6)


def test_the_judge_is_loaded_once_and_late_and_each_picture_encoded_once(judge: Judge, photo: Image.Image) -> None:
    load, source = Mock(return_value=judge), Mock(return_value=photo)
    judging = JudgingService(load)
    assert not load.called and not judging.has_cached(["one"])
    first = judging.judge(("one", source), "a cat")
    other = judging.judge(("one", source), "a castle by the sea")
    assert judging.has_cached(["one"])
    assert (load.call_count, source.call_count) == (1, 1)
    assert first.quality == other.quality
    assert first.consistency != other.consistency


def test_spoilt_copies_begin_with_the_picture_and_are_the_librarys(judging: JudgingService, photo: Image.Image) -> None:
    copies = judging.spoilt(("one", photo.copy), "noise")
    assert len(copies) == len(STRENGTHS) == len({digest for digest, _ in copies})
    assert copies[0][0] == "one"
    np.testing.assert_array_equal(copies[3][1](), distort(photo, "noise", STRENGTHS[3]))
    with pytest.raises(ValueError, match="kind is 'mud', but it must be one of blur, noise, blocks"):
        judging.spoilt(("one", photo.copy), "mud")


def test_an_encoder_that_does_not_pool_by_mean_has_no_shares(tmp_path: Path) -> None:
    judging = JudgingService(lambda: tiny_judge(write_tiny_clip(tmp_path)))
    seen = judging.see([("red", Image.new("RGB", (40, 40), "red").copy)])[0]
    assert (seen.attributions, seen.grid) == (None, None)
    assert len(judging.scores([seen], judging.encode_prompt("a red dog"))) == 1
