import os
from pathlib import Path

import numpy as np
import pytest

from demo.galleries.reading import video_worker
from demo.galleries.reading.processes import Worker
from demo.galleries.reading.video_worker import check_readable, frames_of
from demo.galleries.sources.folder import OWN_VIDEO
from demo.galleries.sources.scenes import CLIP, create_moving_gallery
from demo.galleries.sources.video import read_video
from seps.common.progress import finish
from seps.media.videos import read_frames
from tests.demo.galleries.conftest import record_workers
from tests.helpers.pictures.clips import BLUE, RED, write_clip


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    return record_workers(video_worker, monkeypatch)


def test_frames_are_those_that_are_read_here(processes: list[Worker]) -> None:
    gallery = finish(read_video(CLIP, OWN_VIDEO))
    expected = read_frames(CLIP)
    assert (gallery.name, gallery.title, gallery.noun, gallery.timed) == (OWN_VIDEO, "moving.webm", "frames", True)
    assert [float(item.key) for item in gallery.items] == [frame.seconds for frame in expected.frames]
    for item, frame in zip(gallery.items, expected.frames, strict=True):
        assert np.abs(np.asarray(item.photo(), dtype=int) - np.asarray(frame.image)).mean() < 2  # JPEG
    assert [process.returncode is not None for process in processes] == [True]


def test_whoever_lets_go_of_it_ends_the_process(tmp_path: Path, processes: list[Worker]) -> None:
    clip = write_clip(tmp_path / "clip.avi", [(RED, 1000)], size=(32, 32))  # more reports than wait in a pipe
    reading = frames_of(clip, most=1, longest=200.0, every=0.0)
    assert 1 <= next(reading) < 1000
    assert processes[0].poll() is None
    reading.close()
    assert processes[0].poll() is not None


def test_only_the_beginning_of_a_long_video_is_read(tmp_path: Path) -> None:
    video = finish(frames_of(write_clip(tmp_path / "long.avi", [(RED, 20), (BLUE, 20)]), most=3, longest=2.0))
    assert [at for at, _ in video.frames] == pytest.approx([0, 0.7, 1.4], abs=0.05)
    assert "long.avi lasts longer than 2 s: what comes after is left out." in video.notes


def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.avi", [(RED, 5)])
    name = tmp_path / os.fsdecode(b"\xff.mp4")
    name.write_bytes(b"no video")
    with pytest.raises(ValueError, match=r'"\\udcff\.mp4" is no video by its content'):
        check_readable(name)
    with pytest.raises(ValueError, match=r'"clip\.avi" takes longer than 0\.01 s to read'):
        finish(frames_of(clip, 3, 2.0, seconds=0.01))
    with pytest.raises(ValueError, match=r'"clip\.avi" makes its decoder fail'):  # not even its libraries fit
        finish(frames_of(clip, 3, 2.0, memory=100 * 2**20))
    large = write_clip(tmp_path / "large.avi", [(RED, 1)], size=(7680, 4320))
    with pytest.raises(ValueError, match=r'"large\.avi" needs more memory than a video may take'):
        finish(frames_of(large, 3, 2.0, memory=400 * 2**20))


def test_the_scene_that_moves_knows_when_its_object_is_seen() -> None:
    gallery = create_moving_gallery()
    seen = [float(item.key) for item in gallery.items if item.captions]
    assert (seen[0], seen[-1], len(gallery)) == (1.75, 3.25, 24)
    assert gallery.captions[0] == "a white balloon"
    for item in gallery.items:
        assert item.known is not None and ("a white balloon" in item.phrases) == bool(item.captions)
    boxes = [item.known.scene.objects[0].box for item in gallery.items if item.known is not None]
    assert boxes[8] != boxes[9]
