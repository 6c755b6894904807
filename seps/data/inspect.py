"""Look at a split before training on it: counts, an image with its captions, tokens, a batch."""

import base64
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from io import BytesIO
from pathlib import Path
from statistics import fmean, median
from textwrap import fill

from PIL import Image

from seps.common.cli import Parser, check_output, errors_in_one_line, whole_number
from seps.data.dataset import CaptionDataset
from seps.data.layout import Split, dense_captions, find_dense_file, no_dense, read_split
from seps.data.overlap import overlap_notes
from seps.data.problems import Problems
from seps.data.sources import read_caption_file, split_name
from seps.encoders import Tokenizer, preprocess
from seps.media.photos import open_image
from seps.models.config import ModelConfig, load_config, recipe_files
from seps.models.shipped import CONFIG_NAME, model_folder

WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
ENDINGS = (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("s", ""), ("ied", "y"), ("ing", ""), ("ed", ""))
MIN_STEM = 3  # letters
COUNTED = 5000  # number of first captions used for token counts
UNCUT = 10**6  # tokens
BATCH = 4
WIDTH, INDENT = 120, 24  # of the printed text
PICTURE = 400  # longest side in the page, in pixels

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}
ul{{display:flex;flex-wrap:wrap;gap:1em;list-style:none;padding:0}}li{{width:10em}}li>img{{width:100%}}
th{{text-align:left;vertical-align:top;padding-right:1.5em;font-weight:600;white-space:nowrap}}</style>
<h1>{title}</h1>
{body}
</html>
"""


@dataclass(frozen=True)
class Section:
    """A heading, rows of name and value, and an optional image file."""

    title: str
    rows: tuple[tuple[str, str], ...]
    picture: Path | None = None


def inspect_split(split: Split, config: ModelConfig, sample: int = 0, notes: Sequence[str] = ()) -> list[Section]:
    """Describe a split and its image `sample` as a model with this config reads them."""
    if not 0 <= sample < len(split.image_ids):
        raise ValueError(f"--sample is {sample}, but the split has {len(split.image_ids)} images, counted from 0.")
    tokenizer = Tokenizer.from_config(config.text)
    last = token_counts(split, tokenizer, config), batch(split, tokenizer, config, sample)
    return [counts(split, notes), card(split, tokenizer, sample), *last]


def counts(split: Split, notes: Sequence[str] = ()) -> Section:
    """Return the numbers of images, captions and dense captions, their location, and notes on problems."""
    dense = f"none. {no_dense(split)}"
    if split.dense is not None:
        file = find_dense_file(split.folder, split.name)
        per = "image" if len(split.dense) == len(split.image_ids) else "caption"
        dense = f"{len(split.dense):,}, one for each {per}, in {file.name if file else 'no file'}"
    rows = (
        ("images", f"{len(split.image_ids):,}, the first in {split.image_files[0].parent}"),
        ("captions", f"{len(split.captions):,}, {split.captions_per_image} for each image"),
        ("dense captions", dense),
        ("words", word_counts(split)),
    )
    noted = tuple(("note", note) for note in (*split.notes, *notes))
    return Section(f"Split {split.name} of {split.folder}", (*rows, *noted))


def word_counts(split: Split) -> str:
    """Return the mean number of words per image and caption, and of shared stems within and between images."""
    k = split.captions_per_image
    counts = [len(words(caption)) for caption in split.captions]
    stems = [frozenset(map(stem, words(caption))) for caption in split.captions]
    inside = [(i, j) for i in range(len(stems)) for j in range(i + 1, i - i % k + k)]
    across = [(i, i + k) for i in range(len(stems) - k)]
    text = f"{sum(counts) / len(split.image_ids):.1f} an image and {sum(counts) / len(counts):.1f} a caption on average"
    for title, pairs in (("one image", inside), ("neighbouring images", across)):
        shares = [len(stems[i] & stems[j]) / max(1, len(stems[i] | stems[j])) for i, j in pairs]
        text += f"; captions of {title} share {fmean(shares):.0%} of their word stems" if shares else ""
    return text


def stem(word: str) -> str:
    """Return an English word without regular endings of number and tense: dog for dogs, run for running."""
    for ending, other in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM:
            word = word[: -len(ending)] + other
            break
    doubled = len(word) > MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return (word[:-1] if doubled else word).removesuffix("e")


def find_other_splits(split: Split, images: Path | None) -> list[Split]:
    """Return the other readable splits of the folder or caption file."""
    names = {file.name.removesuffix("_caps.txt") for file in split.folder.glob("*_caps.txt")}
    if split.folder.is_file():
        names = set(read_caption_file(split.folder, Problems("")).splits)
    splits = []
    for name in sorted(names - {split.name, split_name(split.name)}):
        with suppress(ValueError):
            splits.append(read_split(split.folder, name, split.captions_per_image, images))
    return splits


def card(split: Split, tokenizer: Tokenizer, number: int) -> Section:
    """Return an image, its captions with their words and tokens, and the words that they share."""
    texts = texts_of(split, number)
    file = split.image_files[number]
    width, height = open_image(file).size
    rows = [("file", str(file)), ("size", f"{width} x {height} pixels")]
    for title, text in texts.items():
        rows.append((title, f"{text} ({len(words(text))} words, {len(tokenizer.encode(text, UNCUT))} tokens)"))
    words_of = {title: dict.fromkeys(words(text)) for title, text in texts.items()}
    uses = Counter(word for these in words_of.values() for word in these)
    rows.append(("words in every text", listed([word for word, count in uses.items() if count == len(texts)])))
    for title, these in words_of.items():
        rows.append((f"only in {title}", listed([word for word in these if uses[word] == 1])))
    return Section(f"Image {number}, id {split.image_ids[number]}", tuple(rows), file)


def texts_of(split: Split, number: int) -> dict[str, str]:
    """Return all texts about image `number`, by name."""
    k = split.captions_per_image
    captions = slice(number * k, (number + 1) * k)
    texts = {f"caption {i}": text for i, text in enumerate(split.captions[captions], start=1)}
    if split.dense is not None:
        dense = list(dict.fromkeys((dense_captions(split, "own") or [])[captions]))
        texts |= {f"dense caption {i}" if len(dense) > 1 else "dense caption": text for i, text in enumerate(dense, 1)}
    return texts


def words(text: str) -> list[str]:
    """Return the words of a text in small letters, punctuation left out."""
    return WORD.findall(text.lower())


def listed(entries: Sequence[str]) -> str:
    """Words as a list with their number."""
    return f"{len(entries)}: {', '.join(entries)}" if entries else "none"


def token_counts(split: Split, tokenizer: Tokenizer, config: ModelConfig) -> Section:
    """Return how many tokens captions and dense captions have before they are cut, and how many are cut."""
    kinds = [("captions", split.captions, config.text.max_words)]
    kinds += [("dense captions", split.dense, config.text.max_dense_words)] if split.dense is not None else []
    rows = []
    for title, texts, limit in kinds:
        lengths = [len(tokenizer.encode(text, UNCUT)) for text in texts[:COUNTED]]
        longer = sum(length > limit for length in lengths)
        spread = f"shortest {min(lengths)}, median {median(lengths):g}, longest {max(lengths)}"
        rows.append((title, f"{spread}; {longer:,} of the first {len(lengths):,} are cut at {limit}"))
    return Section("Tokens, [CLS] and [SEP] among them", tuple(rows))


def batch(split: Split, tokenizer: Tokenizer, config: ModelConfig, sample: int) -> Section:
    """Return the shapes that `collate` makes of the first captions of a few images, and a decoded caption."""
    limits, dense = (config.text.max_words, config.text.max_dense_words), "none" if split.dense is None else "own"
    dataset = CaptionDataset(split, tokenizer, partial(preprocess, config=config.vision), *limits, dense=dense)
    images = range(sample, min(sample + BATCH, len(split.image_ids)))
    made = dataset.collate([dataset[number * split.captions_per_image] for number in images])
    rows = []
    for name, part in made._asdict().items():
        values = f": {part.tolist()}" if part is not None and part.ndim == 1 else ""
        kind = "none" if part is None else f"{tuple(part.shape)} {str(part.dtype).removeprefix('torch.')}"
        rows.append((name, kind + values))
    first = made.captions[0, : int(made.lengths[0])].tolist()
    rows.append(("first caption decoded", " ".join(tokenizer.labels(first))))
    return Section(f"Batch of {len(images)} captions of {len(images)} images", tuple(rows))


def as_text(sections: Sequence[Section]) -> str:
    """Sections as lines of text."""
    lines = []
    for section in sections:
        rows = (f"  {name:<{INDENT - 2}}{value}" for name, value in section.rows)
        lines += [section.title, *(fill(row, WIDTH, subsequent_indent=" " * INDENT) for row in rows), ""]
    return "\n".join(lines)


def as_html(sections: Sequence[Section]) -> str:
    """Sections as one page that needs no other file."""
    parts = []
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        if section.picture is not None:
            parts.append(embedded(open_image(section.picture), PICTURE))
        rows = (f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in section.rows)
        parts.append(f"<table>{''.join(rows)}</table>")
    return PAGE.format(title=escape(sections[0].title), body="\n".join(parts))


def embedded(picture: Image.Image, side: int) -> str:
    """Return an image of HTML that holds a picture, made small."""
    small, stream = picture.convert("RGB"), BytesIO()
    small.thumbnail((side, side))
    small.save(stream, "JPEG", quality=85)
    return f'<img alt="" src="data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode()}">'


def read_config(name: str) -> ModelConfig:
    """Read the config of a shipped model, a model folder or a config of the package; ValueError for any other name."""
    names = recipe_files("configs")
    if name in names:
        return load_config(name)
    folder = model_folder(name)
    if folder is None:
        raise ValueError(f"--model {name} is a hub repo: give a shipped model, a folder or one of {', '.join(names)}.")
    return ModelConfig.from_json(folder / CONFIG_NAME)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what a split holds, and write it as a page."""
    parser = Parser(prog="python -m seps.data.inspect", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", metavar="DATA", type=Path, help="folder with captions, or a caption file")
    parser.add_argument("--split", required=True, help="which split of it: train, dev, test, ...")
    parser.add_argument("--images", type=Path, metavar="FOLDER", help="folder of the image files; default: DATA/images")
    parser.add_argument("--model", default="photos", help="model or config that sets tokenizer and preprocessing")
    parser.add_argument("--sample", type=whole_number, default=0, metavar="N", help="index of the image that is shown")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write it as a page too")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        if options.html is not None:
            check_output(options.html)
        config = read_config(options.model)
        split = read_split(options.data, options.split, images=options.images)
        notes = overlap_notes(split, *find_other_splits(split, options.images))
        sections = inspect_split(split, config, options.sample, notes)
        print(as_text(sections))
        if options.html is not None:
            options.html.write_text(as_html(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
