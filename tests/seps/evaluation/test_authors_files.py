"""The shipped model is measured on the authors' own text files, unchanged, with stand-ins for the photographs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seps.evaluation.harness import main
from tests.helpers.authors import AUTHORS, flickr30k_names, needs_authors_files, stand_ins

pytestmark = needs_authors_files


@pytest.mark.parametrize("images", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_photos_on_flickr30k_test(images: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = stand_ins(tmp_path / "images" / "flickr30k-images", flickr30k_names("test"))
    arguments = ["--model", "photos", "--data", str(AUTHORS / "f30k"), "--images", str(folder.parent)]
    more = ["--first", str(images), "--dense", *(["none"] if images < 100 else []), "authors"]
    main([*arguments, "--split", "test", "--json", str(tmp_path / "r.json"), *more])
    results = json.loads((tmp_path / "r.json").read_text())
    assert list(results) == ["captions_only", "authors_protocol"][images == 100 :]
    for result in results.values():
        assert (result["split"], result["images"], result["captions"]) == ("test", images, 5 * images)
    assert results["authors_protocol"]["dense_source"] == "written"
    assert "photos on test: the authors' protocol" in capsys.readouterr().out
