import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from seps.evaluation.grounding.maps import METHODS
from seps.evaluation.grounding.report import POINTING, TEXTS, Grounding
from seps.grounding import main
from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from seps.scenes import write_split as write_scenes
from tests.helpers.data.drawn_data import write_split
from tests.helpers.models.tiny import tiny_settings, write_tiny_bert

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "a", "the", "red", "blue", "dog", "cat", "and", "two")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model with random weights that reads captions of up to 30 tokens."""
    settings = tiny_settings(write_tiny_bert(tmp_path_factory.mktemp("bert"), WORDS))
    settings["text"]["max_words"] = 30
    torch.manual_seed(1)
    path = tmp_path_factory.mktemp("models") / "tiny"
    SEPSModel(ModelConfig.from_dict(settings)).save_pretrained(path)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three drawn photographs with a phrase each."""
    (tmp_path / "data").mkdir()
    folder = write_split(tmp_path / "data")
    phrase = {"phrase": "dogs", "first_word": 1, "type": "animals", "boxes": [[0.1, 0.2, 0.6, 0.9]]}
    records = [
        {"image": f"{i}.png", "sentences": [{"sentence": "a dogs running", "phrases": [phrase]}]} for i in (10, 11, 12)
    ]
    (folder / "dev_entities.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenes")
    write_scenes(folder, "test", 2, 0)
    return folder


def run(model: Path, data: Path, split: str, file: Path, *more: str) -> dict[str, Any]:
    main(["--model", str(model), "--data", str(data), "--split", split, "--json", str(file), *more])
    result: dict[str, Any] = json.loads(file.read_text())["grounding"]
    return result


def test_photographs(model: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"captions_only": {"rsum": 300.0}}')
    result = run(model, data, "dev", file, "--first", "2", "--curves", "0")
    assert json.loads(file.read_text())["captions_only"] == {"rsum": 300.0}
    assert (result["split"], result["regions"], result["images"], result["phrases"]) == ("dev", "boxes", 2, 2)
    assert list(result["methods"]) == ["seps", "effect", "blanked", "cosine", "gradient", "centre", "random"]
    assert result["methods"]["random"]["energy_inside"]["mean"] == pytest.approx(0.35)
    assert result["curves"] is None
    for pointing in result["methods"].values():
        assert pointing["kept_unmentioned"] is pointing["deletion"] is pointing["insertion"] is None
    printed = capsys.readouterr().out
    text = " ".join(printed.split())
    assert "on dev: 2 phrases of 2 captions of 2 images name an object with known boxes" in text
    assert "Deletion and insertion were not measured." in text
    assert "[0.350, 0.350]" in printed
    assert "The contrast of captions was not measured: split dev has 0 pairs" in text  # one phrase a photograph
    assert "contrast" not in json.loads(file.read_text())


def test_scenes(model: Path, scenes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(model, scenes, "test", tmp_path / "results.json", "--curves", "2", "--only", "grounding")
    assert list(json.loads((tmp_path / "results.json").read_text())) == ["grounding"]
    assert (result["regions"], result["images"], result["captions"]) == ("masks", 2, 10)
    assert set(result["methods"]) == set(METHODS)
    for method, pointing in result["methods"].items():
        assert tuple(pointing) == POINTING
        for name, figure in pointing.items():
            if figure is None:  # where random weights score all patches no better than none
                assert name in ("deletion", "insertion")
            else:
                assert figure["low"] <= figure["mean"] <= figure["high"], (method, name)
        for name in ("energy_inside", "pointing_game", "kept_mentioned", "kept_unmentioned", "kept_background"):
            assert pointing[name]["low"] >= 0 and pointing[name]["high"] <= 1
    random = result["methods"]["random"]
    assert random["kept_mentioned"]["mean"] == pytest.approx(0.5)
    assert random["mentioned_to_background"] == pytest.approx({"mean": 1, "low": 1, "high": 1})
    curves = result["curves"]
    assert curves["captions"] == 2 and len(curves["shares"]) == 21
    assert (curves["shares"][0], curves["shares"][-1]) == (0, 1)
    for method in METHODS:
        down, up = curves["deletion"][method], curves["insertion"][method]
        assert down[0] == pytest.approx(up[-1]) and down[-1] == pytest.approx(up[0])  # all patches, and none
        assert down[0] == pytest.approx(curves["deletion"]["seps"][0])
    printed = capsys.readouterr().out
    assert all(title in printed for title in TEXTS["grounding"]["columns"].values())
    assert all(f"\n{method} " in printed for method in METHODS)


def test_what_cannot_be_measured_ends_with_one_line(model: Path, data: Path, refusal: Callable[..., str]) -> None:
    arguments = ("--model", str(model), "--data", str(data), "--split", "dev")
    for more, message in (
        (("--curves", "-1"), "--curves is -1, but 0 or more captions are needed"),
        (("--only", "contrast"), "split dev has 0 pairs of phrases that name things apart, but 1 is needed"),
    ):
        assert refusal(main, (*arguments, *more)) == f"error: {message}.\n"
    (data / "dev_scenes.jsonl").write_text("{}\n")
    assert "dev_scenes.jsonl has 1 scenes, but dev_entities.jsonl has 3" in refusal(main, arguments)
    (data / "dev_entities.jsonl").unlink()
    missing = f"error: Entities of split dev of {data}: 1 problem. Missing (1): dev_entities.jsonl\n"
    assert refusal(main, arguments) == missing


def test_contrast_alone(model: Path, scenes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"grounding": {"phrases": 3}}')
    arguments = ["--model", str(model), "--data", str(scenes), "--split", "test", "--json", str(file)]
    main([*arguments, "--only", "contrast"])
    results = json.loads(file.read_text())
    assert results["grounding"] == {"phrases": 3}  # not measured again
    result = results["contrast"]
    assert (result["split"], result["regions"], result["kept"]) == ("test", "masks", 50)
    assert 0 < result["images"] <= 2 and result["pairs"] >= result["images"]
    for estimates in result["maps"].values():
        assert estimates["contrast"]["mean"] == pytest.approx(estimates["own"]["mean"] - estimates["other"]["mean"])
    assert "things with disjoint masks" in " ".join(capsys.readouterr().out.split())


def test_the_summary_says_why_phrases_have_no_map() -> None:
    whole = " ".join(Grounding("mine", "dev", "masks", 1, 2, 1200, 0, 0, 0, {}, {}, None).sentences())
    assert "mine on dev: 1,200 phrases of 2 captions of 1 image name an object with known masks" in whole
    assert "Every phrase has a map." in whole
    part = " ".join(Grounding("mine", "dev", "masks", 1, 2, 1200, 3, 1, 2, {}, {}, None).sentences())
    assert "Every phrase" not in part
    assert "1 phrase of these has no map: every word met a token best that has no place on the image, [CLS]" in part
    assert "3 phrases of these have no map, since the model reads only the first words of a long caption" in part
    assert "2 more phrases could not be found among the word pieces" in part
