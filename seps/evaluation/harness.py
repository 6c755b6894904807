"""Measure a model by name: `python -m seps.evaluate --measure NAME --model MODEL ...`.

A measure is a module with `add_options(parser)` and `run(options)`, which yields its results; the metrics are functions
of that module. To add one, add a row to `MEASURES`. `--measure NAME --help` lists the options of a measure.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from seps.common.cli import Parser, errors_in_one_line
from seps.evaluation import cheats, clips, ensemble, labelled, pooled, retrieval, scenes
from seps.evaluation.cli import Result, read_results, write_result
from seps.evaluation.grounding import program as grounding


class Measure(NamedTuple):
    """A row of `MEASURES`: a title for the help, the options, and a run that yields results one by one."""

    title: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Iterator[Result]]


RECALL = "recall"
MEASURES = {
    RECALL: Measure("recall at 1, 5 and 10, both ways", retrieval.add_options, retrieval.run),
    "grounding": Measure("maps against named objects, and contrast", grounding.add_options, grounding.run),
    "ensemble": Measure("recall of two saved score matrices and of their mean", ensemble.add_options, ensemble.run),
    "pooled": Measure("recall of pooled embeddings, and of both scores added", pooled.add_options, pooled.run),
    "labelled": Measure("zero-shot ranking of class names for photographs", labelled.add_options, labelled.run),
    "scenes": Measure("recall among drawn scenes, and whether misses are true", scenes.add_options, scenes.run),
    "clips": Measure("the frame in which an object enters a moving scene", clips.add_options, clips.run),
    "cheats": Measure("degenerate selectors, which L_ratio detects", cheats.add_options, cheats.run),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a measure, print its results and write them to a file."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    named = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    named.add_argument("--measure", nargs="?")
    measure = MEASURES.get(named.parse_known_args(words)[0].measure, MEASURES[RECALL])  # the parser refuses others
    listing = "\n".join(f"  {name:16} {row.title}" for name, row in MEASURES.items())
    parser = Parser(
        prog="python -m seps.evaluate",
        description=f"Measure {measure.title}.",
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
