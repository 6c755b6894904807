"""Measure the cosine below which a word has no match in the image.

    python -m seps.evaluate --measure unmatched_words --model photos --data DIR --split dev --checked FACTS --json FILE

For each content word (see `seps.explanation.caption_words`), the best cosine with any token of the image is used.
FILE is `found-words.json` next to the model's weights, which the app reads. Its threshold is the largest one below
which at least 95 of 100 words are missing in the image that ranks first for their caption, in the split and for
FACTS, which were checked by hand (`seps.evaluation.best_words`); null if there is none, and the app then marks no
word. Upper limit is the cosine below which 95 of 100 words of other images' captions are: each caption of the split
is paired with the image half a split further on, and words that occur in that image's own captions, in singular or
plural, do not count.

With --nouns only nouns count and are marked, and the file lists them: the words that are nouns at least as often as
not. The file also has the shares of words below the upper limit, for right and for other captions, by class: content
words, nouns (last words of phrases with boxes), other words of phrases, content words outside of phrases, function
words, [CLS] and [SEP].
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from seps.checks import check_whole
from seps.cli import finite_number
from seps.data import SentencePhrases, Split, open_image, read_entities
from seps.encoders.tokenizer import word_tokens
from seps.evaluation.best_words import (
    PRECISION,
    BestWords,
    CheckedWords,
    best_cosines,
    best_words,
    check_cases,
    precise_threshold,
    read_checked,
    split_cases,
)
from seps.evaluation.cli import Result, add_model_and_split, prepare
from seps.evaluation.retrieval import encode_files
from seps.explanation.caption_words import caption_words, is_content
from seps.models.model import SEPSModel
from seps.models.unmatched_words import UnmatchedRule
from seps.numbers import written
from seps.progress import Progress, batches

QUANTILE = 0.95
DIGITS = 4  # of the threshold, rounded down
CONTENT, FUNCTION, SPECIAL = "content words", "function words", "[CLS] and [SEP]"
NOUNS, MODIFIERS, OUTSIDE = "nouns", "other words of phrases", "content words outside of phrases"
CLASSES = (CONTENT, NOUNS, MODIFIERS, OUTSIDE, FUNCTION, SPECIAL)
Kinds = dict[int, str]  # by position of a token: NOUNS or MODIFIERS
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WordClass:
    """Statistics of the words of one class.

    Attributes:
        words, others: numbers of words of right captions and of other images' captions.
        below, others_below: their shares below `others_threshold`, in [0, 1].
        median, others_median: of the best cosines.
        own_threshold: the quantile of the others' words of this class.
    """

    words: int
    others: int
    below: float
    others_below: float
    median: float
    others_median: float
    own_threshold: float


@dataclass(frozen=True)
class UnmatchedWords:
    """Results of the measurement.

    Attributes:
        marks: the class of `CLASSES` that is marked.
        quantile: of the others' words of this class; others_threshold: that cosine, the upper limit of the threshold,
            to which `classes` refer.
        precision: required share of missing words among the marked ones.
        threshold: the cosine below which a word is marked; None if none is precise enough.
        best, checked: precision of the threshold on the split's best images and on facts checked by hand (None
            without); best_at_most, checked_at_most: of `others_threshold`.
        words: the nouns if only they are marked, else None.
        classes: by the names of `CLASSES`; empty classes are left out.
    """

    model: str
    split: str
    images: int
    captions: int
    marks: str
    quantile: float
    others_threshold: float
    precision: float
    threshold: float | None
    best: BestWords
    checked: BestWords | None
    best_at_most: BestWords
    checked_at_most: BestWords | None
    words: tuple[str, ...] | None
    classes: Mapping[str, WordClass]

    def table(self) -> str:
        """Return the report to print."""
        lines = [
            f"{self.model or 'model'} on {self.split}: {self.images:,} images, {self.captions:,} captions",
            *self.head(),
            f"{100 * self.quantile:.0f} of 100 {self.marks} of other images' captions stay below "
            f"{self.others_threshold:.4f}",
            f"{'':34}{'words':>9}{'below':>9}{'median':>9}{'others':>9}{'below':>9}{'median':>9}{'own thr.':>9}",
        ]
        for name, measure in self.classes.items():
            values = (measure.median, measure.others_median, measure.own_threshold)
            median, others_median, threshold = (written(value, "9.3f") for value in values)
            right = f"{measure.words:9,}{100 * measure.below:8.1f}%{median}"
            others = f"{measure.others:9,}{100 * measure.others_below:8.1f}%{others_median}"
            lines.append(f"  {name:32}{right}{others}{threshold}")
        return "\n".join(lines)

    def head(self) -> list[str]:
        """Return the threshold and how right it is, in lines."""
        lines = [f"no threshold is right in {100 * self.precision:.0f} of 100 cases: nothing is said of words"]
        if self.threshold is not None:
            lines = [f"threshold {self.threshold:.4f}: right in {100 * self.precision:.0f} of 100 cases"]
        at_most = f", at {self.others_threshold:.4f}"
        for name, measure in (
            ("best images", self.best),
            ("checked by hand", self.checked),
            (f"best images{at_most}", self.best_at_most),
            (f"checked by hand{at_most}", self.checked_at_most),
        ):
            if measure is not None:
                right = "" if measure.right is None else f", right in {100 * measure.right:.1f}%"
                of_words = f"{measure.below:,} of {measure.words:,} {self.marks}{right}"
                lines.append(
                    f"  {name}: said of {of_words}; {100 * measure.recall:.1f}% of the {measure.missing:,} missing ones"
                )
        return lines


def measure_unmatched_words(
    model: SEPSModel,
    split: Split,
    entities: Sequence[Sequence[SentencePhrases]] | None = None,
    quantile: float = QUANTILE,
    progress: Progress = False,
    name: str = "",
    nouns: bool = False,
    checked: CheckedWords | None = None,
    precision: float = PRECISION,
) -> UnmatchedWords:
    """Measure the threshold of a model on a split, captions only, in evaluation mode.

    Args:
        split: at least 2 images.
        entities: V lists of sentences with phrases, to identify nouns; None without any.
        quantile: of the others' marked words, in (0, 1); nouns: mark only nouns, not all content words.
        checked: facts checked by hand; precision: required of marked words, in (0, 1].

    Raises:
        ValueError: fewer than 2 images, a quantile out of range, a wrong number of entities, or no word to mark in
            another image's caption.
    """
    images, k = len(split.image_files), split.captions_per_image
    check_whole("images", images, least=2)
    if not 0 < quantile < 1:
        raise ValueError(f"quantile is {quantile}, but it must lie between 0 and 1.")
    if not 0 < precision <= 1:
        raise ValueError(f"precision is {precision}, but it must lie above 0 and be at most 1.")
    if entities is not None and len(entities) != images:
        raise ValueError(f"entities has {len(entities)} images, but split {split.name} has {images}.")
    embeddings = encode_files(model, split.image_files, progress)  # (V, N[+1], C)
    kinds = [{} if entities is None else sentence_kinds(model, phrases) for phrases in entities or [()] * images]
    spoken = [own_words(model, split.captions[i * k : (i + 1) * k]) for i in range(images)]
    right: dict[str, list[float]] = defaultdict(list)
    others: dict[str, list[float]] = defaultdict(list)
    for part in batches(images, 1, progress, "Matching captions"):
        image = part.start
        other = (image + images // 2) % images
        captions = split.captions[image * k : (image + 1) * k]
        for caption, best in zip(captions, best_cosines(model, embeddings[[image, other]], captions), strict=True):
            known = kinds[image].get(caption)
            for place, (collected, left_out) in enumerate(((right, frozenset()), (others, spoken[other]))):
                for kind, cosine in classify_words(model.words(caption), best[place], known, left_out):
                    collected[kind].append(cosine)
    marks = NOUNS if nouns else CONTENT
    if not others[marks]:
        raise ValueError(f"split {split.name} has no {marks} that belong only to another image.")
    words = usual_nouns(model, split.captions, kinds, k) if nouns else None
    rule = UnmatchedRule(1.0, None if words is None else frozenset(words))
    sets = [
        split_cases(
            model,
            embeddings,
            split.captions,
            lambda word, image: strip_plural(word) in spoken[image],
            rule.applies_to,
            progress,
        )
    ]
    if checked is not None:
        photos = torch.cat([model.encode_photos([open_image(file)]) for file in checked.images.values()])
        sets.append(check_cases(model, photos, checked, rule.applies_to))
    others_threshold = float(np.quantile(others[marks], quantile))
    threshold = precise_threshold(sets, others_threshold, precision)
    threshold = None if threshold is None else float(np.floor(threshold * 10**DIGITS) / 10**DIGITS)
    classes = {
        kind: word_class(np.array(right[kind]), np.array(others[kind]), others_threshold, quantile)
        for kind in CLASSES
        if right[kind] and others[kind]
    }
    return UnmatchedWords(
        model=name,
        split=split.name,
        images=images,
        captions=len(split.captions),
        marks=marks,
        quantile=quantile,
        others_threshold=round(others_threshold, DIGITS),
        precision=precision,
        threshold=threshold,
        best=best_words(sets[0], threshold),
        checked=best_words(sets[1], threshold) if checked is not None else None,
        best_at_most=best_words(sets[0], others_threshold),
        checked_at_most=best_words(sets[1], others_threshold) if checked is not None else None,
        words=words,
        classes=classes,
    )


def classify_words(
    labels: Sequence[str], best: Floats, kinds: Kinds | None, left_out: frozenset[str]
) -> Iterator[tuple[str, float]]:
    """Yield each word's classes with its best cosine, over its pieces.

    Args:
        labels: (L,), of the caption's tokens; best: (L,).
        kinds: of tokens in phrases; None where nothing is known of the caption's phrases.
        left_out: words that do not count.
    """
    for place in (0, len(labels) - 1):
        yield SPECIAL, float(best[place])
    for word in caption_words(labels):
        cosine = float(best[list(word.pieces)].max())
        if not is_content(word.text):
            if word.text.isalpha():
                yield FUNCTION, cosine
        elif strip_plural(word.text) not in left_out:
            yield CONTENT, cosine
            if kinds is not None:
                yield next((kinds[piece] for piece in word.pieces if piece in kinds), OUTSIDE), cosine


def sentence_kinds(model: SEPSModel, sentences: Sequence[SentencePhrases]) -> dict[str, Kinds]:
    """For each sentence which of its tokens are nouns, the last words of phrases, and which stand before them.

    Sentences that cannot be aligned with their tokens are left out.
    """
    kinds_of = {}
    for sentence in sentences:
        positions = word_tokens(model.tokenizer, sentence.sentence)
        if positions is None:
            continue
        kinds: Kinds = {}
        for phrase in sentence.phrases:
            last = phrase.first_word + len(phrase.phrase.split()) - 1
            for word in range(phrase.first_word, last + 1):
                kinds |= dict.fromkeys(positions[word], NOUNS if word == last else MODIFIERS)
        kinds_of[sentence.sentence] = kinds
    return kinds_of


def usual_nouns(
    model: SEPSModel, captions: Sequence[str], kinds: Sequence[Mapping[str, Kinds]], captions_per_image: int
) -> tuple[str, ...]:
    """Return the content words that are nouns at least as often as not, sorted; `kinds`: the kinds of each image."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for number, caption in enumerate(captions):
        known = kinds[number // captions_per_image].get(caption)
        if known is None:
            continue
        for word in caption_words(model.words(caption)):
            counts[word.text][any(known.get(piece) == NOUNS for piece in word.pieces)] += 1
    return tuple(sorted(word for word, (other, noun) in counts.items() if noun >= other and is_content(word)))


def own_words(model: SEPSModel, captions: Sequence[str]) -> frozenset[str]:
    """Return the words that an image's own captions have, as `strip_plural` writes them."""
    return frozenset(strip_plural(word.text) for caption in captions for word in caption_words(model.words(caption)))


def strip_plural(word: str) -> str:
    """Return a word without the end of a plural: "dog" for "dogs"."""
    return word.rstrip("s")


def word_class(right: Floats, others: Floats, threshold: float, quantile: float) -> WordClass:
    """Return one class's figures, of its best cosines."""
    return WordClass(
        words=len(right),
        others=len(others),
        below=round(float((right < threshold).mean()), 4),
        others_below=round(float((others < threshold).mean()), 4),
        median=round(float(np.median(right)), 4),
        others_median=round(float(np.median(others)), 4),
        own_threshold=round(float(np.quantile(others, quantile)), 4),
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `unmatched_words`."""
    add_model_and_split(parser)
    parser.add_argument("--quantile", type=finite_number, default=QUANTILE, help=f"of the others' words ({QUANTILE})")
    parser.add_argument("--checked", type=Path, help="facts checked by hand, for which the precision must hold too")
    parser.add_argument("--precision", type=finite_number, default=PRECISION, help=f"of marked words ({PRECISION})")
    parser.add_argument("--nouns", action="store_true", help="mark only nouns; the split needs entities")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure the threshold of a model."""
    checked = None if options.checked is None else read_checked(options.checked)
    model, split = prepare(options)
    entities = None
    if (options.data / f"{options.split}_entities.jsonl").is_file():
        entities = read_entities(options.data, options.split)[: len(split.image_files)]
    result = measure_unmatched_words(
        model, split, entities, options.quantile, True, options.model, options.nouns, checked, options.precision
    )
    yield Result(result.table(), asdict(result), None)
