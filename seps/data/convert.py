"""Bring caption files as they are downloaded into the authors' layout, which every program here reads.

python -m seps.data.convert captions_train2014.json captions_val2014.json --to DIR --images COCO
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from seps.common.checks import check_whole, shown
from seps.common.cli import Parser, check_folder, print_error, whole_number
from seps.common.files import json_text, write_atomically
from seps.common.numbers import amount
from seps.common.progress import Progress, with_progress
from seps.data.caption_rows import WHOLE
from seps.data.layout import split_notes
from seps.data.problems import Problems
from seps.data.sources import BOTH, PLAIN, Photograph, find_images, read_caption_file, split_name

COUNTS = "Files whose images have different numbers of captions: --captions-per-image K takes K of each"
TWICE = "Ids of two images: convert the files into separate folders"
REPEATED = "Images in two of the files: name each file once, and keep an image's captions in one"
TAKEN = "Files that already exist: choose another folder"

Splits = dict[str, list[Photograph]]


def convert(
    sources: Sequence[Path],
    to: Path,
    images: Path | None = None,
    captions_per_image: int | None = None,
    split: str | None = None,
    dev: int = 0,
    progress: Progress = False,
) -> tuple[dict[str, int], list[str]]:
    """Write caption files as one folder: splits as named, one as `split`, or `dev` random images apart as dev."""
    if captions_per_image is not None:
        check_whole("--captions-per-image", captions_per_image)
    if split is not None and not PLAIN.fullmatch(split):
        raise ValueError(f"--split is {shown(split)}, but it is part of file names: use only letters, digits, - and _.")
    if to.exists() and not to.is_dir():
        raise ValueError(f"{to} is a file: give a folder to --to, which is made where it lacks.")
    problems = Problems(" and ".join(map(str, sources)))
    splits, notes, counts = Splits(), list[str](), set[int]()
    for source in with_progress(sources, "Reading", progress):
        content = read_caption_file(source, problems, captions_per_image)
        for name, part in content.splits.items():
            splits.setdefault(name, []).extend(part)
        captions = [caption for photo in chain(*content.splits.values()) for caption in photo.captions]
        notes += [*content.notes, *split_notes(source.name, captions, content.captions_per_image)]
        counts.add(content.captions_per_image)
    if len(counts) > 1:
        problems.add(COUNTS, ", ".join(map(str, sorted(counts))))
    _check_ids(splits, problems)
    photos = list(chain(*splits.values()))
    files = [] if images is None else find_images(photos, images, problems)
    problems.raise_any()
    if images is None:
        names = {photo.id: photo.file for photo in photos}
    else:
        names = {photo.id: file.relative_to(images).as_posix() for photo, file in zip(photos, files, strict=True)}
    splits = _named(splits, split, dev)
    for file in [to / "id_mapping.json", *(to / f"{name}_{kind}.txt" for name in splits for kind in ("caps", "ids"))]:
        if file.exists():
            problems.add(TAKEN, str(file))
    problems.raise_any()
    _write(splits, names, to, progress)
    return {name: len(photos) for name, photos in splits.items()}, notes


def _check_ids(splits: Splits, problems: Problems) -> None:
    """Note ids that refer to two files, and duplicate images."""
    homes = dict[str, tuple[Photograph, str]]()
    for name, photos in splits.items():
        for photo in photos:
            first, home = homes.setdefault(photo.id, (photo, name))
            if first.file != photo.file:
                problems.add(TWICE, f"{photo.id}: {first.file} and {photo.file}")
            elif home != name:
                problems.add(BOTH, f"{photo.file} in {home} and {name}")
            elif first is not photo:
                problems.add(REPEATED, photo.file)


def _named(splits: Splits, split: str | None, dev: int) -> Splits:
    """The split that no file names, else the only one, called as the caller says or divided into train and dev."""
    check_whole("--dev", dev, least=0)
    if not split and not dev:
        return splits
    if WHOLE not in splits and len(splits) > 1:
        raise ValueError(f"The files hold the splits {', '.join(splits)}: leave out --split and --dev.")
    photos = splits.pop(WHOLE if WHOLE in splits else next(iter(splits)))
    if not dev:
        splits.setdefault(split_name(split or WHOLE), []).extend(photos)
        return splits
    if dev >= len(photos):
        raise ValueError(f"--dev is {dev}, but there are {len(photos)} images: leave some of them for train.")
    chosen = set(random.Random(0).sample(range(len(photos)), dev))
    for name, inside in (("train", False), ("dev", True)):
        splits.setdefault(name, []).extend(photo for i, photo in enumerate(photos) if (i in chosen) is inside)
    return splits


def _write(splits: Mapping[str, Sequence[Photograph]], names: Mapping[str, str], to: Path, progress: Progress) -> None:
    """Write the folder's files, all of them or, where one cannot be written, none."""
    texts = {}
    for name, photos in splits.items():
        texts[f"{name}_ids.txt"] = "".join(f"{photo.id}\n" * len(photo.captions) for photo in photos)
        texts[f"{name}_caps.txt"] = "".join(f"{caption}\n" for photo in photos for caption in photo.captions)
    texts["id_mapping.json"] = json_text(names)
    with ExitStack() as stack:
        for file, text in with_progress(texts.items(), "Writing", progress):
            stack.enter_context(write_atomically(to / file)).write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert caption files and say what was written."""
    meant = {"out": "--to is meant", "output": "--to is meant", "data": "give the file without an option"}
    parser = Parser("python -m seps.data.convert", description=(__doc__ or "").split("\n")[0], elsewhere=lambda: meant)
    parser.add_argument("sources", metavar="SOURCE", type=Path, nargs="+", help="JSON of COCO or Karpathy, or CSV")
    parser.add_argument("--to", required=True, type=Path, metavar="DIR", help="the folder that is written")
    parser.add_argument("--images", type=Path, metavar="FOLDER", help="holds the image files: each must be there")
    parser.add_argument("--captions-per-image", type=whole_number, metavar="K", help="take the first K of each image")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--split", metavar="NAME", help="what the split is called, where the files hold one")
    group.add_argument("--dev", type=whole_number, default=0, metavar="N", help="set N images apart as dev")
    options = parser.parse_args(arguments)
    try:
        for source in options.sources:
            if not source.is_file():
                raise ValueError(f"{source} is no file: give a caption file, see python -m seps.data.convert --help.")
        if options.images is not None:
            check_folder(options.images, "the folder with the image files")
        values = options.to, options.images, options.captions_per_image, options.split, options.dev
        sizes, notes = convert(options.sources, *values, progress=True)
    except (ValueError, OSError) as error:
        return print_error(error)
    for note in notes:
        print(note)
    held = ", ".join(f"{name} ({amount(count, 'image')})" for name, count in sizes.items())
    print(f"{options.to} holds {held}.")
    first, folder = next(iter(sizes)), options.images or "FOLDER"
    print(f"Look at it: python -m seps.data.inspect {options.to} --split {first} --images {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
