import re

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from skimage.data import astronaut

from seps.judge.spoil import KINDS, distort
from seps.judge.training.features import plan_spoilt_copies


@pytest.fixture(scope="module")
def picture() -> Image.Image:
    return Image.fromarray(astronaut()).resize((200, 160))


def pixels(picture: Image.Image) -> NDArray[np.float64]:
    return np.asarray(picture, np.float64)


@pytest.mark.parametrize("kind", KINDS)
def test_strength_0_changes_nothing_and_1_much(picture: Image.Image, kind: str) -> None:
    assert np.array_equal(pixels(distort(picture, kind, 0)), pixels(picture))
    worst = distort(picture, kind, 1)
    assert worst.mode == "RGB"
    assert distort(picture, kind, 1).tobytes() == worst.tobytes()
    if kind == "crop":
        assert worst.size == (60, 48)
        assert np.array_equal(pixels(worst), pixels(picture)[56:104, 70:130])
    else:
        assert worst.size == picture.size
        assert np.abs(pixels(worst) - pixels(picture)).mean() > 10


def test_what_each_kind_does(picture: Image.Image) -> None:
    before = pixels(picture)
    assert np.abs(np.diff(pixels(distort(picture, "blur", 0.5)), axis=1)).mean() < 0.8 * np.abs(np.diff(before)).mean()
    assert pixels(distort(picture, "contrast", 1)).std() == pytest.approx(0.1 * before.std(), rel=0.05)
    grey = Image.new("RGB", (512, 512), (128, 128, 128))
    assert pixels(distort(grey, "noise", 0.5)).std() == pytest.approx(40, rel=0.02)


def test_strength_means_the_same_in_a_larger_picture() -> None:
    small = Image.fromarray(astronaut())  # 512 x 512
    large = small.resize((1024, 1024), Image.Resampling.BICUBIC)
    for kind in ("blur", "noise", "blocks"):
        brought_down = distort(large, kind, 0.6).resize((512, 512), Image.Resampling.BOX)
        apart = np.abs(pixels(brought_down) - pixels(distort(small, kind, 0.6))).mean()
        assert apart < 0.35 * np.abs(pixels(distort(small, kind, 0.6)) - pixels(small)).mean(), kind


def test_what_cannot_be_spoilt_is_told(picture: Image.Image) -> None:
    with pytest.raises(ValueError, match="kind is 'rain', but it must be one of blur, noise, blocks"):
        distort(picture, "rain", 0.5)
    for strength in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=re.escape(f"strength is {strength}, but it must be in [0, 1]")):
            distort(picture, "blur", strength)


def test_a_plan_spoils_each_kind_as_often_and_ever_more() -> None:
    plan = plan_spoilt_copies(50, 30, 0)
    assert len({copy.row for copy in plan}) == 30
    assert [sum(copy.kind == kind for copy in plan) for kind in ("blur", "noise", "blocks")] == [10, 10, 10]
    assert all(0 < copy.strengths[0] < copy.strengths[1] <= 1 for copy in plan)
    assert plan == plan_spoilt_copies(50, 30, 0) != plan_spoilt_copies(50, 30, 1)
    assert len(plan_spoilt_copies(4, 30, 0)) == 4
