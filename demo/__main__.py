"""The app without a browser: `python -m demo explain PHOTO CAPTION -o FILE`, `python -m demo rank ...`, `python -m demo
judge PICTURE --prompt TEXT`, `python -m demo why PHOTO CAPTION --other OTHER_PHOTO`, `python -m demo generate CAPTION`,
`python -m demo figure SPEC.json -o FILE` (see `demo.figure`) and `python -m demo lesson` (see `demo.lesson`).

Arguments are read, and paths checked, before torch and the models are imported, which takes seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from demo.drawing.formats import CONTRASTS, DRAWINGS, EXPLANATIONS, JUDGEMENTS, PICTURES, VIDEOS, check_format
from demo.figure import add_figure_command, check_figure, draw_figure
from demo.galleries.paths import CAPTIONS_FILE, check_photo_path, check_photos, photo_paths, photos_place
from demo.lesson import add_lesson_command, check_lesson, make_lesson
from demo.service.generating.request import GUIDANCE, SEED, STEPS, read_numbers
from demo.service.own_models import assign_names, fetch_model
from demo.video import FRAMES, check_video_options, rank_video
from seps.cli import check_output, finite_number, print_error, whole_number
from seps.models.shipped import shipped_models
from seps.numbers import written
from seps.text import printable

if TYPE_CHECKING:
    from demo.galleries.gallery import Gallery
    from demo.galleries.index import IndexedGallery
    from demo.galleries.photos import Photo
    from demo.service.captions import Reading
    from demo.service.retrieval import RetrievalService
    from seps import Explanation

LAYERS = (
    "mask (the default), score, s_st, token:1, tokens, extra, word:2 (the caption's second word; of one in several "
    "pieces the first piece), word:[CLS], word:[SEP], piece:3 (the third word piece, which links call word:3), "
    "effect, blanked and blurred, which is slower (effect:2 of the second word), ..."
)


def notify(line: str) -> None:
    """Log one line to stderr."""
    print(printable(line), file=sys.stderr)


def read_with_note(file: Path) -> Photo:
    """Read a photograph, and print what should be known of it."""
    from demo.galleries.photos import read_photo

    photo = read_photo(file)
    if photo.note:
        notify(photo.note)
    return photo


def explain(options: argparse.Namespace) -> None:
    """Draw, or write as JSON, what one caption did with one photograph."""
    from tqdm import tqdm

    from demo.drawing.files import explanation_file
    from demo.drawing.formats import Heading
    from demo.record.counterfactual import decision_numbers, decision_sentence
    from demo.record.layers import Layer
    from demo.record.spoken import layer_of_words
    from demo.record.table import say
    from demo.service.captions import read_caption, read_pair
    from demo.service.counterfactual import Decided
    from demo.service.masks import changed_mask
    from demo.service.measures import find_measure, is_slow
    from demo.service.measuring import Pair, measure
    from demo.service.start import MODEL, open_model
    from seps.explanation.record import Source

    service = open_model(options.model or MODEL)
    photo = read_with_note(options.photo).image
    reading = read_caption(service.model, options.caption)
    report_note(reading)
    text, dense = read_pair(service.model, options.caption, options.dense)
    patches = service.encode_photos([photo])[0]
    record = unforced = service.explain_embeddings(patches, photo, text, dense)
    layer = layer_of_words(options.layer, reading.text, service.model.tokenizer, record)
    mask, note, numbers = changed_mask(unforced.sparse.kept, options.keep, options.drop), "", None
    if mask is not None:
        record = service.explain_embeddings(patches, photo, text, dense, mask)
        decided = Decided(record), Decided(unforced)
        note, numbers = say("whatif.forced", says=decision_sentence(*decided)), decision_numbers(*decided)
    name = Layer.parse(layer).name
    if is_slow(name):
        notify(say("button.measuring_slowly", name=say(f"name.{name}"), count=1 + unforced.sparse.kept.size))
    if find_measure(name) is not None:
        given = (service.model, record, patches, lambda: photo, text, dense, mask)
        record = measure(name, Pair(*given, encode=service.encode_in_turn, progress=tqdm))
    kind = kind_of(options.output)
    if kind == "html":
        write_page(options, replace(record, source=Source(photo, reading.text, dense, model=service.name)), layer)
        return
    heading = Heading(reading.text, record.similarity, service.name, options.dense, note=note)
    file = explanation_file(photo, record, heading, options.photo.stem, kind, layer, options.opacity, by_hand=numbers)
    options.output.write_bytes(file.content)
    print(f"S(I, T) = {written(record.similarity, '.4f')}. {options.output} is written.")


def write_page(options: argparse.Namespace, record: Explanation, layer: str) -> None:
    """Write a record, which knows its photograph, as a page that needs no server."""
    from demo.notebook.views import record_view

    view = record_view(record, layer, "auto")
    view.value["opacity"] = options.opacity
    view.save(options.output)
    print(f"S(I, T) = {written(record.similarity, '.4f')}. {describe_written_file(options.output)}")


def describe_written_file(file: Path) -> str:
    """Return a message about a written file, with its size."""
    return f"{file} is written: {written(file.stat().st_size / 1e6, '.1f')} MB."


def rank(options: argparse.Namespace) -> None:
    """Rank photographs for a caption, or captions for a photograph, and print the best."""
    from tqdm import tqdm

    from demo.drawing.rankings import images_csv
    from demo.galleries.folder import photo_gallery
    from demo.galleries.index import index_gallery
    from demo.service.ranking import Candidates

    if options.video is not None:
        rank_video(options, notify)
        return
    if isinstance(options.photos, str):
        rank_stored_photos(options)
        return
    service = choose_service(options)
    if options.photo is not None:
        indexed: IndexedGallery = index_gallery(service.model, photo_gallery(options.photo), None)
        if indexed.gallery.note:
            notify(indexed.gallery.note)
        pool, index = None, 0
        if not options.text:
            pool = service.open(options.gallery, tqdm)
            known = item_of(pool.gallery, options.photo)
            indexed, index = (indexed, 0) if known is None else (pool, known)
        name = None if pool is None else pool.gallery.name
        captions = service.rank_captions(indexed, index, name, "\n".join(options.text))
        marks = {True: "right  ", False: "wrong  ", None: ""} if captions.has_truth else {}
        lines = [
            f"{written(score, '.4f')}  {marks.get(correct, '')}{text}"
            for text, score, correct in zip(captions.captions, captions.scores, captions.correct, strict=True)
        ]
        noun = "captions"
    else:
        indexed = service.open(options.gallery, tqdm)
        text, candidates = " ".join(options.text), Candidates(name=options.name, exhaustive=options.all)
        if options.csv is not None:
            options.csv.write_bytes(images_csv(service, indexed, text, options.dense, None, candidates).content)
        progress = tqdm if options.all else False
        images = service.get_cached_ranking(indexed, text, options.dense, candidates, progress)
        report_note(images.reading)
        if not images.exhaustive:
            notify(f"{len(images.order)} of {images.total} were scored exactly; --all scores every one.")
        items = indexed.gallery.items
        lines = [
            f"{written(score, '.4f')}  {items[i].title}" for i, score in zip(images.order, images.scores, strict=True)
        ]
        noun = indexed.gallery.noun
    notify(shown(min(options.top, len(lines)), len(lines), noun))
    for place, line in enumerate(lines[: options.top], start=1):
        print(f"{place:4}  {line}")


def item_of(gallery: Gallery, file: Path) -> int | None:
    """Return the index of the item that is read from this file; None where the gallery has none."""
    path = file.resolve()
    sources = [item.source for item in gallery.items]
    return next((i for i, source in enumerate(sources) if isinstance(source, Path) and source.resolve() == path), None)


def rank_stored_photos(options: argparse.Namespace) -> None:
    """Rank the photographs of a table for a caption, and print the best."""
    from tqdm import tqdm

    from demo.drawing.rankings import export_stored_csv
    from demo.service.start import MODEL, open_model
    from demo.service.stored import open_table, rank_table
    from seps.search.stages import SHORTLIST

    service = open_model(options.model or MODEL)
    store = open_table(service, options.photos)
    given = (options.shortlist or SHORTLIST, options.all, options.name, tqdm if options.all else False)
    result = rank_table(service, store, " ".join(options.text), options.dense, *given)
    if options.csv is not None:
        options.csv.write_bytes(export_stored_csv(result, service.name, Path(options.photos).stem).content)
    report_note(result.reading)
    notify(result.sentence())
    for place, (path, score) in enumerate(zip(result.paths, result.scores, strict=True), start=1):
        if place <= options.top:
            print(f"{place:4}  {written(score, '.4f')}  {printable(path)}")


def shown(count: int, total: int, noun: str) -> str:
    """Return how many of a ranking are printed."""
    if count < total:
        return f"The best {count} of {total} {noun} (--top {total} prints all):"
    return f"All {total} {noun}, the best first:" if total > 1 else f"The only one of the {noun}:"


def report_note(reading: Reading) -> None:
    """Tell what the model may not read of a caption."""
    if reading.note:
        notify(reading.note)


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    top = argparse.ArgumentParser(prog="python -m demo", description="SEPS Explorer without a browser.")
    commands = top.add_subparsers(dest="command", required=True)
    single = commands.add_parser("explain", help="draw what a caption did with a photograph")
    single.add_argument("photo", type=Path)
    single.add_argument("caption")
    single.add_argument("--dense", help="an optional dense caption")
    single.add_argument("--layer", default="mask", help=LAYERS)
    single.add_argument(
        "--keep",
        default="",
        metavar="PATCHES",
        help="keep these, whatever the model decides: 1,2,5-9 row by row, or all",
    )
    single.add_argument(
        "--drop", default="", metavar="PATCHES", help="drop these first, likewise (all: none but --keep)"
    )
    single.add_argument("--opacity", type=finite_number, default=0.75, help="of the layer, 0 to 1 (0.75)")
    single.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        help=f"file; its ending says which: {', '.join(PICTURES)}, json or html",
    )
    many = commands.add_parser("rank", help="rank photographs for a caption, or captions for a photograph")
    many.add_argument(
        "text",
        nargs="*",
        help="the caption; with --photo, the captions to rank (none: the gallery's, "
        "marked right or wrong where it has the photograph's own)",
    )
    many.add_argument("--photo", type=Path, help="rank captions for this photograph")
    many.add_argument(
        "--photos",
        type=photos_place,
        metavar="FOLDER|URI",
        help="a folder of photographs to rank, without the folders below, or a table that `python -m seps.index` made",
    )
    many.add_argument("--shortlist", type=whole_number, help="of a table, how many are scored exactly (200)")
    many.add_argument(
        "--all", action="store_true", help="of a table, or a folder too large for memory, score every photograph"
    )
    many.add_argument(
        "--name", default="", metavar="TEXT", help="of a table or a folder, rank only paths that contain this"
    )
    many.add_argument("--recursive", action="store_true", help="read the folders below that folder too")
    many.add_argument("--gallery", help="a gallery to rank: folder, examples, open-photos, scenes or moving")
    many.add_argument("--dense", help="an optional dense caption")
    many.add_argument("--top", type=whole_number, default=10, help="how many to print (10)")
    many.add_argument("--csv", type=Path, help="write the whole ranking of photographs here, or S by time of a video")
    many.add_argument("--video", type=Path, help="follow the caption through this video")
    many.add_argument("--at", choices=("even", "cuts"), default="even", help="of a video, which frames (even times)")
    many.add_argument("--frames", type=whole_number, default=FRAMES, help=f"of a video, how many at most ({FRAMES})")
    many.add_argument(
        "--other-caption", action="append", default=[], metavar="CAPTION", help="of a video, one more to follow"
    )
    many.add_argument("-o", "--output", type=Path, help=f"of a video, file; its ending says which: {', '.join(VIDEOS)}")
    scored = commands.add_parser("judge", help="say how good pictures look and how well they fit a prompt")
    scored.add_argument("pictures", type=Path, nargs="+", metavar="PICTURE", help="a picture, or a folder of pictures")
    scored.add_argument("--prompt", required=True, help="what the pictures were made from")
    scored.add_argument("--by", choices=("quality", "consistency"), default="quality", help="what sorts them (quality)")
    scored.add_argument(
        "-o", "--out", dest="output", type=Path, help="file; csv has the scores, json each patch's share too"
    )
    other = commands.add_parser("why", help="explain why a photograph, or a caption, ranks before another")
    other.add_argument("photo", type=Path)
    other.add_argument("caption")
    against = other.add_mutually_exclusive_group(required=True)
    against.add_argument("--other", type=Path, help="another photograph, for the same caption")
    against.add_argument("--other-caption", metavar="CAPTION", help="another caption, for the same photograph")
    other.add_argument("--dense", help="an optional dense caption of two photographs")
    other.add_argument(
        "--word", type=whole_number, help="draw both maps of the word at this place of the list printed, from 1"
    )
    other.add_argument("-o", "--output", type=Path, help=f"file; its ending says which: {', '.join(CONTRASTS)}, html")
    drawn = commands.add_parser("generate", help="draw a scene for a caption, and check it")
    drawn.add_argument("caption")
    drawn.add_argument("--steps", type=whole_number, default=STEPS, help=f"of drawing, 10 to 100 ({STEPS})")
    drawn.add_argument("--seed", type=whole_number, default=SEED, help=f"the same one draws the same picture ({SEED})")
    drawn.add_argument(
        "--guidance", type=finite_number, default=GUIDANCE, help=f"how closely the caption is followed ({GUIDANCE:g})"
    )
    drawn.add_argument(
        "-o", "--output", type=Path, required=True, help="file: png the picture, gif the steps, json the results"
    )
    add_figure_command(commands)
    walked = add_lesson_command(commands)
    for command, unless in (
        (single, "photos"),
        (other, "photos"),
        (walked, "photos"),
        (many, "photos; to rank, the gallery's"),
    ):
        command.add_argument(
            "--model", help=f"photos or scenes, a folder such as RUN/best, or a hub repo (owner/name) ({unless})"
        )
    return top


def check(options: argparse.Namespace) -> None:
    """Validate arguments without a model; ValueError for missing paths or an unknown file type."""
    if options.command in ("judge", "figure"):
        {"judge": check_judging, "figure": check_figure}[options.command](options)
        return
    if options.command == "generate":
        read_numbers(options.steps, options.guidance, options.seed)
        check_output(options.output)
        check_format(kind_of(options.output), (*DRAWINGS, "json"))
        return
    if options.model is not None:
        fetch_model(options.model)
    if options.command == "why":
        check_why(options)
        return
    if options.command == "lesson":
        check_lesson(options)
        return
    if options.command == "explain":
        check_photo_path(options.photo)
        check_output(options.output)
        check_format(kind_of(options.output), (*EXPLANATIONS, "html"))
        if kind_of(options.output) == "html" and (options.keep or options.drop):
            raise ValueError("--keep and --drop do not go with html: choose json or a picture.")
        return
    check_rank(options)


def check_rank(options: argparse.Namespace) -> None:
    """Validate the arguments of `rank` without its model; ValueError also for options without effect."""
    if options.photo is not None:
        check_photo_path(options.photo)
        for name, given in (("--csv", options.csv), ("--dense", options.dense)):
            if given is not None:
                raise ValueError(f"{name} goes with a ranking of photographs, not with --photo, which ranks captions.")
        if isinstance(options.photos, Path) and (options.text or not (options.photos / CAPTIONS_FILE).is_file()):
            raise ValueError(
                "--photo ranks captions for one photograph, and --photos ranks photographs for a caption: leave one of "
                f"the two. (Captions of a folder are ranked where it has a {CAPTIONS_FILE} and none are given.)"
            )
        if options.text and options.gallery:
            raise ValueError("--gallery names captions to rank, but others are given: leave one of the two.")
    elif not " ".join(options.text).strip():
        raise ValueError("The caption is empty: write one, or name a photograph with --photo to rank captions for it.")
    if options.video is not None:
        check_video_options(options)
    elif options.output is not None or options.other_caption:
        raise ValueError("-o and --other-caption go with --video FILE: --csv writes a ranking.")
    if isinstance(options.photos, str):
        check_table(options)
    elif options.shortlist is not None:
        raise ValueError("--shortlist goes with --photos URI, a table that python -m seps.index made.")
    elif options.photos is not None:
        check_photos(options.photos)
    elif options.all or options.name:
        raise ValueError("--all and --name go with --photos, a folder or a table: give one.")
    elif options.recursive:
        raise ValueError("--recursive reads the folders below --photos FOLDER, which is not given: give it.")
    if options.csv is not None:
        check_output(options.csv)
    if options.top < 1:
        raise ValueError(f"--top is {options.top}, but at least 1 is needed.")


def check_table(options: argparse.Namespace) -> None:
    """Raise ValueError for what does not go with a table of photographs."""
    for name, given in (("--photo", options.photo), ("--gallery", options.gallery), ("--recursive", options.recursive)):
        if given:
            raise ValueError(f"{name} does not go with --photos {options.photos}, a table of photographs: leave it.")
    if options.shortlist is not None and options.shortlist < 1:
        raise ValueError(f"--shortlist is {options.shortlist}, but at least 1 is needed.")


def check_judging(options: argparse.Namespace) -> None:
    """Validate the arguments of `judge` without its model; ValueError if invalid."""
    options.pictures = photo_paths(options.pictures)
    if not options.prompt.strip():
        raise ValueError("--prompt is empty: write what the pictures were made from.")
    if options.output is not None:
        check_output(options.output)
        check_format(kind_of(options.output), JUDGEMENTS)


def check_why(options: argparse.Namespace) -> None:
    """Validate the arguments of `why` without its model; ValueError if invalid."""
    for photo in (options.photo, options.other):
        if photo is not None:
            check_photo_path(photo)
    if options.other is not None and options.other.samefile(options.photo):
        raise ValueError("--other is the same photograph: name another one.")
    if options.other_caption is not None:
        caption, other = (" ".join(text.split()) for text in (options.caption, options.other_caption))
        if other in ("", caption):
            problem = "is the same caption" if other else "is empty"
            raise ValueError(f"--other-caption {problem}: write another one for the photograph.")
    if options.other_caption is not None and (options.dense or "").strip():
        raise ValueError(
            "--dense goes with one caption of two photographs (--other), not with --other-caption: leave it."
        )
    if options.output is not None:
        check_output(options.output)
        check_format(kind_of(options.output), (*CONTRASTS, "html"))


def kind_of(output: Path) -> str:
    """Return the kind of file that its ending says."""
    return output.suffix.lstrip(".").lower()


def judge(options: argparse.Namespace) -> None:
    """Judge pictures with one prompt, the best first, and write what was found where a file is named."""
    from tqdm import tqdm

    from demo.service.captions import read_prompt
    from demo.service.judging import JudgingService
    from demo.service.start import load_shipped_judge
    from demo.views.judge.export import judged_file
    from demo.views.judge.judgement import score_sentence
    from seps.judge.encoders import SepsEncoders

    service = JudgingService(load_shipped_judge)
    encoders = service.open().encoders
    prompt = " ".join(options.prompt.split())
    if isinstance(encoders, SepsEncoders):
        reading = read_prompt(encoders.model, options.prompt)
        report_note(reading)
        prompt = reading.text
    photos = [read_with_note(file) for file in options.pictures]
    sources = [(photo.digest, photo.image.copy) for photo in photos]
    judged = service.judge_together(sources, service.encode_prompt(prompt), tqdm if len(photos) > 1 else False)
    order = sorted(range(len(judged)), key=lambda i: -getattr(judged[i], options.by).final)
    rows = [(str(options.pictures[i]), judged[i]) for i in order]
    if options.output is not None:
        options.output.write_bytes(judged_file(rows, prompt, options.by, kind_of(options.output)))
    for name, scores in rows:
        print(
            f"{name}\n  quality      {score_sentence(scores.quality)}\n"
            f"  consistency  {score_sentence(scores.consistency)}"
        )


def why(options: argparse.Namespace) -> None:
    """Set two photographs of a caption, or two captions of a photograph, side by side, and print each word's shares."""
    from demo.notebook.contrast import contrast_page
    from demo.record.contrast import Side, contrast, contrast_sentences, get_part_title
    from demo.service.captions import read_caption, read_pair
    from demo.service.start import MODEL, open_model
    from demo.views.why.export import why_file

    service = open_model(options.model or MODEL)
    photos = [read_with_note(options.photo).image, read_with_note(options.other or options.photo).image]
    readings = [
        read_caption(service.model, text) for text in (options.caption, options.other_caption or options.caption)
    ]
    for reading in dict.fromkeys(readings):
        report_note(reading)
    dense = read_pair(service.model, options.caption, options.dense)[1]
    records = [
        service.explain_photo(photo, reading.text, dense) for photo, reading in zip(photos, readings, strict=True)
    ]
    titles = [options.photo.stem, (options.other or options.photo).stem]

    def side(title: str, caption: str, record: Explanation) -> Side:
        attribution, *others = service.split_all(record)  # of the sparse alignment, and of a dense caption's own
        return Side(title, caption, record, attribution, 0, 0, service.unmatched_rule, *others)

    left, right = (
        side(title, reading.text, record) for title, reading, record in zip(titles, readings, records, strict=True)
    )
    result = contrast(left, right)
    part = None
    if options.word is not None:
        if not 1 <= options.word <= len(result.words):
            raise ValueError(f"--word is {options.word}, but there are words 1 to {len(result.words)}.")
        part = result.words[options.word - 1]
    if options.output is not None:
        layer = "mask" if part is None else part.layer
        if kind_of(options.output) == "html":
            options.output.write_text(contrast_page(result, photos, service.name, layer), encoding="utf-8")
            notify(describe_written_file(options.output))
        else:
            file = why_file(result, (photos[0], photos[1]), service.name, kind_of(options.output), layer)
            options.output.write_bytes(file.content)
    print("\n".join(contrast_sentences(result)))
    for place, row in enumerate((*result.words, *result.rest), start=1):
        columns = "".join(f"{'-' if value is None else written(value, '.4f'):>9}" for value in (row.left, row.right))
        number = f"{place:4}" if row.number >= 0 else " " * 4
        print(f"{number}  {get_part_title(row):20}{columns}  {written(row.difference, '+.4f')}")


def generate(options: argparse.Namespace) -> None:
    """Draw a scene for a caption, write it, and print what the captioner reads of the caption."""
    from tqdm import tqdm

    from demo.galleries.scenes import SCENES
    from demo.record.table import say
    from demo.service.generating.rank import draw_and_read
    from demo.service.generating.reading import read_drawn_caption
    from demo.service.generating.request import DrawingRequest
    from demo.service.generating.service import GeneratingService
    from demo.service.start import load_shipped_generator, open_shipped_scenes
    from demo.views.generate.export import drawing_file, drawing_record
    from demo.views.generate.statements import recaption_statements, summary

    generating = GeneratingService(load_shipped_generator)
    generating.open()
    service = open_shipped_scenes()
    scenes = service.open(SCENES, tqdm)
    reading = read_drawn_caption(service.model, options.caption)
    report_note(reading)
    asked = DrawingRequest(reading.text, options.steps, options.guidance, (options.seed,))
    drawing = draw_and_read(generating, service, scenes, asked, tqdm)
    kind = kind_of(options.output)
    if kind == "json":
        record = drawing_record(drawing) | reading.record()
        options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    else:
        options.output.write_bytes(drawing_file(drawing.frames, reading.text, options.seed, kind).content)
    standing = drawing.standing
    numbers = {"rank": standing.rank, "scenes": standing.scenes, "total": standing.scenes + 1}
    print(say("generate.standing", similarity=standing.similarity, **numbers))
    statements = recaption_statements(drawing.read)
    for statement in statements:
        print(f"  {say(f'reads.{statement.verdict}'):18}{statement.says}")
    print(summary(statements))
    for caption in drawing.read.best:
        print(f"{written(caption.score, '8.2f')}  {caption.text}")


def choose_service(options: argparse.Namespace) -> RetrievalService:
    """Return the service that a ranking runs on, its gallery set where none was asked for.

    Raises:
        ValueError: no such model or gallery, or one that belongs to the other.
    """
    from tqdm import tqdm

    from demo.service.start import open_own, open_registry

    if options.model is not None and options.model not in shipped_models():
        name = next(iter(assign_names([options.model])))
        opened = open_own(options.model, name, options.photos, None, tqdm, notify, options.recursive)
        options.gallery = options.gallery or opened.first
        return opened
    examples = options.photo is not None or options.gallery not in (None, "folder")
    registry = open_registry(
        options.photos, progress=tqdm, notify=notify, recursive=options.recursive, examples=examples
    )
    options.gallery = options.gallery or registry.first_of(options.model or registry.photos.name)
    service = registry.of(options.gallery)
    if options.model not in (None, service.name):
        raise ValueError(
            f"The gallery {options.gallery!r} belongs to the model {service.name!r}, not {options.model!r}."
        )
    return service


COMMANDS: Mapping[str, Callable[[argparse.Namespace], None]] = {
    "explain": explain,
    "rank": rank,
    "judge": judge,
    "why": why,
    "generate": generate,
    "figure": draw_figure,
    "lesson": lambda options: make_lesson(options, notify),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        check(options)
        COMMANDS[options.command](options)
    except (ValueError, OSError) as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
