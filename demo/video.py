"""`python -m demo rank CAPTION --video FILE`: a caption through a video."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from demo.drawing.formats import VIDEOS, check_format
from demo.galleries.video_worker import FRAMES as FRAMES
from demo.galleries.video_worker import ReadVideo, check_readable, frames_of
from seps.cli import check_output
from seps.numbers import written
from seps.progress import finish, map_progress

if TYPE_CHECKING:
    from demo.service.timeline import Timeline

SECONDS = 500.0  # that reading a video may take


def check_video_options(options: argparse.Namespace) -> None:
    """Validate the options with --video; ValueError if invalid or if the video's first frame is unreadable."""
    from seps.videos import MAX_FRAMES

    for name, given in (
        ("--photo", options.photo),
        ("--photos", options.photos),
        ("--gallery", options.gallery),
        ("--recursive", options.recursive),
        ("--dense", options.dense),
    ):
        if given:
            raise ValueError(f"{name} does not go with --video: leave one of the two.")
    if not 1 <= options.frames <= MAX_FRAMES:
        raise ValueError(f"--frames is {options.frames}, but 1 to {MAX_FRAMES} can be looked at.")
    check_readable(options.video)
    if options.output is not None:
        check_output(options.output)
        check_format(options.output.suffix.lstrip(".").lower(), VIDEOS)


def rank_video(options: argparse.Namespace, notify: Callable[[str], None]) -> None:
    """Follow captions through a video, print each one's best moments, and write what the output's ending says."""
    from tqdm import tqdm

    from demo.drawing.film import timeline_csv, video_file
    from demo.galleries.index import index_gallery
    from demo.galleries.video import create_kept_gallery
    from demo.service.start import MODEL, open_model
    from demo.service.timeline import timeline

    service = open_model(options.model or MODEL)
    video = read_video(options)
    for note in video.notes:
        notify(note)
    gallery = create_kept_gallery(video, options.video.name)
    indexed = index_gallery(service.model, gallery, None, tqdm)
    captions = [" ".join(options.text), *options.other_caption]
    lines = [timeline(service, indexed, caption) for caption in captions]
    title = options.video.stem
    if options.csv is not None:
        options.csv.write_bytes(timeline_csv(lines, service.name, title).content)
    if options.output is not None:
        images = [item.photo() for item in gallery.items]
        kind = options.output.suffix.lstrip(".").lower()
        options.output.write_bytes(video_file(images, service.model.grid, lines, service.name, title, kind).content)
    notify(f"{len(indexed)} frames of {video.seconds:.1f} s:")
    for line in lines:
        print_moments(line, [item.title for item in indexed.gallery.items], options.top, notify)


def read_video(options: argparse.Namespace) -> ReadVideo:
    """Read a video of any length with the memory that the app gives one, and show how many frames were read."""
    from tqdm import tqdm

    from seps.videos import MAX_ALL_PIXELS

    reading = frames_of(options.video, options.frames, math.inf, options.at, SECONDS, pixels=MAX_ALL_PIXELS)
    with tqdm(desc=f"Reading {options.video.name}", unit=" frames", leave=False) as bar:
        return finish(map_progress(reading, lambda count: bar.update(count - bar.n)))


def print_moments(line: Timeline, titles: list[str], top: int, notify: Callable[[str], None]) -> None:
    """Print where a caption is best in a video, and how steady its mask is."""
    from demo.record.timeline import steadiness

    if line.reading.note:
        notify(line.reading.note)
    print(line.reading.text)
    for place, index in enumerate(line.moments[:top], start=1):
        print(f"{place:4}  {written(float(line.scores[index]), '.4f')}  {titles[index]}")
    steady = steadiness(line)
    if steady:
        print(f"      {steady}")
