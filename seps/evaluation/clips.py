"""When does it enter? Captions through scenes that move: `python -m seps.evaluation.clips`.

    python -m seps.evaluation.clips --model scenes --json results.json

Each clip is a held-back scene in which one object enters, crosses and leaves (`seps.scenes.clips`); its caption names
that object. S(I, T) of every frame makes a curve, and its highest point is right where at least half of the object is
seen then. In those frames the mean map of the caption's words is right where its heaviest patch lies on the object, and
of the decision mask counts how much of the object it keeps, beside how much of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from seps.cli import Parser, errors_in_one_line, whole_number
from seps.evaluation.cli import choose_device, read_results, write_result
from seps.explanation.forward_pass import explain
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.progress import Progress, with_progress
from seps.scenes.clips import Clip, make_clip
from seps.search.engine import ScoringEngine

CLIPS, SEED = 50, 0


@dataclass(frozen=True)
class ClipFigures:
    """What a model makes of clips.

    Attributes:
        clips, frames: how many; seen_frames: those in which the object is seen.
        peak: fraction of clips whose best frame shows the object; random_peak: what a random frame would get.
        tracked: fraction of seen frames whose word map is heaviest on the object.
        random_tracked: what a random patch would get; own_kept: fraction of the object's patches that the mask keeps.
        kept: fraction of all patches that it keeps.
    """

    clips: int
    frames: int
    seen_frames: int
    peak: float
    random_peak: float
    tracked: float
    random_tracked: float
    own_kept: float
    kept: float


def measure_clips(model: SEPSModel, clips: Sequence[Clip], progress: Progress = False) -> ClipFigures:
    """Follow each clip's caption through its frames.

    Args:
        model: in evaluation mode; clips: at least one; progress: as in `ScoringEngine`.
    """
    engine = ScoringEngine(model.cross_net)
    peaks, tracks = [], []
    for clip in with_progress(clips, "Clips", progress):
        images = model.encode_photos([Image.fromarray(picture.pixels) for picture in clip.pictures])  # (F, N[+1], C)
        words, lengths = model.encode_captions([clip.caption])
        scores = engine.score(engine.encode_images(images), engine.encode_captions(words, lengths))[:, 0]  # (F,)
        peaks.append((float(clip.seen[int(scores.argmax())]), float(clip.seen.mean())))
        tracks += [track(model, images[i], clip, int(i)) for i in np.flatnonzero(clip.seen)]
    peak, random_peak = np.mean(peaks, axis=0).tolist()
    tracked, area, own_kept, kept = np.mean(tracks, axis=0).tolist()
    frames = sum(len(clip.scenes) for clip in clips)
    return ClipFigures(len(clips), frames, len(tracks), peak, random_peak, tracked, area, own_kept, kept)


def track(model: SEPSModel, image: Tensor, clip: Clip, frame: int) -> tuple[float, float, float, float]:
    """Measure a frame in which the object is seen: whether the heaviest patch lies on it, the object's fraction of the
    patches, and the fractions of its patches and of all that the mask keeps."""
    words, _ = model.encode_captions([clip.caption])
    record = explain(model.cross_net, image, words[0], grid=model.grid)
    weights = record.sparse_alignment.word_maps[1:-1].mean(axis=0)  # (N,), without [CLS] and [SEP]
    region = patches_of(clip.pictures[frame].mask(clip.number), record.grid)  # (N,)
    kept = record.sparse.kept
    return float(region[int(weights.argmax())]), float(region.mean()), float(kept[region].mean()), float(kept.mean())


def patches_of(mask: NDArray[np.bool_], grid: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the patches (N,) of a grid that a mask of pixels covers to a quarter, else those that it covers most."""
    height, width = mask.shape[0] // grid[0], mask.shape[1] // grid[1]
    covered = mask.reshape(grid[0], height, grid[1], width).mean(axis=(1, 3)).ravel()  # (N,)
    return covered >= min(0.25, covered.max())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parser = Parser(prog="python -m seps.evaluation.clips", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", required=True, help="a shipped model's name, a folder, or a hub repo (owner/name)")
    parser.add_argument("--count", type=whole_number, default=CLIPS, metavar="N", help=f"clips (default: {CLIPS})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the result to this file, other results stay")
    parser.add_argument("--device", help="where to compute; default: CUDA where there is one, else the CPU")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        if options.count < 1:
            raise ValueError(f"--count is {options.count}, but at least 1 is needed.")
        if options.json is not None:
            read_results(options.json)
        model = load_model(options.model).to(choose_device(options.device))
        figures = measure_clips(model, [make_clip(SEED, index) for index in range(options.count)], progress=True)
        print(
            f"{figures.clips} clips, {figures.frames:,} frames\n"
            f"best frame shows the object  {figures.peak:.1%} (a random frame {figures.random_peak:.1%})\n"
            f"word map heaviest on it      {figures.tracked:.1%} (a random patch {figures.random_tracked:.1%})\n"
            f"the mask keeps of it         {figures.own_kept:.1%} (of all patches {figures.kept:.1%})"
        )
        if options.json is not None:
            write_result(options.json, "clips", asdict(figures))


if __name__ == "__main__":
    main()
