"""`python -m demo generate CAPTION -o FILE`: a scene drawn for a caption, and checked."""

import json
from pathlib import Path
from typing import Annotated

from typer import Option

from demo.commands.output import check_output_kind, kind_of, report_note
from demo.drawing.formats import DRAWINGS
from demo.service.generating.request import GUIDANCE, SEED, STEPS, read_numbers
from seps.common.numbers import written


def generate(
    caption: str,
    output: Annotated[Path, Option("-o", "--output", help="file: png the picture, gif the steps, json the results")],
    steps: Annotated[int, Option(help="of drawing, 10 to 100")] = STEPS,
    seed: Annotated[int, Option(help="the same one draws the same picture")] = SEED,
    guidance: Annotated[float, Option(help="how closely the caption is followed, 1 to 15")] = GUIDANCE,
) -> None:
    """Draw a scene for a caption, and check it."""
    read_numbers(steps, guidance, seed)
    check_output_kind(output, (*DRAWINGS, "json"))
    from tqdm import tqdm

    from demo.galleries.sources.scenes import SCENES
    from demo.record.texts.table import say
    from demo.service.generating.rank import draw_and_read, read_drawn_caption
    from demo.service.generating.request import DrawingRequest
    from demo.service.generating.service import GeneratingService
    from demo.service.models.start import load_shipped_generator, open_shipped_scenes
    from demo.views.generate.statements import recaption_statements, summary
    from demo.views.generate.values import drawing_file, drawing_record

    generating = GeneratingService(load_shipped_generator)
    generating.open()
    service = open_shipped_scenes()
    scenes = service.open(SCENES, tqdm)
    reading = read_drawn_caption(service.model, caption)
    report_note(reading)
    asked = DrawingRequest(reading.text, steps, guidance, (seed,))
    drawing = draw_and_read(generating, service, scenes, asked, tqdm)
    kind = kind_of(output)
    if kind == "json":
        record = drawing_record(drawing) | reading.record()
        output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    else:
        output.write_bytes(drawing_file(drawing.frames, reading.text, seed, kind).content)
    standing = drawing.standing
    numbers = {"rank": standing.rank, "scenes": standing.scenes, "total": standing.scenes + 1}
    print(say("generate.standing", similarity=standing.similarity, **numbers))
    statements = recaption_statements(drawing.read)
    for statement in statements:
        print(f"  {say('reads.' + statement['verdict']):18}{statement['says']}")
    print(summary(statements))
    for read in drawing.read.best:
        print(f"{written(read.score, '8.2f')}  {read.text}")
