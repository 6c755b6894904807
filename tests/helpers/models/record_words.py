"""All that the page says of a record, in Python: what its own script, assets/js/record/sentences.js, is held to."""

from typing import Any

from demo.record.layers import layer_table
from demo.record.layers.layers import (
    Layer,
    branches_of,
    describe,
    describe_kept,
    has_row,
    mask_key,
    numbers_of,
    term_titles,
    word_line,
)
from demo.record.texts.table import TABLE, say
from seps import BranchExplanation, Explanation


def record_words(record: Explanation) -> dict[str, Any]:
    """Everything that is said of a record, JSON ready.

    Returns:
        `layers`: for each layer of the record, by its text form, the `label` of its scale, its `range` [low, high],
        what it shows as `says`, and its `key`: for masks each look and its meaning, else what crosses mean, or nothing;
        `diverging` if zero is in the middle.
        `kept`: how many patches each branch kept. `patch`: the line for a patch and its token, a template;
        `branches`: a template for each branch, `fates` what [dropped, kept] are called in it.
        `words`: a line for each word of the caption. `apart`: for each word where it fits best, in words, where that is
        not where the word map has most weight; else nothing. `terms`: each term's title by its name.
    """
    branches = branches_of(record)
    alone = len(branches) == 1
    fates = [say(f"mask.{name}") for name in ("dropped", "kept")]
    return {
        "layers": {str(layer): layer_words(record, layer) for layer in layers_of(record)},
        "kept": {branch.name: describe_kept(branch) for branch in branches},
        "patch": TABLE["patch"]["token"],
        "branches": [branch_line(branch, alone) for branch in branches],
        "fates": [fate.capitalize() for fate in fates] if alone else fates,
        "words": [word_line(record, number) for number in range(len(record.sparse_alignment.words))],
        "apart": [apart_line(record, number) for number in range(len(record.sparse_alignment.words))],
        "terms": term_titles(record),
    }


def layers_of(record: Explanation) -> list[Layer]:
    """Every layer that a record has."""
    layers: list[Layer] = []
    for row, branch in [(each, branch) for each in layer_table.LAYERS for branch in each.branches]:
        if has_row(record, row, branch):
            numbers = numbers_of(record, row, branch) if row.number else [None]
            layers += [Layer(row.name, number, branch) for number in numbers]
    return layers


def layer_words(record: Explanation, layer: Layer) -> dict[str, Any]:
    """The sentences on one layer, see `record_words`."""
    shown = layer.values(record)
    key: Any = None
    if layer.row.is_mask:
        key = mask_key(layer)
    elif shown.values.ndim == 1 and not shown.kept.all():
        key = say("mask.cross")
    words = {"label": shown.label, "range": [shown.low, shown.high], "says": describe(record, layer), "key": key}
    return words | ({"diverging": True} if shown.diverging else {})


def branch_line(branch: BranchExplanation, alone: bool) -> str:
    """The template of a patch's line: its fate, its score and rank, and the parts of the score."""
    parts = ", ".join(
        TABLE["patch"]["part"].replace("{name}", name).replace("{value", f"{{{name}") for name in branch.parts
    )
    line = TABLE["patch"]["branch" if alone else "of_branch"]
    known = {"{branch}": branch.name.capitalize(), "{total}": str(branch.kept.size), "{parts}": parts}
    for place, text in known.items():
        line = line.replace(place, text)
    return line


def apart_line(record: Explanation, number: int) -> str | None:
    """The patch that the score used for a word and the patch that the word itself fits best, if they differ.

    They are the same if the heaviest patch of the word map and the patch of the highest cosine are equal or neighbours,
    by a side or a corner.
    """
    alignment = record.sparse_alignment
    used, fits = alignment.word_maps[number], alignment.patch_cosines[number]
    places = [divmod(int(values.argmax()), record.grid[1]) for values in (used, fits)]
    (row, column), (other_row, other_column) = places
    if not used.any() or max(abs(row - other_row), abs(column - other_column)) <= 1:
        return None
    numbers = {"row": row + 1, "column": column + 1, "other_row": other_row + 1, "other_column": other_column + 1}
    return say("word.apart", word=alignment.words[number], cosine=fits.max(), **numbers)
