"""Phrases of captions with the boxes of the named objects (Flickr30k Entities, Plummer et al., ICCV 2015)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seps.common.checks import shown
from seps.data.layout import COUNTS, read_ids, read_names
from seps.data.problems import DataError, Problems, parse_objects, read_lines

TOLERANCE = 1e-3  # how far beyond the image a rounded box may lie

RECORDS = "Records of other images"
PHRASES = "Sentences and phrases that do not fit"

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class PhraseBoxes:
    """A phrase from word `first_word` (split at spaces), its kinds, and boxes (x0, y0, x1, y1) in image fractions."""

    phrase: str
    first_word: int
    kind: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class SentencePhrases:
    """A sentence and its phrases that have boxes; there may be none."""

    sentence: str
    phrases: tuple[PhraseBoxes, ...]


def read_entities(folder: str | Path, split: str) -> list[list[SentencePhrases]]:
    """Read and check the phrases of a split: V lists of sentences, in the order of the images. Errors: DataError."""
    folder = Path(folder)
    if folder.is_file():
        needed = f"give a folder with {split}_entities.jsonl"
        raise DataError(f"{folder} contains captions but no phrases with boxes: {needed}.")
    problems = Problems(f"Entities of split {split} of {folder}")
    order = list(dict.fromkeys(read_ids(folder, split, problems)))
    names = read_names(folder, order, problems)
    path = folder / f"{split}_entities.jsonl"
    records = read_lines(path, problems)
    if records is not None and order and len(records) != len(order):
        problems.add(COUNTS, f"{path.name} has {len(records)} records, but {split}_ids.txt has {len(order)} images")
    images = []
    for number, record in parse_objects(records or (), RECORDS, problems):
        name = names.get(order[number - 1]) if number <= len(order) else None
        if name is not None and record.get("image") != name:
            problems.add(RECORDS, f"line {number}: image is {shown(record.get('image'))}, but {name} comes here")
        images.append(_parse_sentences(record, f"line {number}", problems))
    problems.raise_any()
    return images


def _parse_sentences(record: dict[str, Any], where: str, problems: Problems) -> list[SentencePhrases]:
    sentences = record.get("sentences")
    if not isinstance(sentences, list):
        problems.add(RECORDS, f"{where}: its sentences are {shown(sentences)}, but a list is needed")
        return []
    parsed = []
    for entry in sentences:
        try:
            parsed.append(_parse_sentence(entry))
        except ValueError as error:
            problems.add(PHRASES, f"{where}: {error}")
    return parsed


def _parse_sentence(entry: Any) -> SentencePhrases:
    match entry:
        case {"sentence": str(text), "phrases": list(phrases)} if text.strip():
            return SentencePhrases(text, tuple(_parse_phrase(phrase, text.split()) for phrase in phrases))
    raise ValueError(f"{shown(entry)}, but a sentence and its list of phrases are needed")


def _parse_phrase(phrase: Any, words: list[str]) -> PhraseBoxes:
    """One phrase of a sentence of these words; ValueError where it does not fit."""
    if not isinstance(phrase, dict) or not isinstance(text := phrase.get("phrase"), str):
        raise ValueError(f"{shown(phrase)}, but a phrase with first_word, type and boxes is needed")
    first, kind, boxes, parts = phrase.get("first_word"), phrase.get("type"), phrase.get("boxes"), text.split()
    if not isinstance(first, int) or first < 0 or not parts or words[first : first + len(parts)] != parts:
        raise ValueError(f"phrase {text!r} does not stand at first_word {shown(first)} of {' '.join(words)!r}")
    if not isinstance(kind, str):
        raise ValueError(f"phrase {text!r} has type {shown(kind)}, but a word is needed")
    if not isinstance(boxes, list) or not boxes:
        raise ValueError(f"phrase {text!r} has boxes {shown(boxes)}, but at least 1 is needed")
    return PhraseBoxes(text, first, kind, tuple(_parse_box(box, text) for box in boxes))


def _parse_box(box: Any, phrase: str) -> Box:
    subject = f"phrase {phrase!r} has box {shown(box)}"
    if not isinstance(box, list) or len(box) != 4 or not all(isinstance(edge, int | float) for edge in box):
        raise ValueError(f"{subject}, but 4 numbers [x0, y0, x1, y1] are needed")
    if not all(-TOLERANCE <= edge <= 1 + TOLERANCE for edge in box):
        raise ValueError(f"{subject}, which leaves the image: fractions in [0, 1] are needed")
    x0, y0, x1, y1 = (min(max(float(edge), 0.0), 1.0) for edge in box)
    if not (x0 < x1 and y0 < y1):
        raise ValueError(f"{subject}, but x0 < x1 and y0 < y1 are needed")
    return x0, y0, x1, y1
