"""The command line: `python -m seps.generator --mode t2i|i2t|both`, and `train`, `evaluate` and `try`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from seps.common.cli import Parser, add_set_option, check_output, errors_in_one_line, finite_number, whole_number
from seps.common.elsewhere import NAMES
from seps.common.files import write_json

if TYPE_CHECKING:  # imported where something is generated: torch takes seconds
    from PIL import Image

    from seps.generator import ImageTextGenerator

MODES = ("t2i", "i2t", "both")
SCENES = "scenes"  # the generator, where none is named
SCENES_NOTE = (
    "Note: scenes knows only drawn scenes and reads any image as one. For a photograph: --mode i2t --model photos."
)
UNREAD = {  # for each mode, the options that only the other one reads
    "t2i": ("image", "beams", "all", "seps"),
    "i2t": ("text", "output", "steps", "seed", "guidance", "candidates"),
}
CANDIDATES = "draw so many and keep the one that fits the caption best (default: 1)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    options = arguments_parser().parse_args(arguments)
    with errors_in_one_line():
        if getattr(options, "json", None) is not None:
            check_output(options.json)
        options.run(options)
    return 0


def arguments_parser() -> argparse.ArgumentParser:
    """Return the argument parser."""
    description = "Captions for images and images for captions."
    parser = Parser(prog="python -m seps.generator", description=description, elsewhere=options_meant)
    parser.add_argument("--mode", choices=MODES, help="t2i draws, i2t writes, both does both")
    model = {"default": SCENES, "dest": "model", "help": "a generator that ships, or a folder (default: scenes)"}
    parser.add_argument("--model", "--checkpoint", **model)  # type: ignore[arg-type]
    parser.add_argument("--text", help="t2i, both: the caption")
    parser.add_argument("--image", type=Path, help="i2t, both: the image; without it both writes about its drawing")
    parser.add_argument("--output", type=Path, metavar="FILE", help="t2i, both: where the drawing is written")
    parser.add_argument("--steps", type=whole_number, default=50, help="10-20 fast, 30-50 standard (50), 50-100 best")
    parser.add_argument("--seed", type=whole_number, help="the same seed draws the same image (default: at random)")
    parser.add_argument("--guidance", type=finite_number, default=8.0, help="how closely the caption is followed (8)")
    parser.add_argument("--candidates", type=whole_number, default=1, help=CANDIDATES)
    parser.add_argument("--beams", type=whole_number, help="i2t, both: captions that are followed (4; 16 with --seps)")
    parser.add_argument("--all", action="store_true", help="i2t, both: print each with its mean log probability")
    does = "i2t, both: choose among them by S(I, T) of this SEPS model and by their agreement too: photos, scenes"
    parser.add_argument("--seps", metavar="MODEL", help=does)
    parser.set_defaults(run=run_generate)
    commands = parser.add_subparsers(metavar="COMMAND")

    train = commands.add_parser("train", help="train a generator from a recipe")
    train.add_argument("recipe", help="a recipe (JSON), or the name of one that comes with the package")
    train.add_argument("--data", type=Path, required=True, help="folder with the splits train and dev")
    train.add_argument("--out", type=Path, required=True, help="folder of the run")
    train.add_argument("--start", type=Path, metavar="FOLDER", help="start from the weights of this generator")
    train.add_argument("--resume", action="store_true", help="go on after the run's checkpoint")
    train.add_argument("--cache", type=Path, help="folder of pictures as bytes, shared by runs")
    train.add_argument("--seed", type=whole_number, help="instead of the recipe's")
    add_set_option(train)
    train.set_defaults(run=run_train)

    evaluate = commands.add_parser("evaluate", help="measure by the facts of scenes or by people's captions")
    evaluate.add_argument("--model", "--checkpoint", **model)  # type: ignore[arg-type]
    evaluate.add_argument("--data", type=Path, required=True, help="scenes of `python -m seps.scenes`, or photographs")
    evaluate.add_argument("--beams", type=whole_number, default=4, help="of captions chosen only by log probability")
    evaluate.add_argument("--last", type=whole_number, default=0, help="so many photographs, the last (default: all)")
    evaluate.add_argument("--split", default="test", help="which split (default: test)")
    evaluate.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    evaluate.add_argument("--pictures", type=whole_number, default=500, help="how many are drawn (default: 500)")
    evaluate.add_argument("--steps", type=whole_number, default=30, help="of drawing (default: 30)")
    evaluate.add_argument("--guidance", type=finite_number, default=8.0)
    evaluate.add_argument("--candidates", type=whole_number, default=1, help=CANDIDATES)
    evaluate.add_argument("--train", type=Path, help="folder with the training scenes, for the nearest of them")
    evaluate.add_argument("--ceiling", action="store_true", help="measure the upper bound: true scenes, not drawings")
    evaluate.set_defaults(run=run_evaluate)

    attempt = commands.add_parser("try", help="look at what a run has learned: its newest weights on a page")
    attempt.add_argument("folder", type=Path, metavar="RUN", help="a run's folder, or one with runs somewhere in it")
    attempt.add_argument("--data", type=Path, help="a folder with pictures to caption (default: the run's own)")
    attempt.add_argument("--split", default="dev", help="which split of it (default: dev)")
    attempt.add_argument("--steps", type=whole_number, default=20, help="of drawing (default: 20)")
    attempt.add_argument("--html", type=Path, metavar="FILE", help="where the page goes (default: RUN/try.html)")
    attempt.set_defaults(run=run_try)
    for command in (train, evaluate, attempt):
        command.add_argument("--images", type=Path, help="folder of the images, if different")
    return parser


def options_meant() -> dict[str, str]:
    """Return the recipe keys that match options of other programs."""
    from seps.generator.config import GeneratorConfig
    from seps.generator.training.settings import GeneratorSettings
    from seps.runs.recipe import options_elsewhere

    return options_elsewhere(GeneratorConfig, GeneratorSettings, NAMES["generator_options"])


def run_generate(options: argparse.Namespace) -> None:
    """Run `--mode`: draw, caption, or both."""
    if options.mode is None:
        raise ValueError(f"Nothing was asked for: give --mode {', '.join(MODES)}, or a command (see --help).")
    draws = options.mode in ("t2i", "both")
    if draws and not options.text:
        raise ValueError(f"--mode {options.mode} needs a caption: give --text.")
    if options.mode == "t2i" and options.output is None:
        raise ValueError("--mode t2i needs a file to write: give --output.")
    if not draws and options.image is None:
        raise ValueError("--mode i2t needs an image: give --image.")
    for name in UNREAD.get(options.mode, ()):
        if getattr(options, name) != arguments_parser().get_default(name):
            raise ValueError(f"--mode {options.mode} reads no --{name}: leave it out, or give --mode both.")
    if options.output is not None:
        check_output(options.output)
    from seps.generator.generator import load_generator, random_seed
    from seps.generator.unknown_words import describe_unknown_words

    generator = load_generator(options.model)
    if options.image is not None and options.model == SCENES:
        print(SCENES_NOTE, file=sys.stderr)
    if not draws:
        print(captions_text(generator, options.image, options))
        return
    if note := describe_unknown_words(generator.unknown_words(options.text)):
        print(f"Note: {note}", file=sys.stderr)
    seed = random_seed() if options.seed is None else options.seed
    picture = generator.text_to_image(
        options.text, options.steps, seed, options.output, options.guidance, True, options.candidates
    )
    if options.output is not None:
        print(f"The drawing is in {options.output} (seed {seed}).")
    if options.mode == "both":
        print(captions_text(generator, picture if options.image is None else options.image, options))


def captions_text(generator: ImageTextGenerator, image: Path | Image.Image, options: argparse.Namespace) -> str:
    """Return the best caption of an image, or a line for each with the scores that rank it."""
    from seps.generator.generator import open_picture
    from seps.generator.model.captioner import Decoding
    from seps.generator.ranking import BEAMS, agreements, order, seps_scores
    from seps.models.hub import load_model

    picture = open_picture(image)
    beams = options.beams if options.beams is not None else BEAMS if options.seps else Decoding.beams
    captions = generator.write([picture], Decoding("beam", beams))[0]
    notes = [f"mean log probability {caption.score:.3f}" for caption in captions]
    if options.seps:
        scores = seps_scores(load_model(options.seps), picture, captions)
        rows = zip(notes, scores, agreements([caption.text for caption in captions]), strict=True)
        notes = [f"{note}, S(I, T) {score:.3f}, agreement {agreement:.3f}" for note, score, agreement in rows]
        best = order(captions, scores)
        captions, notes = [captions[i] for i in best], [notes[i] for i in best]
    if not options.all:
        return captions[0].text
    return "\n".join(f"{caption.text} ({note})" for caption, note in zip(captions, notes, strict=True))


def run_train(options: argparse.Namespace) -> None:
    """Run `train`."""
    from seps.generator.training.loop import train
    from seps.generator.training.report import describe_kept_epochs
    from seps.generator.training.settings import read_recipe
    from seps.runs.recipe import read_options
    from seps.runs.run_folder import MODEL
    from seps.runs.run_log import read_epochs

    run = (options.data, options.out, options.resume, options.cache, options.images, options.start)
    train(*read_options(read_recipe, options), *run)
    print(f"The generator in {options.out / MODEL} has {describe_kept_epochs(read_epochs(options.out))}.")


def run_try(options: argparse.Namespace) -> None:
    """Run `try`."""
    from seps.generator.attempt import find_newest_model, write_page

    page = options.html or options.folder / "try.html"
    folder = find_newest_model(options.folder)
    check_output(page)
    write_page(folder, page, options.data, options.split, options.images, options.steps)
    print(f"{folder} was tried: look at {page}.")


def run_evaluate(options: argparse.Namespace) -> None:
    """Run `evaluate`."""
    from seps.generator.evaluation import evaluate, photo_captions
    from seps.generator.generator import load_generator

    generator, data, split = load_generator(options.model), options.data, options.split
    if not (data / f"{split}_scenes.jsonl").is_file():
        images, beams, last = options.images, options.beams, options.last
        result = photo_captions.evaluate_photos(generator, data, split, images, beams, last, True)
        text = photo_captions.table(result)
    elif options.ceiling:
        result = evaluate.measure_ceiling(generator, data, split, options.pictures, True)
        text = evaluate.ceiling_table(result)
    else:
        how = (options.pictures, options.steps, options.guidance, options.train, True, options.candidates)
        result = evaluate.evaluate(generator, data, split, *how)
        text = evaluate.table(result)
    print(text)
    if options.json is not None:
        write_json(options.json, result)
