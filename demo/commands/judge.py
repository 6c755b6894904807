"""`python -m demo judge PICTURE --prompt TEXT`: how good pictures look, and how well they fit a prompt."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from demo.commands.output import check_output_kind, kind_of, read_with_note, report_note
from demo.drawing.formats import JUDGEMENTS
from demo.galleries.reading.paths import photo_paths


def judge(
    pictures: Annotated[list[Path], Argument(metavar="PICTURE...", help="a picture, or a folder of pictures")],
    prompt: Annotated[str, Option(help="what the pictures were made from")],
    by: Annotated[Literal["quality", "consistency"], Option(help="what sorts them")] = "quality",
    output: Annotated[
        Path | None, Option("-o", "--out", help="file; csv has the scores, json each patch's share too")
    ] = None,
) -> None:
    """Say how good pictures look and how well they fit a prompt."""
    files = photo_paths(pictures)
    if not prompt.strip():
        raise ValueError("--prompt is empty: write what the pictures were made from.")
    check_output_kind(output, JUDGEMENTS)
    from tqdm import tqdm

    from demo.service.captions import read_prompt
    from demo.service.judging import JudgingService
    from demo.service.models.start import load_shipped_judge
    from demo.views.judge.values import judged_file, score_sentence
    from seps.judge.encoders import SepsEncoders

    service = JudgingService(load_shipped_judge)
    encoders = service.open().encoders
    text = " ".join(prompt.split())
    if isinstance(encoders, SepsEncoders):
        reading = read_prompt(encoders.model, prompt)
        report_note(reading)
        text = reading.text
    photos = [read_with_note(file) for file in files]
    sources = [(photo.digest, photo.image.copy) for photo in photos]
    judged = service.judge_together(sources, service.encode_prompt(text), tqdm if len(photos) > 1 else False)
    order = sorted(range(len(judged)), key=lambda i: -getattr(judged[i], by).final)
    rows = [(str(files[i]), judged[i]) for i in order]
    if output is not None:
        output.write_bytes(judged_file(rows, text, by, kind_of(output)))
    for name, scores in rows:
        print(
            f"{name}\n  quality      {score_sentence(scores.quality)}\n"
            f"  consistency  {score_sentence(scores.consistency)}"
        )
