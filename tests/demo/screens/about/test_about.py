"""The about page tells every model's measured numbers, and leaves out what was not measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from demo.views.about.view import measured
from demo.views.tables import grounding_table, interval
from demo.service import results
from demo.service.results import our_contrast, our_grounding
from seps.models.hub import shipped_models

RECALLS = {"r1": 71.25, "r5": 90.0, "r10": 96.0}


def shipped(folder: Path, **results: object) -> dict[str, Path]:
    """A model folder with these results."""
    for name, values in results.items():
        (folder / f"results-{name}.json").write_text(json.dumps(values))
    return {"scenes": folder}


def test_the_shipped_models_numbers_are_there() -> None:
    page = measured()
    for model, folder in shipped_models().items():
        for file in folder.glob("results-*.json"):
            results = json.loads(file.read_text(encoding="utf-8"))
            if "captions_only" in results:
                assert f">{model}</th>" in page
                assert f"<td>{results['captions_only']['text_to_image']['r1']:.1f}</td>" in page
            for measure in results.get("grounding", {"methods": {"seps": {}}})["methods"]["seps"].values():
                if measure is not None:
                    written = interval((measure["mean"], measure["low"], measure["high"]))
                    assert f"<td>{written}</td>" in page  # each measure has a column
            contrast = results.get("contrast", {"maps": {}, "caption_share": None})
            for measure in (
                contrast["caption_share"],
                *(m for by_map in contrast["maps"].values() for m in by_map.values()),
            ):
                assert measure is None or f"<td>{interval(tuple(measure.values()))}</td>" in page


def test_both_tables_tolerate_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {"split": "test", "images": 1000, "captions": 5000, "rsum": 500.0}
    models = shipped(
        tmp_path,
        unseen={"captions_only": whole | {"image_to_text": RECALLS, "text_to_image": RECALLS}},
        half={
            "captions_only": {"split": "dev"},
            "own_dense": {},
            "other_dense": whole | {"image_to_text": RECALLS, "text_to_image": {"r1": 1.0}},
            "grounding": None,
        },
        grounding={
            "grounding": {
                "split": "test",
                "methods": {
                    "seps": {"energy_inside": {"mean": 0.71, "low": 0.7, "high": 0.72}, "deletion": None},
                    "random": {"energy_inside": {"mean": 0.1}, "pointing_game": 0.2},
                },
            }
        },
        contrast={
            "contrast": {
                "split": "test",
                "caption_share": {"mean": 0.05, "low": 0.04, "high": 0.06},
                "maps": {
                    "score": {"own": {"mean": 0.9}, "contrast": {"mean": 0.2, "low": 0.1, "high": 0.3}, "auc": None},
                    "s_st": {"own": {"mean": 0.95}},
                },
            }
        },
        other={"curves": [1, 2]},
    )
    monkeypatch.setattr(results, "shipped_models", lambda: models)
    page = measured()
    assert page.count('<th scope="row">scenes</th>') == 5
    assert "<td>71.2</td>" in page
    table = grounding_table(our_grounding())
    assert '<th scope="col">energy inside</th>' in table
    assert "pointing game" not in table
    assert "<td>0.710 (0.700 to 0.720)</td>" in table
    assert "<td>0.100</td>" in table
    followed = grounding_table(our_contrast())
    assert followed in page and ">AUC</th>" not in followed
    assert followed.count("0.050 (0.040 to 0.060)") == 1  # of the score alone
    assert "<td>0.200 (0.100 to 0.300)</td>" in followed and "<td>0.950</td>" in followed


def test_an_interval_is_told_where_it_is_known() -> None:
    assert interval(None) == ""
    assert interval((0.5, None, None)) == "0.500"
    assert interval((0.5, 0.4, 0.6)) == "0.500 (0.400 to 0.600)"


def test_an_interval_that_rounds_to_zero_has_no_minus() -> None:
    assert interval((-0.0001, -0.2, -0.0004)) == "0.000 (-0.200 to 0.000)"
    assert interval((-0.0001, None, None)) == "0.000"
