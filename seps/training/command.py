"""The command line of seps.train, read and checked before torch is imported, which takes seconds."""

import argparse
import ctypes
from pathlib import Path

from seps.common.cli import Parser, add_set_option, check_folder, print_error, whole_number
from seps.common.elsewhere import NAMES
from seps.runs.run_folder import BEST, BEST_EPOCH, check_no_run

DESCRIPTION = "Train a model from a recipe; its best epoch by rSum on dev is left in RUN/best."
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4  # of glibc's mallopt(3)
NEVER = 2**31 - 1  # bytes that must be free at the end before they are given back
TOP_PAD = 2**28  # bytes asked of the system at once


def parser() -> argparse.ArgumentParser:
    """Return the arguments."""
    top = Parser(prog="python -m seps.train", description=DESCRIPTION, elsewhere=options_meant)
    top.add_argument("recipe", metavar="config", help="a recipe: tiny, a JSON file, or the name of a full-size config")
    top.add_argument("--data", type=Path, required=True, help="folder with train and dev, or a caption file")
    top.add_argument("--images", type=Path, help="folder of the image files; default: DATA/images")
    top.add_argument("--out", type=Path, required=True, help="folder of the run; one with a run needs --resume")
    top.add_argument("--resume", type=whole_number, nargs="?", const=0, help="go on after this or the latest epoch")
    top.add_argument("--keep", type=whole_number, default=1, help="checkpoints to keep, 0 for all")
    top.add_argument("--workers", type=whole_number, default=2, help="processes that read images")
    top.add_argument("--cache", type=Path, help="folder of frozen features, shared by runs")
    top.add_argument("--start", metavar="MODEL", help="take the weights of this model: a shipped name, folder or repo")
    top.add_argument("--seed", type=whole_number, help="instead of the recipe's")
    add_set_option(top)
    return top


def options_meant() -> dict[str, str]:
    """Return the settings that match options of the released code, see `seps.runs.recipe.options_elsewhere`."""
    from seps.models.config import ModelConfig
    from seps.runs.recipe import options_elsewhere
    from seps.training.settings import TrainSettings

    return options_elsewhere(ModelConfig, TrainSettings, NAMES["training_options"])


def check_paths(options: argparse.Namespace) -> None:
    """Raise ValueError for a recipe's file or a missing folder, and for a run that would be overwritten."""
    if options.recipe.endswith(".json") and not Path(options.recipe).is_file():
        raise ValueError(f"The recipe {options.recipe} does not exist: give a JSON file, or tiny.")
    check_folder(options.data, "the folder with captions and images", or_file=True)
    if options.images is not None:
        check_folder(options.images, "the folder with the image files")
    if options.resume is None:
        check_no_run(options.out)


def keep_freed_memory() -> bool:
    """Let the allocator keep freed memory, a quarter of a step's time on a CPU; return whether glibc accepted it."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library; Windows has no name None
        return False
    return all(mallopt(*option) for option in ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, NEVER), (M_TOP_PAD, TOP_PAD)))


def main(arguments: list[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        check_paths(options)
        from accelerate import PartialState

        from seps.common.checks import read_json_file
        from seps.runs.recipe import read_options
        from seps.training.loop import train
        from seps.training.settings import read_recipe

        recipe = read_options(read_recipe, options)
        keep_freed_memory()
        run = (options.data, options.out, options.resume, options.keep, options.workers, options.cache)
        best = train(*recipe, *run, options.start, options.images)
    except (ValueError, OSError) as error:
        return print_error(error)
    if PartialState().is_main_process:
        kept = options.out / BEST / BEST_EPOCH
        epoch = f", after epoch {read_json_file(kept)['epoch']}" if kept.is_file() else ""
        print(f"Best rSum on dev: {best:.1f}{epoch}. The model is in {options.out / BEST}.")
    return 0
