import os
import re
import wave
from pathlib import Path

import numpy as np
import pytest

from seps.media import videos
from seps.media.videos import MAX_PIXELS, MAX_SIDE, Frame, VideoError, read_frames
from tests.helpers.pictures.clips import BLUE, GREEN, RED, Colour, turn_clip, write_clip


def colour_of(frame: Frame) -> Colour:
    return (RED, GREEN, BLUE)[int(np.asarray(frame.image).mean(axis=(0, 1)).argmax())]


@pytest.mark.parametrize("ending", ["mp4", "avi", "webm"])
def test_frames_come_at_even_times_with_their_own_pictures(tmp_path: Path, ending: str) -> None:
    video = read_frames(write_clip(tmp_path / f"clip.{ending}", [(RED, 10), (GREEN, 10), (BLUE, 10)]))
    times = [frame.seconds for frame in video.frames]
    assert times == pytest.approx([0, 0.3, 0.5, 0.8, 1.0, 1.3, 1.5, 1.8, 2.0, 2.3, 2.5, 2.8], abs=2e-3)
    assert [colour_of(frame) for frame in video.frames] == [RED] * 4 + [GREEN] * 4 + [BLUE] * 4
    assert (video.size, video.notes) == ((160, 120), ())
    assert video.seconds == pytest.approx(3.0, abs=0.01)


def test_a_cut_is_where_the_picture_changes(tmp_path: Path) -> None:
    video = read_frames(write_clip(tmp_path / "clip.mp4", [(RED, 7), (GREEN, 12), (BLUE, 3)]), "cuts")
    assert [frame.seconds for frame in video.frames] == pytest.approx([0, 0.7, 1.9])
    assert [colour_of(frame) for frame in video.frames] == [RED, GREEN, BLUE]
    fewer = read_frames(tmp_path / "clip.mp4", "cuts", most=2)
    assert [frame.seconds for frame in fewer.frames] == pytest.approx([0, 0.7])
    assert fewer.notes == ("clip.mp4 has more frames than are kept: 2 of them are used.",)


@pytest.mark.parametrize("most", [1, 5])
def test_no_more_frames_are_kept_than_asked_for_and_they_go_through_the_whole(tmp_path: Path, most: int) -> None:
    video = read_frames(write_clip(tmp_path / "clip.mp4", [(RED, 20), (BLUE, 20)]), most=most)
    times = [frame.seconds for frame in video.frames]
    assert len(times) == most and times == sorted(set(times))
    gaps = np.diff([*times, 4.0])
    assert gaps.max() <= 4.0 / most + 0.2
    assert len(video.notes) == 1


def test_more_frames_than_the_file_promises_are_thinned_evenly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(videos, "_lengths", lambda *_: (1.0, 1.0))
    video = read_frames(write_clip(tmp_path / "clip.avi", [(RED, 100)]), most=8)
    times = [frame.seconds for frame in video.frames]
    assert times[0] == 0 and 4 < len(times) <= 8 and len(video.notes) == 1
    assert len(set(np.diff(times).round(1))) == 1


def test_odd_videos_are_read(tmp_path: Path) -> None:
    still = read_frames(write_clip(tmp_path / "one.avi", [(GREEN, 1)]))
    assert [frame.seconds for frame in still.frames] == [0]
    named = write_clip(tmp_path / "clip.mp4", [(BLUE, 4)]).rename(tmp_path / "clip.txt")
    turn_clip(named)
    turned = read_frames(named)
    assert colour_of(turned.frames[0]) == BLUE
    assert (turned.size, turned.frames[0].image.size) == ((120, 160), (120, 160))
    large = read_frames(write_clip(tmp_path / "large.avi", [(RED, 2)], size=(1280, 720)))
    assert large.size == (1280, 720)
    assert large.frames[0].image.size == (MAX_SIDE, MAX_SIDE * 720 // 1280)
    assert MAX_PIXELS >= 7680 * 4320  # 8K


def test_what_breaks_off_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    file = write_clip(tmp_path / "clip.avi", [(RED, 20), (BLUE, 20)])
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    video = read_frames(file)
    assert 1 < len(video.frames) < 16 and colour_of(video.frames[0]) == RED
    hole = bytearray(content)
    middle = len(hole) // 2
    hole[middle : middle + 4000] = bytes(4000)
    (tmp_path / "hole.avi").write_bytes(hole)
    mended = read_frames(tmp_path / "hole.avi")
    assert {RED, BLUE} <= {colour_of(frame) for frame in mended.frames}


def test_reading_is_bounded_in_time(tmp_path: Path) -> None:
    video = read_frames(write_clip(tmp_path / "clip.mp4", [(RED, 30)]), patience=0.0)
    assert video.notes == ("Reading clip.mp4 takes long: its first 0.0 s are used.",)


def test_of_a_long_video_the_beginning_is_used_at_even_times(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.webm", [(RED, 20), (GREEN, 20), (BLUE, 20)])
    video = read_frames(clip, most=4, longest=4.0)
    assert [colour_of(frame) for frame in video.frames] == [RED, RED, GREEN, GREEN]
    assert video.seconds == pytest.approx(4.0, abs=0.15)
    assert "clip.webm lasts longer than 4 s: what comes after is left out." in video.notes
    assert len(read_frames(clip, longest=6.5).notes) == 0


def test_what_is_no_video_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "pointer.mp4").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with wave.open(str(tmp_path / "sound.mp4"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        sound.writeframes(bytes(8000))
    head = write_clip(tmp_path / "clip.mp4", [(RED, 30)]).read_bytes()
    (tmp_path / "headless.mp4").write_bytes(head[:64])
    (tmp_path / "damaged.mp4").write_bytes(b"\x1a\x45\xdf\xa3" + bytes(500))
    os.mkfifo(tmp_path / "pipe.mp4")
    with (tmp_path / "large.mp4").open("wb") as file:
        file.truncate(201 * 2**20)
    for name, message in (
        ("gone", "cannot be read"),
        ("empty", "is empty"),
        ("pointer", "is a pointer of Git LFS"),
        ("sound", "is no video by its content"),
        ("headless", "is no video by its content"),
        ("damaged", "is no video by its content"),
        ("pipe", "is no file"),
        ("large", "has 201 MB"),
    ):
        with pytest.raises(VideoError, match=re.escape(f'"{name}.mp4" {message}')):
            read_frames(tmp_path / f"{name}.mp4")
    with pytest.raises(ValueError, match="at is 'random', but frames are taken at"):
        read_frames(tmp_path / "clip.mp4", "random")
    with pytest.raises(ValueError, match="most is 601, but 1 to 600 frames can be taken"):
        read_frames(tmp_path / "clip.mp4", most=601)


def test_damaged_videos_give_frames_or_a_sentence(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    clips = [write_clip(tmp_path / f"clip.{ending}", [(RED, 8), (BLUE, 8)]) for ending in ("mp4", "avi", "webm")]
    outcomes = set()
    for number in range(24):
        clip = clips[number % 3]
        damaged = bytearray(clip.read_bytes())
        for place in rng.integers(0, len(damaged), 40):
            damaged[place] = rng.integers(0, 256)
        file = tmp_path / f"damaged-{number}{clip.suffix}"
        file.write_bytes(damaged[: rng.integers(len(damaged) // 4, len(damaged) + 1)])
        try:
            video = read_frames(file)
        except VideoError as error:
            assert file.name in str(error)
            outcomes.add("refused")
        else:
            times = [frame.seconds for frame in video.frames]
            assert times == sorted(set(times)) and np.isfinite(times).all()
            outcomes.add("read")
    assert outcomes == {"refused", "read"}
