"""Measure a model by name: `python -m seps.evaluate --measure NAME --model MODEL ...`.

A measure is a module with `add_options(parser)` and `run(options)`, which yields its results; the metrics are functions
of that module. To add one, add a row to `MEASURES`. `--measure NAME --help` lists the options of a measure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from seps.cli import Parser, check_output, errors_in_one_line
from seps.evaluation import clips, ensemble, known_captions, labelled, pooled, retrieval, scenes, unmatched_words
from seps.evaluation.cli import Result, add_json, read_results, write_result


@dataclass(frozen=True)
class Measure:
    """A row of `MEASURES`.

    Attributes:
        title: one line for the help; add_options: adds the options of the measure to a parser.
        run: yields results as soon as each is measured; whole_file: whether a result replaces the results file.
    """

    title: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Iterator[Result]]
    whole_file: bool = False


RECALL = "recall"
MEASURES = {
    RECALL: Measure("recall at 1, 5 and 10, both ways", retrieval.add_options, retrieval.run),
    "ensemble": Measure("recall of two saved score matrices and of their mean", ensemble.add_options, ensemble.run),
    "pooled": Measure("recall of pooled embeddings, and of both scores added", pooled.add_options, pooled.run),
    "labelled": Measure("zero-shot ranking of class names for photographs", labelled.add_options, labelled.run),
    "scenes": Measure("recall among drawn scenes, and whether misses are true", scenes.add_options, scenes.run),
    "clips": Measure("the frame in which an object enters a moving scene", clips.add_options, clips.run),
    "unmatched_words": Measure(
        "the cosine below which a word has no match in the image",
        unmatched_words.add_options,
        unmatched_words.run,
        whole_file=True,
    ),
    "known_captions": Measure(
        "the similarity below which a caption is unlike the training captions",
        known_captions.add_options,
        known_captions.run,
        whole_file=True,
    ),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a measure, print its results and write them to a file."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    measure = MEASURES.get(measure_name(words), MEASURES[RECALL])  # the parser refuses an unknown name
    listing = "\n".join(f"  {name:16} {row.title}" for name, row in MEASURES.items())
    parser = Parser(
        prog="python -m seps.evaluate",
        description=f"Measure {measure.title}.",
        epilog=f"measures; --measure NAME --help lists the options of one:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # as measure_name
    )
    parser.add_argument("--measure", choices=MEASURES, default=RECALL, metavar="NAME", help="default: recall")
    measure.add_options(parser)
    add_json(parser)
    options = parser.parse_args(words)
    with errors_in_one_line():
        if options.json is not None:
            (check_output if measure.whole_file else read_results)(options.json)
        for result in measure.run(options):
            print(result.text)
            if options.json is not None:
                write_result(options.json, result.key, result.values)


def measure_name(words: Sequence[str]) -> str:
    """Return the measure that a command line names, by default recall; each measure has its own options."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        option, equals, value = word.partition("=")
        if option == "--measure":
            return value if equals else following
    return RECALL
