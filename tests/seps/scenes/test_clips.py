import re
from pathlib import Path

import numpy as np
import pytest

from seps.media.videos import read_frames
from seps.scenes.__main__ import main
from seps.scenes.clips import FRAMES, RATE, Clip, make_clip, write_clip


@pytest.fixture(scope="module")
def clip() -> Clip:
    return make_clip(0, 1)


def test_one_object_enters_crosses_and_leaves(clip: Clip) -> None:
    assert len(clip.scenes) == FRAMES
    shown = [picture.box(clip.number) for picture in clip.pictures]
    assert shown[0] is None and shown[-1] is None
    assert not clip.seen[0] and not clip.seen[-1] and 3 <= clip.seen.sum() < FRAMES // 2
    lefts = [scene.objects[clip.number].box[0] for scene in clip.scenes]
    steps = np.diff(lefts)
    assert (steps >= 0).all() or (steps <= 0).all()
    first = clip.scenes[0]
    for scene in clip.scenes:
        others = [thing for number, thing in enumerate(scene.objects) if number != clip.number]
        assert others == [thing for number, thing in enumerate(first.objects) if number != clip.number]
    thing = first.objects[clip.number]
    assert thing.kind in clip.caption or clip.caption.split()[0] in ("a", "an")
    assert sum(other.kind == thing.kind for other in first.objects) == 1


def test_a_clip_is_written_and_told(
    clip: Clip, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seps.scenes.__main__.make_clip", lambda *given: {(0, 1): clip}[given])
    file = tmp_path / "clip.webm"
    assert main(["--clip", str(file)]) == 0
    assert capsys.readouterr().out == "a white balloon: 1.75 s to 3.25 s\n"
    video = read_frames(file)
    assert len(video.frames) == FRAMES and video.seconds == pytest.approx(FRAMES / RATE)
    for name, message in (("clip.mp4", "must end in .webm"), ("gone/clip.webm", "cannot be written")):
        with pytest.raises(ValueError, match=re.escape(message)):
            write_clip(make_clip(0, 0), Path(name))
