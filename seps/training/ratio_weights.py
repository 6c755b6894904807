"""Effect of the ratio weight on the kept ratio: `python -m seps.training.ratio_weights --out FILE`."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from seps.common.cli import Parser, check_output, errors_in_one_line, whole_number
from seps.models.config import ModelConfig
from seps.runs.run_log import read_epochs, read_steps
from seps.scenes import write_split
from seps.training.guide import CLAIMED_KEPT
from seps.training.loop import train
from seps.training.settings import TrainSettings, read_recipe

RECIPE, TRAIN, DEV = "ratio", 240, 20  # scenes


def measure(
    config: ModelConfig, settings: TrainSettings, folder: Path, train_scenes: int, dev_scenes: int
) -> list[dict[str, Any]]:
    """Train a model for each ratio weight of CLAIMED_KEPT, with sampled decisions and dense captions in every step."""
    write_split(folder, "train", train_scenes, 0)
    write_split(folder, "dev", dev_scenes, 0)
    runs = []
    for weight in CLAIMED_KEPT:
        out = folder / f"run-{weight:g}"
        best = train(config, replace(settings, ratio_weight=weight), folder, out, workers=0)
        kept = [row["kept"] for row in read_steps(out)]
        late = kept[len(kept) // 2 :]
        runs.append(
            {
                "ratio_weight": weight,
                "kept": [round(ratio, 4) for ratio in kept],
                "align": [round(row["align"], 3) for row in read_epochs(out)],
                "low": round(min(late), 4),
                "high": round(max(late), 4),
                "mean": round(sum(late) / len(late), 4),
                "rsum": round(best, 1),
            }
        )
    return runs


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code."""
    parser = Parser(prog="python -m seps.training.ratio_weights", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON file for what is measured")
    parser.add_argument("--recipe", default=RECIPE, help=f"a recipe that draws decisions (default: {RECIPE})")
    parser.add_argument("--train", type=whole_number, default=TRAIN, help=f"scenes to train on (default: {TRAIN})")
    parser.add_argument("--dev", type=whole_number, default=DEV, help=f"scenes of dev (default: {DEV})")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with errors_in_one_line(), TemporaryDirectory() as folder:
        check_output(options.out)
        config, settings = read_recipe(options.recipe)
        if not config.network.get("use_gumbel_softmax"):
            raise ValueError(f"{options.recipe} takes the top k, which fixes the kept ratio: set use_gumbel_softmax.")
        runs = measure(config, settings, Path(folder), options.train, options.dev)
        result = {
            "command": "python -m seps.training.ratio_weights --out assets/lesson/ratio_weights.json",
            "recipe": f"seps/configs/recipes/{options.recipe}.json",
            "scenes": options.train,
            "steps": len(runs[0]["kept"]),
            "batch_size": settings.batch_size,
            "target_ratio": config.network.get("sparse_ratio", 0.5),
            "runs": runs,
        }
        options.out.write_text(json.dumps(result) + "\n", encoding="utf-8")
        print(f"Written to {options.out}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
