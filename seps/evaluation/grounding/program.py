"""The program: python -m seps.grounding."""

from __future__ import annotations

from collections.abc import Sequence

from seps.cli import Parser, errors_in_one_line, whole_number
from seps.data import read_entities
from seps.data.objects import read_scenes
from seps.evaluation.cli import add_json, add_model_and_split, prepare, read_results, write_result
from seps.evaluation.grounding.collect import CURVES, ground
from seps.evaluation.grounding.contrast import NoPairsError, contrast


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print whether a model's maps point at the named objects."""
    parser = Parser(prog="python -m seps.grounding", description="Is the picture right?")
    add_model_and_split(parser)
    add_json(parser)
    parser.add_argument(
        "--curves",
        type=whole_number,
        default=CURVES,
        metavar="N",
        help=f"captions with deletion and insertion curves, spread evenly over the split; 0: none; default: {CURVES}",
    )
    parser.add_argument("--only", choices=("grounding", "contrast"), help="measure only this; default: both")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        if options.curves < 0:
            raise ValueError(f"--curves is {options.curves}, but 0 or more captions are needed.")
        if options.json is not None:
            read_results(options.json)
        model, split = prepare(options)
        entities = read_entities(options.data, options.split)
        scenes = read_scenes(options.data, options.split, entities)
        count = len(split.image_files)
        entities, scenes = entities[:count], None if scenes is None else scenes[:count]
        if options.only != "contrast":
            grounding = ground(model, split, entities, True, options.model, scenes, options.curves)
            print(grounding.table())
            if options.json is not None:
                write_result(options.json, "grounding", grounding.as_dict())
        if options.only != "grounding":
            try:
                contrasted = contrast(model, split, entities, True, options.model, scenes)
            except NoPairsError as error:
                if options.only == "contrast":
                    raise
                print(f"The contrast of captions was not measured: {error}")
                return
            print(contrasted.table())
            if options.json is not None:
                write_result(options.json, "contrast", contrasted.as_dict())
