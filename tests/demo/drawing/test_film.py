import csv
import io
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.film import WIDTH, broken, durations, video_file
from demo.drawing.formats import CODECS, FILM_RATE, Download
from demo.service.captions import Reading
from demo.service.timeline import Timeline, mask_overlap
from seps.media.videos import read_frames

SECONDS = np.array([0.0, 0.5, 0.75, 2.0])
MASKS = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]], dtype=bool)


def line(caption: str = "a white square", shift: float = 0.0) -> Timeline:
    scores = np.array([0.1, 0.4, 0.2, -0.3]) + shift
    return Timeline(Reading(caption, ""), SECONDS, scores, (1,), MASKS, mask_overlap(MASKS), np.array([0.9, 0.8, 0.7]))


def written(kind: str, *lines: Timeline) -> Download:
    images = [Image.new("RGB", (240, 180), "white") for _ in SECONDS]
    return video_file(images, (2, 2), lines or (line(),), "photos", "My clip", kind)


def is_white(pixels: NDArray[Any], row: int, column: int) -> bool:
    height = WIDTH * 180 // 240
    y, x = (2 * row + 1) * height // 4, (2 * column + 1) * WIDTH // 4
    return bool(pixels[y, x].min() > 200)


def test_a_gif_keeps_the_video_s_pace_and_veils_what_each_frame_drops() -> None:
    with Image.open(io.BytesIO(written("gif").content)) as image:
        for index, mask in enumerate(MASKS):
            image.seek(index)
            assert image.info["duration"] == [500, 250, 1250, 1250][index] // 10 * 10
            pixels = np.asarray(image.convert("RGB"))
            assert [is_white(pixels, row, column) for row in (0, 1) for column in (0, 1)] == mask.tolist()
        assert image.info["loop"] == 0


def test_a_film_shows_each_frame_for_its_time(tmp_path: Path) -> None:
    (tmp_path / "film.webm").write_bytes(written("webm").content)
    capture = cv2.VideoCapture(str(tmp_path / "film.webm"))
    shown = []
    while capture.grab():
        pixels = capture.retrieve()[1]
        shown.append([is_white(pixels, row, column) for row in (0, 1) for column in (0, 1)])
    total = sum(durations(SECONDS))
    assert len(shown) == round(total * FILM_RATE)
    assert shown[0] == MASKS[0].tolist() and shown[6] == MASKS[1].tolist() and shown[-1] == MASKS[3].tolist()
    assert read_frames(tmp_path / "film.webm").seconds == pytest.approx(total, abs=0.2)


def test_tables_and_json_have_every_frame() -> None:
    download = written("csv", line(), line("=1+1", 0.5))
    rows = list(csv.reader(io.StringIO(download.content.decode("utf-8-sig"))))
    assert rows[0] == ["seconds", "a white square", "'=1+1"]
    assert [row[:2] for row in rows[1:]] == [["0.0", "0.1"], ["0.5", "0.4"], ["0.75", "0.2"], ["2.0", "-0.3"]]
    record = json.loads(written("json").content)
    assert (record["seconds"], record["frame_cosine"]) == (SECONDS.tolist(), [0.9, 0.8, 0.7])
    caption = record["captions"][0]
    assert caption["kept"] == [[0, 1], [1, 2], [2, 3], [0, 1, 2, 3]]
    assert caption["mask_iou"] == [0.333333, 0.333333, 0.5]
    assert (caption["score"], caption["moments"]) == ([0.1, 0.4, 0.2, -0.3], [1])


def test_the_curve_is_a_picture() -> None:
    download = written("svg", line(), line("another caption", 0.1))
    assert download.name == "seps-photos-my-clip-timeline.svg"
    text = download.content.decode()
    assert "a white square" in text and "another caption" in text and "0:00.50" in text


def test_what_cannot_be_written_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="format is 'avi'"):
        written("avi")
    monkeypatch.setitem(CODECS, "mp4", "????")  # as where OpenCV comes without H.264
    with pytest.raises(ValueError, match="This OpenCV writes no mp4"):
        written("mp4")


def test_a_long_caption_ends_with_an_ellipsis() -> None:
    from matplotlib import font_manager
    from PIL import ImageFont

    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), 15)
    rows = broken("a dog runs over the long beach and " * 12, font, 300)
    assert len(rows) == 3 and rows[-1].endswith("...")
    assert max(font.getlength(row) for row in rows[:2]) <= 300
