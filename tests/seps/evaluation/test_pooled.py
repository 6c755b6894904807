import json
from pathlib import Path

import pytest
import torch

from seps.data import read_split
from seps.evaluation.harness import main
from seps.evaluation.pooled import added, measure_pooled
from seps.evaluation.scenes import pooled_similarity
from seps.models.hub import load_model
from seps.search.metrics import retrieval_metrics
from tests.helpers.data.drawn_data import write_split


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_split(tmp_path_factory.mktemp("data"), images=2)


def test_the_program_measures_what_the_library_does(
    data: Path, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--model", str(saved), "--data", str(data), "--split", "dev"]
    main([*arguments, "--save-similarity", str(tmp_path / "s.npy"), "--json", str(tmp_path / "r.json")])
    model, split = load_model(saved), read_split(data, "dev")
    expected = measure_pooled(model, split)
    assert expected["pooled"] == retrieval_metrics(pooled_similarity(model, split), 5)
    for options in ([], ["--similarity", str(tmp_path / "s.npy")]):
        main(["--measure", "pooled", *arguments, "--json", str(tmp_path / "r.json"), *options])
        results = json.loads((tmp_path / "r.json").read_text())
        assert results["pooled"]["seps"]["rsum"] == results["captions_only"]["rsum"]
        assert all(results["pooled"][name]["rsum"] == expected[name].rsum for name in ("pooled", "added"))
    assert "both added, each over its standard deviation" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"The similarity has shape \(2, 9\), but \(2, 10\)"):
        measure_pooled(model, split, torch.zeros(2, 9))


def test_added_weighs_both_alike() -> None:
    torch.manual_seed(0)
    first, second = torch.randn(3, 6), torch.randn(3, 6)
    torch.testing.assert_close(added(100 * first, second), added(first, second))
    torch.testing.assert_close(added(first, 1e-3 * second + 5).argsort(), added(first, second).argsort())
