"""Make scenes for training and evaluation.

python -m seps.scenes --out DIR --count 20000 --seed 0
python -m seps.scenes --clip FILE.webm --seed 0      # a scene that moves
"""

from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from seps.common.cli import Parser, errors_in_one_line, whole_number
from seps.scenes.clips import RATE, make_clip, write_clip
from seps.scenes.graph import SPLITS
from seps.scenes.write import write_split


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = Parser(prog="python -m seps.scenes", description=(__doc__ or "").split("\n")[0])
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--out", metavar="DIR", help="folder to write; read it with `python -m seps.train --data DIR`")
    target.add_argument("--clip", type=Path, metavar="FILE", help="write a scene in which an object moves as .webm")
    parser.add_argument("--count", type=whole_number, default=1000, metavar="N", help="scenes (default: 1000)")
    parser.add_argument("--seed", type=whole_number, default=0, help="the same seed gives the same scenes (default: 0)")
    parser.add_argument("--workers", type=whole_number, default=1, help="processes that draw (default: 1)")
    parser.add_argument("--split", choices=SPLITS, help="write only this split (default: 8 of 10 train, 1 dev, 1 test)")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        if options.clip is not None:
            clip = make_clip(options.seed, 1)
            write_clip(clip, options.clip)
            times = np.flatnonzero(clip.seen) / RATE
            print(f"{clip.caption}: {times[0]:.2f} s to {times[-1]:.2f} s")
            return 0
        tenth = max(1, options.count // 10)
        counts = {"train": options.count - 2 * tenth, "dev": tenth, "test": tenth}
        for split, count in ({options.split: options.count} if options.split else counts).items():
            progress = partial(tqdm, desc=split, total=count, unit=" scenes")
            write_split(options.out, split, count, options.seed, options.workers, progress)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
