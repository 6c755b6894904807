import struct
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from seps.media.videos import VideoError, read_frames
from tests.helpers.pictures.clips import BLUE, RED, encode_clip, plain, turn_clip, write_clip


def times(file: Path) -> list[float]:
    return [frame.seconds for frame in read_frames(file).frames]


EVEN = pytest.approx([0, 0.3, 0.5, 0.8, 1.0, 1.3, 1.5, 1.8, 2.0, 2.3, 2.5, 2.8, 3.0, 3.3, 3.5, 3.8], abs=2e-3)


def test_a_recording_that_begins_at_an_hour_is_whole(tmp_path: Path) -> None:
    late = encode_clip(tmp_path / "late.mkv", "mpeg4", plain(RED, 40), start=36000)
    video = read_frames(late)
    assert times(late) == EVEN and video.seconds == pytest.approx(4.0) and video.notes == ()


def test_what_an_edit_list_hides_does_not_count(tmp_path: Path) -> None:
    file = encode_clip(tmp_path / "trimmed.mp4", "mjpeg", [*plain(RED, 10), *plain(BLUE, 30)], "yuvj420p")
    content = bytearray(file.read_bytes())
    with av.open(str(file)) as container:
        base = container.streams.video[0].time_base
    assert base is not None
    place = content.index(b"elst") + 12  # after flags and count: duration, media time
    content[place : place + 8] = struct.pack(">II", 3000, round(1 / base))
    file.write_bytes(bytes(content))
    video = read_frames(file)
    assert len(video.frames) == 12 and video.seconds == pytest.approx(3.0) and video.notes == ()
    assert np.asarray(video.frames[0].image)[5, 5].argmax() == 2


def test_a_gif_is_a_video_and_frames_of_too_many_pixels_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    file = tmp_path / "clip.gif"
    first, *others = [Image.new("RGB", (64, 48), (255 - number, number, 0)) for number in range(40)]
    first.save(file, save_all=True, append_images=others, duration=100)
    assert times(file) == EVEN
    content = bytearray(file.read_bytes())
    content[6:10] = struct.pack("<HH", 8000, 8000)
    file.write_bytes(bytes(content))
    with pytest.raises(VideoError, match="pictures of 8000 x 8000 pixels, but at most 35 million"):
        read_frames(file)


def test_transport_streams_are_read_with_packets_of_every_size(tmp_path: Path) -> None:
    plain_file = encode_clip(tmp_path / "clip.ts", "mpeg2video", plain(RED, 40))
    camcorder = encode_clip(tmp_path / "00001.mts", "mpeg2video", plain(RED, 40), mpegts_m2ts_mode="1")
    content = plain_file.read_bytes()
    parity = tmp_path / "parity.ts"
    parity.write_bytes(b"".join(content[place : place + 188] + bytes(16) for place in range(0, len(content), 188)))
    for file in (plain_file, camcorder, parity):
        assert times(file) == EVEN, file.name


@pytest.mark.parametrize(
    ("name", "codec"), [("clip.mkv", "libsvtav1"), ("clip.mxf", "mpeg2video"), ("clip.mov", "libx265")]
)
def test_other_containers_and_codecs_are_read(tmp_path: Path, name: str, codec: str) -> None:
    rate = 25 if name == "clip.mxf" else 10
    video = read_frames(encode_clip(tmp_path / name, codec, plain(RED, 20, (128, 96)), rate=rate))
    assert (video.size, video.notes) == ((128, 96), ())
    assert video.seconds == pytest.approx(20 / rate, abs=0.15)
    assert np.asarray(video.frames[0].image)[40, 40].argmax() == 0


def test_a_codec_that_nothing_decodes_is_named_with_a_remedy(tmp_path: Path) -> None:
    file = encode_clip(tmp_path / "clip.mp4", "libx264", plain(RED, 5))
    file.write_bytes(file.read_bytes().replace(b"avc1", b"zzzz"))
    with pytest.raises(VideoError, match=r"codec that cannot be decoded here \(zzzz\): convert it to H\.264 \(MP4\)"):
        read_frames(file)


@pytest.mark.parametrize(
    ("name", "codec", "pixels"),
    [("clip.mov", "qtrle", "argb"), ("clip.webm", "libvpx-vp9", "yuva420p")],
)
def test_a_transparent_video_is_over_white_as_photographs_are(
    tmp_path: Path, name: str, codec: str, pixels: str
) -> None:
    picture = np.zeros((48, 64, 4), dtype=np.uint8)
    picture[:, 32:] = (255, 0, 0, 255)
    frame = read_frames(encode_clip(tmp_path / name, codec, [picture] * 5, pixels)).frames[0]
    np.testing.assert_allclose(np.asarray(frame.image)[20, 5], 255, atol=3)
    assert np.asarray(frame.image)[20, 60].argmax() == 0 and np.asarray(frame.image)[20, 60].min() < 30


@pytest.mark.parametrize(("name", "codec"), [("wide.mp4", "mpeg4"), ("wide.ts", "libx264")])
def test_pixels_are_shown_as_wide_as_they_are(tmp_path: Path, name: str, codec: str) -> None:
    video = read_frames(encode_clip(tmp_path / name, codec, plain(RED, 5, (160, 90)), aspect=2))
    assert (video.size, video.frames[0].image.size) == ((320, 90), (320, 90))


CORNERS = np.kron(np.array([[1, 2], [3, 4]]), np.full((32, 32), 50))  # a value for each corner


@pytest.mark.parametrize(
    ("matrix", "corners"),
    [
        ((-1, 0, 0, 1), [[2, 1], [4, 3]]),  # mirrored
        ((0, 1, -1, 0), [[3, 1], [4, 2]]),  # to the right
        ((0, 1, 1, 0), [[1, 3], [2, 4]]),
    ],
)
def test_every_turn_and_reflection_of_a_video_is_shown(
    tmp_path: Path, matrix: tuple[int, int, int, int], corners: list[list[int]]
) -> None:
    picture = np.repeat(CORNERS[..., None], 3, axis=2).astype(np.uint8)
    file = encode_clip(tmp_path / "clip.mp4", "mpeg4", [picture] * 3)
    turn_clip(file, matrix)
    seen = np.asarray(read_frames(file).frames[0].image)[16::32, 16::32, 0]
    np.testing.assert_array_equal(np.rint(seen / 50), corners)


def test_all_pixels_of_a_video_together_are_bounded(tmp_path: Path) -> None:
    video = read_frames(write_clip(tmp_path / "clip.avi", [(RED, 40)]), pixels=160 * 120 * 20)
    assert video.notes == ("clip.avi has too many pixels to decode: its first 2.0 s are used.",)
    assert len(video.frames) == 8


def test_a_video_reads_no_other_file(tmp_path: Path) -> None:
    """Neither a part that a QuickTime file names, nor a list inside an AVI's subtitles."""
    hidden = write_clip(tmp_path / "hidden.mp4", [(BLUE, 20)])
    for name, text in (
        ("list.m3u8", f"#EXTM3U\n#EXTINF:2,\n{hidden}\n#EXT-X-ENDLIST\n"),
        ("parts.txt", f"ffconcat version 1.0\nfile '{hidden}'\n"),
        ("stream.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"),
        ("dash.mpd", f'<?xml version="1.0"?><MPD><Period><BaseURL>{hidden}</BaseURL></Period></MPD>'),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(VideoError, match="is no video by its content"):
            read_frames(tmp_path / name)
    clip = write_clip(tmp_path / "clip.mp4", [(RED, 20)])
    content = bytearray(clip.read_bytes())
    place = content.index(b"url \0\0\0\1")
    content[place : place + 8] = b"alis\0\0\0\0"  # the pictures are in another file
    clip.write_bytes(bytes(content))
    assert {int(np.asarray(frame.image)[5, 5].argmax()) for frame in read_frames(clip).frames} == {0}
