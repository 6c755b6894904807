"""`python -m demo rank`: photographs ranked for a caption, captions for a photograph, or a caption through a video."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from demo.commands.output import MODELS, Dense, check_output_kind, kind_of, notify, report_note
from demo.drawing.formats import VIDEOS
from demo.galleries.reading.paths import CAPTIONS_FILE, check_photo_path, check_photos, photos_place
from demo.galleries.reading.video_worker import FRAMES, ReadVideo, check_readable, frames_of
from demo.service.models.own_models import MODEL, assign_names, fetch_model
from seps.common.cli import check_output
from seps.common.numbers import rounded, written
from seps.common.progress import finish, map_progress
from seps.common.text import printable
from seps.models.shipped import shipped_models

if TYPE_CHECKING:
    from demo.galleries.indexes.index import IndexedGallery
    from demo.service.ranking import Candidates
    from demo.service.retrieval import RetrievalService

OPTIONAL = ("accelerate", "scipy", "torchvision")  # for transformers
SECONDS = 500.0  # that reading a video may take
TEXT = (
    "the caption; with --photo, the captions to rank (none: the gallery's, marked right or wrong where it has the "
    "photograph's own)"
)
PHOTOS = "a folder of photographs to rank, without the folders below, or a table that `python -m seps.index` made"


def rank(
    text: Annotated[list[str] | None, Argument(help=TEXT)] = None,
    photo: Annotated[Path | None, Option(help="rank captions for this photograph")] = None,
    photos: Annotated[str | None, Option(metavar="FOLDER|URI", help=PHOTOS)] = None,
    shortlist: Annotated[int | None, Option(help="of a table, how many are scored exactly (200)")] = None,
    exhaustive: Annotated[
        bool, Option("--all", help="of a table, or a folder too large for memory, score every photograph")
    ] = False,
    name: Annotated[
        str, Option(show_default=False, help="of a table or a folder, rank only paths that contain this")
    ] = "",
    recursive: Annotated[bool, Option("--recursive", help="read the folders below that folder too")] = False,
    gallery: Annotated[
        str | None, Option(help="a gallery to rank: folder, examples, open-photos, scenes or moving")
    ] = None,
    dense: Dense = None,
    top: Annotated[int, Option(help="how many to print")] = 10,
    csv: Annotated[
        Path | None, Option(help="write the whole ranking of photographs here, or S by time of a video")
    ] = None,
    video: Annotated[Path | None, Option(help="follow the caption through this video")] = None,
    at: Annotated[Literal["even", "cuts"], Option(help="of a video, which frames")] = "even",
    frames: Annotated[int, Option(help="of a video, how many at most")] = FRAMES,
    other_caption: Annotated[list[str] | None, Option(metavar="CAPTION", help="of a video, one more to follow")] = None,
    output: Annotated[
        Path | None, Option("-o", "--output", help=f"of a video, file; its ending says which: {', '.join(VIDEOS)}")
    ] = None,
    model: Annotated[str | None, Option(help=f"{MODELS} (photos; to rank, the gallery's)")] = None,
) -> None:
    """Rank photographs for a caption, or captions for a photograph."""
    if model is not None:
        fetch_model(model)
    captions, place = text or [], None if photos is None else photos_place(photos)
    if photo is not None:
        check_photo_options(photo, captions, place, {"--csv": csv, "--dense": dense}, gallery)
    elif not " ".join(captions).strip():
        raise ValueError("The caption is empty: write one, or name a photograph with --photo to rank captions for it.")
    with_photos = {"--photo": photo, "--gallery": gallery, "--recursive": recursive}
    if video is not None:
        check_left_out("--video", {**with_photos, "--photos": photos, "--dense": dense})
        from seps.media.videos import MAX_FRAMES

        if not 1 <= frames <= MAX_FRAMES:
            raise ValueError(f"--frames is {frames}, but 1 to {MAX_FRAMES} can be looked at.")
        check_readable(video)
        check_output_kind(output, VIDEOS)
    elif output is not None or other_caption:
        raise ValueError("-o and --other-caption go with --video FILE: --csv writes a ranking.")
    if isinstance(place, str):
        check_left_out(f"--photos {place}, a table of photographs", with_photos)
        if shortlist is not None and shortlist < 1:
            raise ValueError(f"--shortlist is {shortlist}, but at least 1 is needed.")
    elif shortlist is not None:
        raise ValueError("--shortlist goes with --photos URI, a table that python -m seps.index made.")
    elif place is not None:
        check_photos(place)
    elif exhaustive or name:
        raise ValueError("--all and --name go with --photos, a folder or a table: give one.")
    elif recursive:
        raise ValueError("--recursive reads the folders below --photos FOLDER, which is not given: give it.")
    if csv is not None:
        check_output(csv)
    if top < 1:
        raise ValueError(f"--top is {top}, but at least 1 is needed.")

    caption = " ".join(captions)
    if video is not None:
        read = read_video(video, frames, at)
        rank_video(read, video, model or MODEL, [caption, *(other_caption or [])], csv, output, top)
    elif isinstance(place, str):
        rank_stored_photos(place, model or MODEL, caption, dense, exhaustive, name, shortlist, csv, top)
    else:
        from demo.service.ranking import Candidates

        examples = photo is not None or gallery not in (None, "folder")
        service, gallery = choose_service(model, gallery, place, recursive, examples)
        if photo is not None:
            rank_captions(service, photo, captions, gallery, top)
        else:
            candidates = Candidates(name=name, exhaustive=exhaustive)
            rank_photos(service, gallery, caption, dense, candidates, csv, top)


def check_left_out(beside: str, given: Mapping[str, Any]) -> None:
    """Raise ValueError for an option that does not go with another one."""
    for name, value in given.items():
        if value:
            raise ValueError(f"{name} does not go with {beside}: leave one of the two.")


def check_photo_options(
    photo: Path, captions: Sequence[str], place: Path | str | None, given: Mapping[str, Any], gallery: str | None
) -> None:
    """Raise ValueError for options that do not go with a ranking of captions."""
    check_photo_path(photo)
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} goes with a ranking of photographs, not with --photo, which ranks captions.")
    if isinstance(place, Path) and (captions or not (place / CAPTIONS_FILE).is_file()):
        raise ValueError(
            "--photo ranks captions for one photograph, and --photos ranks photographs for a caption: leave one of "
            f"the two. (Captions of a folder are ranked where it has a {CAPTIONS_FILE} and none are given.)"
        )
    if captions and gallery:
        raise ValueError("--gallery names captions to rank, but others are given: leave one of the two.")


def rank_captions(service: RetrievalService, photo: Path, typed: Sequence[str], gallery: str, top: int) -> None:
    """Print the best captions for a photograph: those that were typed, or a gallery's."""
    from tqdm import tqdm

    from demo.galleries.indexes.index import index_gallery
    from demo.galleries.sources.folder import photo_gallery

    indexed: IndexedGallery = index_gallery(service.model, photo_gallery(photo), None)
    if indexed.gallery.note:
        notify(indexed.gallery.note)
    pool, index = None, 0
    if not typed:
        pool = service.open(gallery, tqdm)
        sources = [item.source for item in pool.gallery.items]
        own = [i for i, file in enumerate(sources) if isinstance(file, Path) and file.resolve() == photo.resolve()]
        if own:
            indexed, index = pool, own[0]
    ranking = service.rank_captions(indexed, index, None if pool is None else pool.gallery.name, "\n".join(typed))
    marks = {True: "right  ", False: "wrong  ", None: ""} if ranking.has_truth else {}
    lines = [
        f"{written(score, '.4f')}  {marks.get(correct, '')}{text}"
        for text, score, correct in zip(ranking.captions, ranking.scores, ranking.correct, strict=True)
    ]
    print_ranking(lines, top, "captions")


def rank_photos(
    service: RetrievalService,
    gallery: str,
    caption: str,
    dense: str | None,
    candidates: Candidates,
    csv: Path | None,
    top: int,
) -> None:
    """Print the best photographs of a gallery for a caption."""
    from tqdm import tqdm

    from demo.drawing.rankings import ranking_csv

    indexed = service.open(gallery, tqdm)
    ranking = service.get_cached_ranking(indexed, caption, dense, candidates, tqdm if candidates.exhaustive else False)
    if csv is not None:
        csv.write_bytes(ranking_csv(indexed, ranking, service.name).content)
    report_note(ranking.reading)
    if not ranking.exhaustive:
        notify(f"{len(ranking.order)} of {ranking.total} were scored exactly; --all scores every one.")
    items = indexed.gallery.items
    rows = zip(ranking.order, ranking.scores, strict=True)
    print_ranking(
        [f"{written(score, '.4f')}  {items[index].title}" for index, score in rows], top, indexed.gallery.noun
    )


def rank_stored_photos(
    place: str,
    model: str,
    caption: str,
    dense: str | None,
    exhaustive: bool,
    name: str,
    shortlist: int | None,
    csv: Path | None,
    top: int,
) -> None:
    """Print the best photographs of a table for a caption."""
    from tqdm import tqdm

    with light_imports():
        from demo.drawing.rankings import ranking_file
        from demo.service.captions import read_caption, read_pair
        from demo.service.models.stored import open_table
        from seps.search.stages import SHORTLIST, rank_stored

    service, store = open_table(model, place)
    given = (shortlist or SHORTLIST, exhaustive, name, tqdm if exhaustive else False)
    started = time.perf_counter()
    reading = read_caption(service.model, caption)
    dense_text = read_pair(service.model, caption, dense)[1]
    encoded = service.encode([reading.text], None if dense_text is None else [dense_text])
    ranking = rank_stored(service.engine, store, encoded, *given)
    pairs = list(zip(store.paths(ranking.rows.tolist()), ranking.scores.tolist(), strict=True))
    how = f"scored exactly, in {1000 * (time.perf_counter() - started):.0f} ms"
    if csv is not None:
        rows = [[rank, path, rounded(score, 6), reading.text] for rank, (path, score) in enumerate(pairs, start=1)]
        columns = ("rank", "photo", "score", "caption")
        csv.write_bytes(ranking_file(columns, rows, service.name, Path(place).stem).content)
    report_note(reading)
    if len(pairs) == ranking.total:
        notify(f"All {ranking.total} photographs were {how}.")
    else:
        found = f"{len(pairs)} of {ranking.total} photographs, by similarity of mean patch and mean word, were"
        notify(f"{found} {how}; --all scores every one.")
    print_best([f"{written(score, '.4f')}  {printable(path)}" for path, score in pairs], top)


@contextmanager
def light_imports() -> Iterator[None]:
    """Import transformers as if optional packages, which take a second and encode no caption, were not installed."""
    hidden = [] if "transformers" in sys.modules else OPTIONAL
    modules: dict[str, Any] = sys.modules
    modules.update(dict.fromkeys(hidden))  # None: an import fails
    try:
        yield
    finally:
        for name in hidden:
            del modules[name]


def print_ranking(lines: Sequence[str], top: int, noun: str) -> None:
    """Print the best lines of a ranking, and before them how many there are."""
    count = len(lines)
    if top < count:
        notify(f"The best {top} of {count} {noun} (--top {count} prints all):")
    else:
        notify(f"All {count} {noun}, the best first:" if count > 1 else f"The only one of the {noun}:")
    print_best(lines, top)


def print_best(lines: Sequence[str], top: int) -> None:
    """Print the first lines, numbered."""
    for place, line in enumerate(lines[:top], start=1):
        print(f"{place:4}  {line}")


def choose_service(
    model: str | None, gallery: str | None, folder: Path | None, recursive: bool, examples: bool
) -> tuple[RetrievalService, str]:
    """Return the service that a ranking runs on, and its gallery; ValueError for an unknown model or gallery, or if
    they do not belong together."""
    from tqdm import tqdm

    from demo.service.models.start import GalleryOptions, open_own, open_registry

    galleries = GalleryOptions(folder, None, True, tqdm, notify, recursive, examples)
    if model is not None and model not in shipped_models():
        service = open_own(model, next(iter(assign_names([model]))), galleries)
        return service, gallery or service.first
    registry = open_registry(galleries)
    gallery = gallery or registry.first_of(model or registry.photos.name)
    service = registry.of(gallery)
    if model not in (None, service.name):
        raise ValueError(f"The gallery {gallery!r} belongs to the model {service.name!r}, not {model!r}.")
    return service, gallery


def rank_video(
    read: ReadVideo, file: Path, model: str, captions: Sequence[str], csv: Path | None, output: Path | None, top: int
) -> None:
    """Follow captions through a video, print each one's best moments, and write what the output's ending says."""
    from tqdm import tqdm

    from demo.drawing.film import timeline_csv, video_file
    from demo.galleries.indexes.index import index_gallery
    from demo.galleries.sources.video import video_gallery
    from demo.service.models.start import open_model
    from demo.service.timeline import timeline
    from demo.views.video import steadiness

    service = open_model(model)
    for note in read.notes:
        notify(note)
    gallery = video_gallery(read, file.name)
    indexed = index_gallery(service.model, gallery, None, tqdm)
    lines = [timeline(service, indexed, caption) for caption in captions]
    if csv is not None:
        csv.write_bytes(timeline_csv(lines, service.name, file.stem).content)
    if output is not None:
        images = [item.photo() for item in gallery.items]
        content = video_file(images, service.model.grid, lines, service.name, file.stem, kind_of(output)).content
        output.write_bytes(content)
    notify(f"{len(indexed)} frames of {read.seconds:.1f} s:")
    for line in lines:  # where a caption is best, and how steady its mask is
        report_note(line.reading)
        print(line.reading.text)
        best = [(line.scores[index], indexed.gallery.items[index].title) for index in line.moments]
        print_best([f"{written(float(score), '.4f')}  {title}" for score, title in best], top)
        if steady := steadiness(line):
            print(f"      {steady}")


def read_video(file: Path, frames: int, at: str) -> ReadVideo:
    """Read a video of any length with the memory that the app gives one, and show how many frames were read."""
    from tqdm import tqdm

    from seps.media.videos import MAX_ALL_PIXELS

    reading = frames_of(file, frames, math.inf, at, SECONDS, pixels=MAX_ALL_PIXELS)
    with tqdm(desc=f"Reading {file.name}", unit=" frames", leave=False) as bar:
        return finish(map_progress(reading, lambda count: bar.update(count - bar.n)))
