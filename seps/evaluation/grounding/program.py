"""The measure `grounding`: accuracy of maps against the named objects, and whether they follow the caption."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from seps.common.cli import whole_number
from seps.data import read_entities
from seps.data.objects import read_scenes
from seps.evaluation.cli import Result, add_model_and_split, prepare
from seps.evaluation.grounding.collect import CURVES, ground
from seps.evaluation.grounding.contrast import NoPairsError, contrast


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `grounding`."""
    add_model_and_split(parser)
    text = f"captions with deletion and insertion curves; default: {CURVES}"
    parser.add_argument("--curves", type=whole_number, default=CURVES, metavar="N", help=text)
    parser.add_argument("--only", choices=("grounding", "contrast"), help="measure only this; default: both")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure whether a model's maps point at the named objects, and whether they follow the caption."""
    if options.curves < 0:
        raise ValueError(f"--curves is {options.curves}, but 0 or more captions are needed.")
    model, split = prepare(options)
    entities = read_entities(options.data, options.split)
    scenes = read_scenes(options.data, options.split, entities)
    count = len(split.image_files)
    entities, scenes = entities[:count], None if scenes is None else scenes[:count]
    if options.only != "contrast":
        grounding = ground(model, split, entities, True, options.model, scenes, options.curves)
        yield Result(grounding.table(), asdict(grounding), "grounding")
    if options.only != "grounding":
        try:
            contrasted = contrast(model, split, entities, True, options.model, scenes)
        except NoPairsError as error:
            if options.only == "contrast":
                raise
            print(f"The contrast of captions was not measured: {error}")
            return
        yield Result(contrasted.table(), asdict(contrasted), "contrast")
