"""Rules that select the views' first examples; each choice includes its measurements."""

from itertools import combinations
from typing import Any

import numpy as np

from demo.examples.measure import MOST, Candidate, Measures, Shown, share_kept, union
from demo.galleries.sources.packaged import load_regions
from demo.record.contrast import word_map
from demo.service.masks import overlap_of
from demo.views.why.values import WhyState, first_two, sides_of
from seps.data.objects import energy_inside
from seps.explanation.caption_words import is_content

CHIPS, LONGEST = 5, 6  # captions that a search offers, and their words where there is a choice
APART = 0.2  # the largest overlap, as a fraction of the smaller region, of two different things
FIRST = 5  # captions of a ranking that are looked at
DIGITS = 4
Choice = dict[str, Any]


def choose_all(measures: Measures) -> dict[str, Any]:
    """Select the initial content of each view in a gallery, with "chips" for its search; views without a suitable
    example are left out. Without known regions, the search starts with the largest margin. ValueError if no caption
    fits."""
    items = measures.indexed.gallery.items
    if measures.candidates and not any(item.known is not None or item.key in load_regions() for item in items):
        return choose_by_margin(measures)
    best = choose_per_photograph(measures)
    if not best:
        name = measures.indexed.gallery.name
        raise ValueError(
            f"No caption of the gallery {name} finds its photograph with words that are known: write some."
        )
    choices = {
        "search": search_choice(measures, best[0]),
        "chips": [shown.candidate.caption for shown in best[:CHIPS]],
        "captions": captions_choice(measures),
        "compare": compare_choice(measures),
        "why": why_choice(measures),
        "edit": edit_choice(measures, best),
    }
    return {view: choice for view, choice in choices.items() if choice}


def choose_by_margin(measures: Measures) -> dict[str, Any]:
    """Return the captions of different photographs that find them with the largest margins."""
    best: dict[int, Candidate] = {}
    for candidate in measures.candidates:
        best.setdefault(candidate.index, candidate)
    clear = list(best.values())[:CHIPS]
    search = choice(measures, clear[0].index, [clear[0].caption], margin=clear[0].margin)
    return {"search": search, "chips": [candidate.caption for candidate in clear]}


def choose_per_photograph(measures: Measures) -> list[Shown]:
    """Return the best caption of each photograph with mask and word maps inside its regions: clear ones (see `Shown`),
    then short ones of photographs, then captions of the whole picture."""
    items = measures.indexed.gallery.items

    def order(shown: Shown) -> tuple[bool, bool, bool, float]:
        caption, item = shown.candidate.caption, items[shown.candidate.index]
        is_long = item.known is None and len(caption.split()) > LONGEST
        return not shown.is_clear, is_long, caption in item.phrases, -shown.inside

    best: dict[int, Shown] = {}
    for shown in sorted(measures.shown, key=order):
        if min(shown.words, shown.mask) > 0:
            best.setdefault(shown.candidate.index, shown)
    return list(best.values())


def search_choice(measures: Measures, shown: Shown) -> Choice:
    """Return a photograph that its caption finds with a large margin and with maps inside the named regions."""
    candidate = shown.candidate
    return choice(
        measures, candidate.index, [candidate.caption], margin=candidate.margin, words=shown.words, mask=shown.mask
    )


def edit_choice(measures: Measures, best: list[Shown]) -> Choice | None:
    """Return the first of the search's scenes with objects of different kinds, to make a change recognisable."""
    for shown in best:
        known = measures.indexed.gallery.items[shown.candidate.index].known
        if known is not None and len({thing.kind for thing in known.scene.objects}) > 1:
            return search_choice(measures, shown)
    return None


def captions_choice(measures: Measures) -> Choice | None:
    """Return a photograph with its captions ranked first in the gallery, with the best maps for its best caption."""
    results = []
    for index, item in enumerate(measures.indexed.gallery.items):
        ranked = measures.rank_captions(index)
        right = float(np.mean([is_right for _, is_right in ranked[: min(FIRST, len(item.captions))]]))
        first, is_right = ranked[0]
        if not is_right or not measures.is_plain(first):
            continue
        shown = measures.show(Candidate(first, index, 0.0))
        if shown is not None and min(shown.words, shown.mask) > 0:
            results.append((right, shown.inside, shown))
    if not results:
        return None
    right, _, best = max(results, key=lambda row: row[:2])
    candidate = best.candidate
    return choice(measures, candidate.index, [candidate.caption], right=right, words=best.words, mask=best.mask)


def compare_choice(measures: Measures) -> Choice | None:
    """Return two phrases of one photograph for different things, with the highest contrast of their masks: the mean
    kept share of the mask's own region, minus the other region's."""
    results = []
    for index in list(dict.fromkeys(candidate.index for candidate in measures.candidates))[:MOST]:
        known = {  # the regions of the photograph's phrases, (N,) each, without phrases that have a note
            text: union(measures.regions(text, index))
            for text in measures.indexed.gallery.items[index].phrases
            if measures.is_plain(text) and measures.show(Candidate(text, index, 0.0)) is not None
        }
        masks = list(measures.service.decide(measures.indexed, index, list(known))) if known else []
        pairs = combinations(zip(known.items(), masks, strict=True), 2)
        for ((text, mask), kept), ((other, apart), beside) in pairs:
            if np.minimum(mask, apart).sum() <= APART * min(mask.sum(), apart.sum()):
                gains = (
                    share_kept(kept, mask) - share_kept(kept, apart),
                    share_kept(beside, apart) - share_kept(beside, mask),
                )
                results.append((float(np.mean(gains)), index, [text, other], overlap_of(kept, beside)))
    if not results:
        return None
    contrast, index, captions, overlap = max(results, key=lambda row: row[0])
    return choice(measures, index, captions, contrast=contrast, overlap=overlap)


def why_choice(measures: Measures) -> Choice | None:
    """Return a caption and its two best photographs, distinguished by a content word with a large share of the
    difference and of its map's weight inside the named region."""
    results: list[tuple[float, Candidate, int, Choice]] = []
    service, indexed = measures.service, measures.indexed
    for shown in measures.shown:
        candidate = shown.candidate
        ranking = service.rank_images(indexed, candidate.caption)
        left, right = first_two(ranking)
        state = WhyState(indexed.gallery.name, left, candidate.caption, against=right)
        contrast = sides_of(service, indexed, state, ranking)
        word = contrast.words[0]  # with the largest part for the left photograph; none has a larger part for the right
        decides = is_content(word.name) and word.difference >= -contrast.words[-1].difference
        if not decides or contrast.difference <= 0:
            continue
        named = dict(measures.regions(candidate.caption, left))
        elsewhere = {pieces for pieces, _ in measures.regions(candidate.caption, right)}
        region = named.get(word.pieces[0])
        weights = word_map(contrast.left, word.pieces[0])
        if region is None or word.pieces[0] in elsewhere or not weights.any():
            continue
        part, inside = word.difference / contrast.difference, energy_inside(weights, region)
        measured: Choice = {"word": word.name, "share": part, "inside": inside}
        results.append((min(part, 1.0) + inside, candidate, right, measured))
    if not results:
        return None
    _, candidate, against, measured = max(results, key=lambda row: row[0])
    more = {"against": indexed.gallery.items[against].key}
    return choice(measures, candidate.index, [candidate.caption], **measured) | more


def choice(measures: Measures, index: int, captions: list[str], **measured: float | str) -> Choice:
    """Return a choice in its stored form."""
    rounded = {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in measured.items()}
    return {"photo": measures.indexed.gallery.items[index].key, "captions": captions, "measures": rounded}
