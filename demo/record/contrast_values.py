"""What is said and sent of two explanations side by side: sentences, rows, and the record of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from demo.record.contrast import Contrast, Part, Side, maps_of, marks, most
from demo.record.packing import pack_array
from demo.record.texts.language import phrase
from demo.record.texts.table import listed, say
from demo.service.measuring.measured import whereabouts

CHANGED, LEAST = 4, 5e-5  # number of changed words described; smallest reported difference


def contrast_sentences(contrast: Contrast) -> list[str]:
    """Return which of the two comes first, what makes the difference, and the words that speak most for either."""
    leads = contrast.difference >= 0
    first, second = contrast.names if leads else contrast.names[::-1]
    high, low = sorted((contrast.left.similarity, contrast.right.similarity), reverse=True)
    sign = 1 if leads else -1
    if all(abs(part.difference) < LEAST for part in (*contrast.words, *contrast.rest)):
        return [say("why.level", first=first, second=second, score=high)]
    named = {"first": first, "second": second, "caption": contrast.left.caption, "title": contrast.left.title}
    key = "why.captions" if contrast.of_captions else "why.photos"
    head = say(key, **named, high=high, low=low, difference=high - low)
    sums = {part.name: sign * part.difference for part in contrast.rest}
    words = sign * sum(part.difference for part in contrast.words)
    parts = say("why.parts_dense" if "dense" in sums else "why.parts", words=words, **sums)
    dense = [say("why.with_dense")] if contrast.has_dense else []
    return [head, parts, *dense, describe_deciding_words(contrast, first, second, sign)]


def describe_deciding_words(contrast: Contrast, first: str, second: str, sign: int) -> str:
    """Return the words that speak most for the one that comes first, and for the other."""
    ordered = contrast.words if sign > 0 else contrast.words[::-1]
    if not ordered:
        return say("why.no_words")
    best, worst = ordered[0], ordered[-1]
    pro, contra = sign * best.difference, sign * worst.difference
    if pro <= 0:
        return say("why.none_for", name=first) + " " + say("why.most_for", word=worst.name, name=second, amount=-contra)
    sentence = say("why.most_for", word=best.name, name=first, amount=pro)
    if contra >= 0:
        return f"{sentence} {say('why.none_for', name=second)}"
    return f"{sentence} {say('why.most_for', word=worst.name, name=second, amount=-contra)}"


def get_part_title(part: Part) -> str:
    """Return a part's name: the word, or the name of the rest."""
    return part.name if part.number >= 0 else say(f"why.{part.name}")


def word_sentence(contrast: Contrast, part: Part) -> str:
    """Return a word's shares of both similarities, and which of the two it supports."""
    names = contrast.names
    if part.left is None or part.right is None:
        place, attribution = (0, part.left or 0.0) if part.right is None else (1, part.right or 0.0)
        return say("why.word_alone", word=part.name, share=attribution, name=names[place])
    speaks = names[0 if part.difference >= 0 else 1]
    values = {"left": part.left, "right": part.right, "left_name": names[0], "right_name": names[1]}
    return say("why.word", word=part.name, **values, amount=abs(part.difference), name=speaks)


def alternative(contrast: Contrast, part: Part | None, place: int) -> str:
    """Describe a picture in words; `place` is 0 for the left one."""
    side = (contrast.left, contrast.right)[place]
    if part is None:
        words = [mark["word"] for mark in marks(contrast, place)]
        marked = say("why.marked", words=listed(words)) if words else say("why.unmarked")
        return say("why.picture", title=side.title, shown=marked)
    values = maps_of(contrast, part)[place]
    if not values.any():
        return say("why.picture", title=side.title, shown=say("why.no_map", word=part.name))
    where = phrase(whereabouts(side.record.on_grid(values)) or say("why.evenly"))
    return say("why.picture", title=side.title, shown=say("why.map", word=part.name, place=where))


def contrast_value(contrast: Contrast) -> dict[str, Any]:
    """Return both similarities in parts as the page draws them; JSON ready."""
    by_number = sorted(contrast.words, key=lambda part: part.number)
    sizes = [abs(value) for part in contrast.words for value in (part.left, part.right) if value is not None]
    return {
        "says": contrast_sentences(contrast),
        "rows": [row_value(contrast, part) for part in contrast.words],
        "rest": [rest_value(part) for part in contrast.rest],
        "sum": [contrast.left.similarity, contrast.right.similarity, contrast.difference],
        "scale": max(sizes, default=0.0),
        "sides": [
            {
                "title": side.title,
                "caption": side.caption if contrast.of_captions else "",
                "grid": list(side.record.grid),
                "kept": side.record.sparse.kept.astype(int).tolist(),
                "maps": pack_array(np.stack([maps_of(contrast, part)[place] for part in by_number]))
                if by_number
                else None,
                "marks": marks(contrast, place),
                "shows": alternative(contrast, None, place),
                "reads": score_line(side),
            }
            for place, side in enumerate((contrast.left, contrast.right))
        ],
    }


def score_line(side: Side) -> str:
    """Return a side's score, and its photograph's place where that was ranked."""
    if not side.rank:
        return say("why.score", score=side.similarity)
    return say("why.ranked", score=side.similarity, rank=side.rank, total=side.total)


def row_value(contrast: Contrast, part: Part) -> dict[str, Any]:
    """Return a word as the page draws it."""
    return {
        "number": part.number,
        "word": part.name,
        **part_numbers(part),
        "says": word_sentence(contrast, part),
        "most": most(contrast, part),
        "shows": [alternative(contrast, part, place) for place in (0, 1)],
    }


def rest_value(part: Part) -> dict[str, Any]:
    """Return the rest that no word covers, as the page draws it."""
    return {
        "name": part.name,
        "title": get_part_title(part),
        **part_numbers(part),
        "says": say(f"why.{part.name}_means"),
    }


def changed_shares(contrast: Contrast) -> list[dict[str, Any]]:
    """Return the words with the largest change of share, at least 0.00005, from left to right; JSON ready."""
    ranked = sorted(contrast.words, key=lambda part: -abs(part.difference))
    return [
        {
            "word": part.name,
            "before": part.left,
            "after": part.right,
            "change": -part.difference,
            "says": say("edit.share", word=part.name, before=part.left, after=part.right),
        }
        for part in ranked[:CHANGED]
        if abs(part.difference) >= LEAST
    ]


def contrast_record(contrast: Contrast, model: str) -> dict[str, Any]:
    """Return both similarities in parts, as programs take them: words and rest add up to each; JSON ready."""
    sides = {
        name: {"photo": side.title, "caption": side.caption, "similarity": side.similarity}
        for name, side in (("left", contrast.left), ("right", contrast.right))
    }
    return {
        "model": model,
        "says": contrast_sentences(contrast),
        **sides,
        "difference": contrast.difference,
        "words": [{"word": part.name, **part_numbers(part)} for part in contrast.words],
        "rest": {part.name: part_numbers(part) for part in contrast.rest},
    }


def part_numbers(part: Part) -> dict[str, Any]:
    """Return a part's shares and their difference."""
    return {"left": part.left, "right": part.right, "difference": part.difference}
