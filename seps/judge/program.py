"""The command line: `python -m seps.judge train|evaluate|score|sort|ablate|guide`."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from seps.common.checks import check_whole, read_json_file, usable_device
from seps.common.cli import Parser, add_set_option, check_output, errors_in_one_line, finite_number, whole_number
from seps.common.elsewhere import NAMES
from seps.common.files import write_json
from seps.common.numbers import rounded, written
from seps.common.spreadsheet import csv_content, plain_text
from seps.common.text import nfc, printable
from seps.data import open_image
from seps.data.table import read_table
from seps.judge.config import ALL, GROUPS, SCORES, TABLE, JudgeConfig
from seps.judge.judge import Judge, load_judge
from seps.judge.training.settings import UNFROZEN_RATE, JudgeSettings
from seps.media.listing import ENDINGS, is_possible_photo
from seps.runs.recipe import options_elsewhere
from seps.runs.run_folder import BEST, BEST_EPOCH

ROWS = (
    ("frozen", "--freeze all", "learning rate 1e-3 to 5e-3: only the heads learn, on cached features"),
    ("partly", "--freeze N", "3e-5 to 1e-4; 70 to 80% of the image tower's layers, 18 of ViT-L/14's 24"),
    ("nothing", "--freeze none", "3e-5, which it is where none is named; above 1e-4 encoders forget"),
    ("scale 0.1", "--residual-scale-q 0.1", "under 1,000 ratings, or encoders that agree with people already"),
    ("scale 0.2", "--residual-scale-q 0.2", "the usual one"),
    ("scale 0.3 to 0.5", "--residual-scale-c 0.3", "many ratings, or encoders that do not see what is rated"),
    ("above 0.5", "--no-residual", "the bound holds little back: compare with a judge that scores directly"),
    ("under 1,000 ratings", "recipe under-1000-ratings", "freeze more, scales of 0.1, more epochs at a lower rate"),
    ("over 3,000 ratings", "recipe over-3000-ratings", "freeze less, scales of 0.2"),
)
COMMANDS_PAGE = """From ratings to sorted pictures, with a CLIP of the hub or of a folder that transformers wrote:

  pip install ".[judge]"
  python -m seps.judge train quick --data RATINGS --out RUN --set encoder.name=openai/clip-vit-base-patch32
  python -m seps.judge train over-3000-ratings --data RATINGS --out RUN2 --freeze 18 --lr 3e-5 --epochs 20
  python -m seps.judge train RUN2/recipe.json --data RATINGS --out RUN2 --resume
  tensorboard --logdir RUN2/tensorboard
  python -m seps.judge evaluate --model RUN2/best --data RATINGS --split dev --json RUN2/results.json
  python -m seps.judge ablate --data RATINGS --out ABLATION --recipe quick --rows freezing
  python -m seps.judge sort PICTURES --prompts prompts.csv --model RUN2/best --csv sorted.csv"""


ADVICE = "\n".join(["What is usual:", *(f"  {about:20} {setting:26} {why}" for about, setting, why in ROWS)])
PARTS = ("base", "correction", "final")
COLUMNS = ("image", "prompt", *(f"{name}_{part}" for name in SCORES for part in PARTS))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    options = arguments_parser().parse_args(arguments)
    with errors_in_one_line():
        for file in filter(None, (getattr(options, name, None) for name in ("json", "csv"))):
            check_output(file)
        options.run(options)
    return 0


def arguments_parser() -> argparse.ArgumentParser:
    """Return the argument parser."""
    meant = partial(options_elsewhere, JudgeConfig, JudgeSettings, NAMES["judge_options"])
    parser = Parser(prog="python -m seps.judge", description="Judge generated pictures.", elsewhere=meant)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    raw = argparse.RawDescriptionHelpFormatter
    train = commands.add_parser("train", help="train a judge from a recipe", epilog=ADVICE, formatter_class=raw)
    train.add_argument("recipe", help="a recipe (JSON), or the name of one that comes with the package")
    train.add_argument("--out", type=Path, required=True, help="folder of the run")
    train.add_argument("--resume", action="store_true", help="go on after the run's checkpoint")
    train.add_argument("--seed", type=whole_number, help="overrides the recipe, as the options below")
    train.add_argument("--epochs", type=whole_number, help="passes over the training pictures")
    train.add_argument("--batch-size", type=whole_number, metavar="B", help="pictures a step")
    train.add_argument("--lr", type=finite_number, metavar="RATE", help="the largest learning rate")
    train.add_argument("--freeze", metavar="all|none|N", help="of CLIP: N freezes N layers of each tower")
    train.add_argument("--residual-scale-q", type=finite_number, metavar="SCALE", help="largest correction of quality")
    train.add_argument("--residual-scale-c", type=finite_number, metavar="SCALE", help="the same of consistency")
    train.add_argument("--no-residual", action="store_true", help="score directly, without base and correction")
    train.set_defaults(run=run_train)

    evaluate = commands.add_parser("evaluate", help="measure a judge on a split")
    evaluate.add_argument("--split", default="dev", help="which split: dev, test, ...")
    evaluate.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    evaluate.set_defaults(run=run_evaluate)

    score = commands.add_parser("score", help="score pictures of one prompt")
    score.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    score.add_argument("--prompt", required=True, help="what the pictures were made from")
    score.set_defaults(run=run_score)

    sort = commands.add_parser("sort", help="sort a folder of pictures, the best first")
    sort.add_argument("folder", type=Path, help="folder of pictures")
    sort.add_argument("--prompts", type=Path, required=True, metavar="CSV", help="with the columns image and prompt")
    sort.add_argument("--by", choices=(*SCORES, "both"), default="both", help="both: their mean")
    sort.set_defaults(run=run_sort)
    for command in (score, sort):
        command.add_argument("--csv", type=Path, metavar="FILE", help="write the scores there")
    for command in (evaluate, score, sort):
        command.add_argument("--model", default="judge", help="a shipped judge, or a folder")

    ablate = commands.add_parser("ablate", help="compare freezing and the bounded correction, by seeds")
    ablate.add_argument("--out", type=Path, required=True, help="folder of the table and the picture")
    ablate.add_argument("--recipe", default="ours", help="a recipe (JSON), or the name of one of the package")
    ablate.add_argument("--seeds", type=whole_number, default=3, help="how many seeds each variant has")
    does = "layers of each CLIP tower to freeze, a row per number, next to all, half and none (default: three quarters)"
    ablate.add_argument("--freeze", nargs="+", metavar="N", help=does)
    ablate.add_argument("--rows", choices=GROUPS, default=ALL, help="freezing: only the rows of freezing")
    ablate.set_defaults(run=run_ablate)
    for command in (train, evaluate, ablate):
        command.add_argument("--data", type=Path, required=True, help="folder with ratings.csv and images/")
        command.add_argument("--cache", type=Path, help="folder of frozen features, shared by runs")
    for command in (train, ablate):
        add_set_option(command)

    guide = commands.add_parser("guide", help="print what to set, and every command from ratings to sorted pictures")
    guide.set_defaults(run=lambda _: print(f"{ADVICE}\n\n{COMMANDS_PAGE}"))
    return parser


def run_train(options: argparse.Namespace) -> None:
    """`train`."""
    from seps.judge.encoders import with_first_layers
    from seps.judge.training.loop import train
    from seps.judge.training.settings import read_recipe
    from seps.runs.recipe import read_options

    config, settings = read_options(read_recipe, options, changed_values(options))
    if layers := layers_to_freeze(options.freeze):
        config = replace(config, encoder=with_first_layers(config.encoder, layers))
    train(config, settings, options.data, options.out, options.resume, options.cache)
    best = read_json_file(options.out / BEST / BEST_EPOCH)
    print(
        f"The judge of epoch {best['epoch']}, the best by mean SROCC on dev ({best['mean_srocc']:.3f}), is in "
        f"{options.out / BEST}; the judge of the last epoch is in {options.out / 'model'}."
    )


def changed_values(options: argparse.Namespace) -> list[str]:
    """Return the options of `train` as overrides of recipe values, as for --set."""
    if options.no_residual and not options.residual_scale_q is options.residual_scale_c is None:
        raise ValueError(
            "--no-residual scores without corrections: leave out --residual-scale-q and --residual-scale-c."
        )
    named = {
        "training.epochs": options.epochs,
        "training.batch_size": options.batch_size,
        "training.learning_rate": options.lr,
        "scale_q": options.residual_scale_q,
        "scale_c": options.residual_scale_c,
        "residual": "false" if options.no_residual else None,
    }
    if options.freeze is not None and not layers_to_freeze(options.freeze):
        named |= {"encoder.freeze": options.freeze, "encoder.freeze_layers": "{}"}
        if options.freeze == "none" and options.lr is None:
            named["training.learning_rate"] = UNFROZEN_RATE
    return [f"{name}={value}" for name, value in named.items() if value is not None]


def layers_to_freeze(text: str | None) -> int:
    """Read --freeze: how many layers of each tower, 0 for all, none or nothing; ValueError for anything else."""
    layers = int(text) if text is not None and text.isdecimal() else 0
    if not layers and text not in (None, "all", "none"):
        raise ValueError(f"--freeze is {text!r}, but all, none or a number of layers from 1 is needed.")
    return layers


def run_evaluate(options: argparse.Namespace) -> None:
    """`evaluate`."""
    from seps.judge.data import read_ratings
    from seps.judge.evaluate import evaluate, table
    from seps.judge.training.features import split_features
    from seps.judge.training.loop import predict

    judge = load_judge(options.model).to(usable_device(None))
    ratings = read_ratings(options.data, options.split, judge.config.data)
    features = split_features(judge, ratings, options.cache) if options.cache else None
    result = evaluate(predict(judge, ratings, features), ratings)
    print(table(result))
    if options.json is not None:
        write_json(options.json, result)


def run_score(options: argparse.Namespace) -> None:
    """`score`."""
    judge = load_judge(options.model).to(usable_device(None))
    report(judge, options.images, [options.prompt] * len(options.images), options.csv)


def run_sort(options: argparse.Namespace) -> None:
    """`sort`."""
    prompts = read_prompts(options.prompts)
    if not options.folder.is_dir():
        raise ValueError(f"{options.folder} is no folder: name one with pictures.")
    listed = (file for file in options.folder.iterdir() if not file.name.startswith("."))
    files = sorted(file for file in listed if is_possible_photo(file))
    if not files:
        raise ValueError(f"{options.folder} holds no picture ({', '.join(ENDINGS)}).")
    missing = [file.name for file in files if nfc(file.name) not in prompts]
    if missing:
        raise ValueError(
            f"{options.prompts} has no prompt for {missing[0]} and {len(missing) - 1} more of {len(files)} pictures."
        )
    judge = load_judge(options.model).to(usable_device(None))
    report(judge, files, [prompts[nfc(file.name)] for file in files], options.csv, options.by)


def run_ablate(options: argparse.Namespace) -> None:
    """`ablate`."""
    from seps.judge.ablate import ablate, table
    from seps.judge.training.settings import read_recipe
    from seps.runs.recipe import with_values

    seeds = range(check_whole("--seeds", options.seeds))
    given = [text for text in options.freeze or () if text != "half"]  # half of each tower always has a row
    layers = tuple(dict.fromkeys(filter(None, map(layers_to_freeze, given))))
    config, settings = with_values(*read_recipe(options.recipe), options.set)
    outcomes = ablate(config, settings, options.data, options.out, options.cache, seeds, layers, options.rows)
    print(table(outcomes))
    print(f"\nEvery run is in {options.out / TABLE}.")


def read_prompts(path: Path) -> dict[str, str]:
    """Return each picture's prompt, by the picture's name in NFC, from a CSV with the columns image and prompt."""
    try:
        columns, rows = read_table(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a CSV ({error}): correct it, or name another.") from error
    missing = {"image", "prompt"} - set(columns)
    if missing:
        raise ValueError(f"{path} has no column {min(missing)}: image and prompt are needed.")
    prompts: dict[str, str] = {}
    for line, row in rows:
        name, prompt = nfc(plain_text(row["image"])), plain_text(row["prompt"])
        if prompts.setdefault(name, prompt) != prompt:
            raise ValueError(f"{path} has two prompts for {row['image']}, the second on line {line}: take one out.")
    return prompts


def report(judge: Judge, files: Sequence[Path], prompts: Sequence[str], path: Path | None, by: str = "") -> None:
    """Score pictures, print a line each and write the CSV; sorted by a score, the best first, where one is named."""
    verdicts = judge.scores([open_image(file) for file in files], prompts, progress=True)
    scored = list(zip(files, prompts, (dict(zip(SCORES, each, strict=True)) for each in verdicts), strict=True))
    if by:
        names = SCORES if by == "both" else (by,)
        scored.sort(key=lambda row: -sum(row[2][name].final for name in names) / len(names))
    rows: list[list[str | float]] = []
    for file, prompt, scores in scored:
        parts = [rounded(getattr(scores[name], part), 6) for name in SCORES for part in PARTS]
        rows.append([file.name, prompt, *parts])
        texts = (
            f"{name} {rounded(score.final, 6):.3f} (base {rounded(score.base, 6):.3f}, correction "
            f"{written(rounded(score.correction, 6), '+.3f')})"
            for name, score in scores.items()
        )
        print(f"{printable(file.name)}: {'; '.join(texts)}")
    if path is not None:
        path.write_bytes(csv_content(COLUMNS, rows))
