"""Degenerate selectors: the guide's table is measured again, and its statements hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch

from seps import CrossSparseAggrNet
from seps.method.losses import align_loss, ratio_loss
from seps.method.selection import count_kept
from seps.models.config import load_config
from seps.training.cheats import DECIDED, main, measured, table
from seps.training.settings import TrainSettings
from tests.helpers.authors import AUTHORS, ids_of, needs_authors_files

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "assets" / "guide" / "losses.md").read_text(encoding="utf-8")


def test_the_guide_tells_what_is_measured() -> None:
    rows = measured()
    stated = PAGE.partition("<!-- cheats -->\n")[2].partition("\n\n")[0]
    for line, row in zip(stated.splitlines()[2:], table(rows).splitlines()[2:], strict=True):
        mine, theirs = ([cell.strip() for cell in text.strip("|").split("|")] for text in (line, row))
        assert mine[0] == theirs[0]
        assert [float(cell) for cell in mine[1:]] == pytest.approx(
            [float(cell) for cell in theirs[1:]], rel=0.03, abs=0.06
        )
    of = {row.name: row for row in rows}
    everything, single, same = (of[name] for name in of if name != DECIDED)
    assert everything.align < of[DECIDED].align and everything.ratio == pytest.approx(0.25)
    assert single.ratio > 0.2 and single.recall > 50 and single.align > of[DECIDED].align
    assert same.ratio == of[DECIDED].ratio == 0 and same.align > of[DECIDED].align


def test_the_program_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scenes", "4"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split("|")[1].strip() == DECIDED


def test_keys_of_recipes_that_the_guide_names_are_keys_and_do_what_it_says() -> None:
    (keys,) = re.findall(r"InfoNCE: `([^`]+)` in a recipe", PAGE)
    settings = TrainSettings.from_dict(json.loads(f"{{{keys}}}"))
    assert settings.align_weight == 0 < settings.pooled_weight  # by pooled embeddings, without S(I, T)
    files = set(re.findall(r"`(seps/[\w/]+\.py)`", PAGE))
    assert len(files) >= 4 and all((ROOT / name).is_file() for name in files)


def test_losses_at_the_start_are_those_of_equal_scores() -> None:
    alike = torch.zeros(32, 32)
    stated = re.findall(r"(\d+\.\d) and (\d+\.\d) for a batch of 32", PAGE)
    assert stated == [(f"{float(align_loss(alike, max_violation=True)):.1f}", f"{float(align_loss(alike)):.1f}")]


def test_l_ratio_has_a_highest_value() -> None:
    kept = [torch.full((4, 4, 196), value) for value in (0.0, 0.5, 1.0)]
    assert max(float(ratio_loss((sparse, dense))) for sparse in kept for dense in kept) == 0.5
    assert max(float(ratio_loss((sparse,))) for sparse in kept) == 0.25
    assert "at most 0.25 a branch, 0.50 in all" in PAGE


@pytest.mark.parametrize(("paper", "ratio"), [(True, 0.0), (False, 0.25)])
def test_l_ratio_where_the_k_best_are_kept_is_as_stated(paper: bool, ratio: float) -> None:
    network = CrossSparseAggrNet(8, 16, use_paper_version=paper).train()
    words, lengths = torch.randn(3, 5, 8), [5, 5, 5]
    with torch.no_grad():
        _, masks = network(torch.randn(3, 16, 8), words, lengths, words, lengths)
    assert float(ratio_loss(masks)) == ratio
    assert "0 where the k best are kept; of the released code's one mask, both branches added, 0.25 there" in PAGE


def test_kept_counts_are_those_of_the_configs() -> None:
    names = {
        "ViT-224": "vit_base_patch16_224",
        "ViT-384": "vit_base_patch16_384",
        "Swin-224": "swin_base_patch4_window7_224",
        "Swin-384": "swin_base_patch4_window12_384",
    }
    stated = re.findall(r"(\d+) of (\d+) for (\S+-\d+)", PAGE)
    assert {name for *_, name in stated} == set(names)
    for kept, patches, name in stated:
        assert count_kept(int(patches), load_config(names[name]).network["sparse_ratio"]) == int(kept)


@needs_authors_files
def test_1014_images_are_those_of_dev() -> None:
    assert AUTHORS.is_dir()
    assert (len(ids_of("f30k", "dev")), len(ids_of("f30k", "test"))) == (1014, 1000)
