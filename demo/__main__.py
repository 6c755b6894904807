"""The app without a browser: `python -m demo explain PHOTO CAPTION -o FILE`, `python -m demo rank ...`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from demo.figures.exports import PICTURES, explanation_file, images_csv
from demo.figures.overlay import Heading
from demo.galleries.folder import photo_gallery
from demo.galleries.index import index_gallery
from demo.galleries.photos import read_photo
from demo.service.captions import read_caption
from demo.service.retrieval import RetrievalService
from demo.service.start import MODEL, open_model, open_registry


def explain(options: argparse.Namespace, service: RetrievalService) -> None:
    """Draw, or write as JSON, what one caption did with one photograph."""
    kind = options.output.suffix.lstrip(".").lower()
    photo = read_photo(options.photo).image
    record = service.explain_photo(photo, options.caption, options.dense)
    text = read_caption(service.model, options.caption).text
    heading = Heading(text, record.similarity, service.name, options.dense)
    file = explanation_file(photo, record, heading, options.photo.stem, kind, options.layer, options.opacity)
    options.output.write_bytes(file.content)
    print(f"S(I, T) = {record.similarity:.4f}. {options.output} is written.")


def rank(options: argparse.Namespace, service: RetrievalService) -> None:
    """Rank photographs for a caption, or captions for a photograph, and print the best."""
    if options.photo is not None:
        indexed = index_gallery(service.model, photo_gallery(options.photo), None)
        pool = None if options.text else service.open(options.gallery, tqdm).gallery.name
        captions = service.rank_captions(indexed, 0, pool, "\n".join(options.text))
        lines = [f"{score:.4f}  {text}" for text, score in zip(captions.captions, captions.scores, strict=True)]
    else:
        indexed = service.open(options.gallery, tqdm)
        if options.csv is not None:
            options.csv.write_bytes(images_csv(service, indexed, " ".join(options.text), options.dense).content)
        images = service.rank_images(indexed, " ".join(options.text), options.dense)
        items = indexed.gallery.items
        lines = [f"{score:.4f}  {items[i].title}" for i, score in zip(images.order, images.scores, strict=True)]
    for place, line in enumerate(lines[: options.top], start=1):
        print(f"{place:4}  {line}")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m demo", description="SEPS Explorer without a browser.")
    commands = top.add_subparsers(dest="command", required=True)
    one = commands.add_parser("explain", help="draw what a caption did with a photograph")
    one.add_argument("photo", type=Path)
    one.add_argument("caption")
    one.add_argument("--dense", help="a dense caption beside it")
    one.add_argument("--layer", default="mask", help="mask, score, s_st, token:1, tokens, extra, word:1, ... (mask)")
    one.add_argument("--opacity", type=float, default=0.75, help="of the layer, 0 to 1 (0.75)")
    one.add_argument(
        "-o", "--output", type=Path, required=True, help=f"file; its ending says which: {', '.join(PICTURES)} or json"
    )
    many = commands.add_parser("rank", help="rank photographs for a caption, or captions for a photograph")
    many.add_argument("text", nargs="*", help="the caption; with --photo, the captions to rank (none: the gallery's)")
    many.add_argument("--photo", type=Path, help="rank captions for this photograph")
    many.add_argument("--photos", type=Path, help="a folder of photographs to rank")
    many.add_argument("--gallery", help="a gallery to rank: folder, examples, open-photos or scenes")
    many.add_argument("--dense", help="a dense caption beside the caption")
    many.add_argument("--top", type=int, default=10, help="how many to print (10)")
    many.add_argument("--csv", type=Path, help="write the whole ranking of photographs here")
    for command in (one, many):
        command.add_argument("--model", help="photos or scenes (photos; to rank, that of the gallery)")
    return top


def chosen_service(options: argparse.Namespace) -> RetrievalService:
    """The service that a ranking runs on, its gallery set where none was asked for.

    Raises:
        ValueError: no such model or gallery, or one that belongs to the other.
    """
    registry = open_registry(options.photos, progress=tqdm, tell=print)
    options.gallery = options.gallery or registry.first_of(options.model or registry.photos.name)
    service = registry.of(options.gallery)
    if options.model not in (None, service.name):
        raise ValueError(
            f"The gallery {options.gallery!r} belongs to the model {service.name!r}, not {options.model!r}."
        )
    return service


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "explain":
            explain(options, open_model(options.model or MODEL))
        else:
            rank(options, chosen_service(options))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
