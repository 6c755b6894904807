"""Measure a model by name: `python -m seps.evaluate --measure NAME --model MODEL ...`.

A measure is a module with `add_options(parser)` and `run(options)`, which yields its results; the metrics are functions
of that module. To add one, add a row to `MEASURES`. `--measure NAME --help` lists the options of a measure.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seps.common.cli import Parser, errors_in_one_line
from seps.evaluation import cheats, clips, ensemble, labelled, pooled, retrieval, scenes
from seps.evaluation.cli import read_results, write_result
from seps.evaluation.grounding import program as grounding

RECALL = "recall"
MEASURES: dict[str, tuple[str, Any]] = {  # titles for the help, and modules
    RECALL: ("recall at 1, 5 and 10, both ways", retrieval),
    "grounding": ("maps against named objects, and contrast", grounding),
    "ensemble": ("recall of two saved score matrices and of their mean", ensemble),
    "pooled": ("recall of pooled embeddings, and of both scores added", pooled),
    "labelled": ("zero-shot ranking of class names for photographs", labelled),
    "scenes": ("recall among drawn scenes, and whether misses are true", scenes),
    "clips": ("the frame in which an object enters a moving scene", clips),
    "cheats": ("degenerate selectors, which L_ratio detects", cheats),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a measure, print its results and write them to a file."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    named = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    named.add_argument("--measure", nargs="?")
    title, measure = MEASURES.get(named.parse_known_args(words)[0].measure, MEASURES[RECALL])  # others are refused
    listing = "\n".join(f"  {name:16} {text}" for name, (text, _) in MEASURES.items())
    parser = Parser(
        prog="python -m seps.evaluate",
        description=f"Measure {title}.",
        epilog=f"measures; --measure NAME --help lists the options of one:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # as above
    )
    parser.add_argument("--measure", choices=MEASURES, default=RECALL, metavar="NAME", help="default: recall")
    measure.add_options(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the result to this file, keeping its others")
    options = parser.parse_args(words)
    with errors_in_one_line():
        if options.json is not None:
            read_results(options.json)
        for result in measure.run(options):
            print(result.text)
            if options.json is not None:
                write_result(options.json, result.key, result.values)
