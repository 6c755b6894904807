"""Find the frames of moving scenes in which an object is visible."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from seps.common.checks import check_whole
from seps.common.cli import whole_number
from seps.common.progress import Progress, with_progress
from seps.evaluation.cli import Result, add_model, prepare_model
from seps.explanation.forward_pass import explain
from seps.models.model import SEPSModel
from seps.scenes.clips import Clip, make_clip
from seps.search.engine import ScoringEngine

CLIPS, SEED = 50, 0


@dataclass(frozen=True)
class ClipFigures:
    """Results of a model on clips: fractions of right peaks and tracked frames, and kept shares."""

    clips: int
    frames: int
    seen_frames: int
    peak: float
    random_peak: float
    tracked: float
    random_tracked: float
    own_kept: float
    kept: float

    def table(self) -> str:
        """Return the printed table."""
        return (
            f"{self.clips} clips, {self.frames:,} frames\n"
            f"best frame shows the object  {self.peak:.1%} (a random frame {self.random_peak:.1%})\n"
            f"word map heaviest on it      {self.tracked:.1%} (a random patch {self.random_tracked:.1%})\n"
            f"the mask keeps of it         {self.own_kept:.1%} (of all patches {self.kept:.1%})"
        )


def measure_clips(model: SEPSModel, clips: Sequence[Clip], progress: Progress = False) -> ClipFigures:
    """Measure each clip's caption on its frames; the model must be in evaluation mode."""
    engine = ScoringEngine(model.cross_net)
    peaks, tracks = [], []
    for clip in with_progress(clips, "Clips", progress):
        images = model.encode_photos([Image.fromarray(picture.pixels) for picture in clip.pictures])  # (F, N[+1], C)
        words, lengths = model.encode_captions([clip.caption])
        scores = engine.score(engine.encode_images(images), engine.encode_captions(words, lengths))[:, 0]  # (F,)
        peaks.append((float(clip.seen[int(scores.argmax())]), float(clip.seen.mean())))
        tracks += [track(model, images[i], words[0], clip, int(i)) for i in np.flatnonzero(clip.seen)]
    peak, random_peak = np.mean(peaks, axis=0).tolist()
    tracked, area, own_kept, kept = np.mean(tracks, axis=0).tolist()
    frames = sum(len(clip.scenes) for clip in clips)
    return ClipFigures(len(clips), frames, len(tracks), peak, random_peak, tracked, area, own_kept, kept)


def track(model: SEPSModel, image: Tensor, words: Tensor, clip: Clip, frame: int) -> tuple[float, ...]:
    """Return whether the heaviest patch is on the object, the object's share, and the kept shares of it and of all."""
    record = explain(model.cross_net, image, words, grid=model.grid)
    weights = record.sparse_alignment.word_maps[1:-1].mean(axis=0)  # (N,), without [CLS] and [SEP]
    region = patches_of(clip.pictures[frame].mask(clip.number), record.grid)  # (N,)
    kept = record.sparse.kept
    return float(region[int(weights.argmax())]), float(region.mean()), float(kept[region].mean()), float(kept.mean())


def patches_of(mask: NDArray[np.bool_], grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the patches (N,) of a grid that a mask of pixels covers to a quarter, else those that it covers most."""
    height, width = mask.shape[0] // grid[0], mask.shape[1] // grid[1]
    covered = mask.reshape(grid[0], height, grid[1], width).mean(axis=(1, 3)).ravel()  # (N,)
    return covered >= min(0.25, covered.max())


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `clips`."""
    add_model(parser)
    parser.add_argument("--count", type=whole_number, default=CLIPS, metavar="N", help=f"clips (default: {CLIPS})")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure a model on drawn clips."""
    check_whole("--count", options.count)
    figures = measure_clips(prepare_model(options), [make_clip(SEED, index) for index in range(options.count)], True)
    yield Result(figures.table(), asdict(figures), "clips")
