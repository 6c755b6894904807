"""Figures in the README, the guide and the cards are those of the files of results: tables are made from them by
`python -m tests.helpers.cards`, and sentences say the same."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

from tests.helpers.cards.__main__ import main
from tests.helpers.cards.cells import table
from tests.helpers.cards.pages import MARKED, PAGES, ROOT, read_figures, remade
from tests.helpers.sentences import refused

DECIMAL = re.compile(r"\d\.\d")
TABLES = re.compile(r"(?:^<!-- (.+) -->\n)?((?:^\|.+\n)+)", re.MULTILINE)

MODELS = ("photos", "scenes", "judge", "generator", "captioner")
PHOTOS, SCENES, JUDGE, GENERATOR, CAPTIONER = (f"assets/models/{name}" for name in MODELS)
RESULTS = "assets/guide/results.md"
ESTIMATE = "{{{0}[mean]:.3f}} [{{{0}[low]:.3f}}, {{{0}[high]:.3f}}]".format
JUDGED = "{{shipped[{0}][value]:.3f}} [{{shipped[{0}][interval][0]:.3f}}, {{shipped[{0}][interval][1]:.3f}}]".format
SENTENCES = {  # in which page, the figures of which file, stand so
    (RESULTS, f"{PHOTOS}/results-dev.json"): (
        "({pooled[pooled][rsum]:.1f} on dev against {captions_only[rsum]:.1f})",
        "over the patches {contrast[caption_share][mean]:.1%} is the caption's",
    ),
    (RESULTS, f"{JUDGE}/results-dev.json"): (
        "{shipped[pictures]} pictures of {shipped[prompts]} prompts",
        "of {shipped[quality][srocc]:.3f} in quality and {shipped[consistency][srocc]:.3f} in consistency",
    ),
    (RESULTS, f"{GENERATOR}/results-test.json"): (
        "captions of the {scenes:,} drawn scenes of test",
        "{captions[true_statements][mean]:.1%} are true of the scene; "
        "in {captions[wholly_true][mean]:.1%} of the captions all are",
        "in {captions[r1][mean]:.1f}% of the cases, by the grammar's own captions in {captions[r1_grammar][mean]:.1f}%",
        "for {pictures[count]} captions of test are found among 100 by their caption in {pictures[r1][mean]:.1f}% of "
        "the cases (true scenes in {pictures[r1_true_scenes][mean]:.1f}%)",
        "{pictures[objects][mean]:.1%} of the captions' objects "
        "(true scenes {pictures[true_scenes][objects][mean]:.1%})",
        "{pictures[colours][mean]:.1%} of their colours ({pictures[true_scenes][colours][mean]:.1%})",
    ),
    (RESULTS, f"{CAPTIONER}/results-dev.json"): (
        "of the {photographs} photographs of Flickr8k dev have a BLEU-4 of {beam[bleu_4]:.1f} and a CIDEr of "
        "{beam[cider]:.3f}, and of {reranked[bleu_4]:.1f} and {reranked[cider]:.3f} where SEPS's score and agreement "
        "choose among {reranked[beams]} beams",
        "one person's against the others' {people[bleu_4]:.1f} and {people[cider]:.3f}",
    ),
    (f"{CAPTIONER}/README.md", f"{CAPTIONER}/results-dev.json"): (
        "{reranked[bleu_4]:.1f} and {reranked[cider]:.3f} where SEPS's score and agreement choose, {beam[bleu_4]:.1f} "
        "and {beam[cider]:.3f} by log probability among {beams} beams",
        "The first of the {reranked[beams]} captions of beam search",
        "S(I, T) by `photos`, times {reranked[weight]:g}",
        "agreement with the other 15, times {reranked[agreement]:g}. Agreement is",
        "(here {reranked[meteor]:.1f})",
    ),
    (f"{PHOTOS}/README.md", f"{PHOTOS}/results-dev.json"): (
        "{grounding[phrases]:,} on {grounding[images]} photographs",
        "Its energy inside is {grounding[methods][seps][energy_inside][mean]:.3f}, "
        "its pointing {grounding[methods][seps][pointing_game][mean]:.3f}",
        "points better ({grounding[methods][cosine][pointing_game][mean]:.3f}), "
        "with {grounding[methods][cosine][energy_inside][mean]:.3f} of its weight inside",
        "({contrast[maps][score][contrast][mean]:.3f} in place of",
        "costs against the background ({grounding[methods][seps][mentioned_to_background][mean]:.3f})",
    ),
    (f"{SCENES}/README.md", f"{SCENES}/results-test.json"): (
        "{grounding[phrases]:,} phrases of {grounding[images]:,} test scenes",
        "kept {grounding[methods][seps][mentioned_to_background][mean]:.2f} times as often as the background",
        "keeps {contrast[maps][score][own][mean]:.1%} of what a phrase names and "
        "{contrast[maps][score][other][mean]:.1%} of what the other one does",
        "would keep {contrast[maps][s_st][own][mean]:.1%} and {contrast[maps][s_st][other][mean]:.1%}",
    ),
    (f"{SCENES}/README.md", f"{SCENES}/results-dev.json"): (
        ESTIMATE("grounding[methods][seps][pointing_game]"),
        "contrast " + ESTIMATE("contrast[maps][score][contrast]"),
    ),
    (f"{JUDGE}/README.md", f"{JUDGE}/results-dev.json"): (
        "quality {shipped[corrections][quality][base_srocc]:.3f}, "
        "consistency {shipped[corrections][consistency][base_srocc]:.3f}",
        "quality {shipped[corrections][quality][mean]:.2f} of 0.2 on average",
        "consistency {shipped[corrections][consistency][mean]:.2f} of 0.3, at most",
        f"quality {JUDGED('within_prompt][quality')}, consistency {JUDGED('within_prompt][consistency')}",
        f"ranks consistency at {JUDGED('beyond_quality][srocc_of_predicted_quality')}",
        f"within a prompt at {JUDGED('beyond_quality][within_prompt_of_predicted_quality')}",
        f"is {JUDGED('beyond_quality][partial_given_predicted_quality')} given the predicted quality",
        f"and {JUDGED('beyond_quality][partial_given_rated_quality')} given the rated one",
    ),
    (f"{GENERATOR}/README.md", f"{GENERATOR}/results-test.json"): (
        "{pictures[steps]} steps, guidance {pictures[guidance]:g}",
        "finds {pictures[true_scenes][objects][mean]:.3f} of the objects "
        "and {pictures[true_scenes][colours][mean]:.3f} of the colours",
    ),
}


@pytest.mark.parametrize("page", PAGES)
def test_making_the_tables_anew_changes_nothing(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert MARKED.search(text)
    assert remade(page) == text, "run python -m tests.helpers.cards"


@pytest.mark.parametrize("page", PAGES)
def test_no_table_of_figures_is_typed_by_hand(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for marker, rows in TABLES.findall(text):
        assert marker.startswith("table: ") or marker == "cited" or not DECIMAL.search(rows), rows


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the pages, made anew after every number in every file of results had moved."""
    root = tmp_path_factory.mktemp("moved")
    for folder in ("models", "guide"):
        copytree(
            ROOT / "assets" / folder, root / "assets" / folder, ignore=ignore_patterns("*.safetensors", "encoders")
        )
    (root / "README.md").write_text((ROOT / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    for file in root.rglob("*.json"):
        file.write_text(json.dumps(shifted(read_figures(file))), encoding="utf-8")
    for file in root.rglob("*.csv"):
        rows = shifted(read_figures(file))
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    main(root)
    return root


def shifted(value: Any) -> Any:
    """The same with each number moved by so much that it is written otherwise."""
    if isinstance(value, dict):
        return {name: shifted(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shifted(part) for part in value]
    if isinstance(value, float):
        return value + 0.1111
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_moves_with_its_file(page: str, moved: Path) -> None:
    before, after = (MARKED.findall((root / page).read_text(encoding="utf-8")) for root in (ROOT, moved))
    for (marker, *_, old), (_, *_, new) in zip(before, after, strict=True):
        assert old != new, marker
        titles = cells(old.splitlines()[0])
        for row, moved_row in zip(old.splitlines()[2:], new.splitlines()[2:], strict=True):
            for title, cell, moved_cell in list(zip(titles, cells(row), cells(moved_row), strict=True))[1:]:
                assert title == "aim" or not DECIMAL.search(cell) or cell != moved_cell, f"{marker}{row}: {cell}"


def cells(row: str) -> list[str]:
    """The cells of a table's row."""
    return [cell.strip() for cell in row.strip("|").split("|")]


@pytest.mark.parametrize(("page", "file"), SENTENCES)
def test_sentences_tell_what_was_measured(page: str, file: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").replace("**", "").split())
    figures = read_figures(ROOT / file)
    for sentence in SENTENCES[page, file]:
        assert sentence.format(**figures) in text


def test_a_marker_of_no_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("<!-- table: recal results.json -->\n| a |\n")
    with refused(ValueError):
        remade("README.md", tmp_path)


def test_a_table_that_does_not_fit_its_titles_is_told() -> None:
    assert table(["", "a"], [["b", ""]]) == "| | a |\n|---|---|\n| b | |"
    with refused(ValueError):
        table(["", "a"], [["b"]])
