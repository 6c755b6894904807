import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from seps.generator import ImageTextGenerator
from seps.generator.evaluation import evaluate
from seps.generator.model.captioner import Decoding
from seps.generator.model.network import to_values
from seps.generator.program import main


@pytest.fixture(scope="module")
def generator(checkpoint: Path) -> ImageTextGenerator:
    return ImageTextGenerator(checkpoint, "cpu")


def same(first: Image.Image, second: Image.Image) -> bool:
    return np.array_equal(np.asarray(first), np.asarray(second))


def picture(seed: int = 0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (50, 40, 3), dtype=np.uint8))


def test_the_same_seed_draws_the_same_image(generator: ImageTextGenerator, tmp_path: Path) -> None:
    first = generator.text_to_image("a red car", 2, seed=5, save_path=tmp_path / "car.png")
    assert first.size == (32, 32)
    assert same(first, Image.open(tmp_path / "car.png"))
    assert same(first, generator.text_to_image("a red car", 2, seed=5))
    assert not same(first, generator.text_to_image("a red car", 2, seed=6))
    assert not same(first, generator.text_to_image("two small dogs at night", 2, seed=5))


def test_a_batch_draws_what_each_draws_alone(generator: ImageTextGenerator, tmp_path: Path) -> None:
    texts = ["a red car", "two small dogs in the park"]
    drawn = generator.batch_text_to_image(texts, tmp_path / "drawn", num_inference_steps=2, seed=8)
    for number, (text, picture) in enumerate(zip(texts, drawn, strict=True)):
        alone = generator.text_to_image(text, 2, seed=8 + number)
        assert np.abs(np.asarray(picture, dtype=int) - np.asarray(alone, dtype=int)).max() <= 1
        assert same(picture, Image.open(tmp_path / "drawn" / f"{number:04d}.png"))


def test_of_candidates_the_one_that_fits_best_is_kept(generator: ImageTextGenerator) -> None:
    text, network = "a red car", generator.network
    drawn = [generator.text_to_image(text, 2, seed=seed) for seed in (5, 6, 7)]
    with torch.no_grad():
        seen = network.images(to_values(drawn, 32)).embedding  # (3, C)
        cosines = seen @ network.encode_texts([text]).embedding[0]
    best = int(cosines.argmax())
    assert generator.choose_best(text, drawn) == best
    kept = generator.text_to_image(text, 2, seed=5, candidates=3)
    assert np.abs(np.asarray(kept, dtype=int) - np.asarray(drawn[best], dtype=int)).max() <= 1


def test_captions_come_with_each_words_attention(generator: ImageTextGenerator, tmp_path: Path) -> None:
    picture().save(tmp_path / "one.png")
    text = generator.image_to_text(tmp_path / "one.png")
    assert text == generator.image_to_text(picture())
    assert generator.batch_image_to_text([picture(), picture(1)])[0] == text
    written = generator.write([picture()], Decoding(beams=3))[0]
    assert len({caption.text for caption in written}) == len(written) <= 3  # beams that end alike are one caption
    best = written[0]
    assert best.attention.shape == (len(best.words), 4, 4)
    assert float(best.attention.min()) >= 0
    assert float(best.attention.sum(dim=(1, 2)).max()) <= 1 + 1e-5


def test_what_cannot_be_used_is_told(generator: ImageTextGenerator, tmp_path: Path) -> None:
    (tmp_path / "no.png").write_text("no image")
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (generator.text_to_image, "  ", {}, "The caption is empty"),
        (generator.text_to_image, "a car", {"save_path": tmp_path / "car.txt"}, "car.txt does not end as an image"),
        (generator.text_to_image, "a car", {"candidates": 65}, "candidates is 65, but it must be at most 64"),
        (generator.image_to_text, tmp_path / "no.png", {}, "no.png cannot be read as an image"),
        (generator.batch_text_to_image, [], {}, "texts must be a list of at least 1 caption"),
        (generator.batch_image_to_text, [], {}, "paths must be a list of at least 1 image"),
    ]
    for call, argument, options, message in cases:
        with pytest.raises(ValueError, match=re.escape(message)):
            call(argument, **options)


def test_commands_draw_and_write(checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "car.png"
    options = ["--model", str(checkpoint), "--text", "a dog playing", "--steps", "2", "--seed", "3"]
    assert main(["--mode", "t2i", *options, "--output", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out == f"The drawing is in {target} (seed 3).\n" and "playing: lying, flying, leaping." in err
    assert main(["--mode", "i2t", "--checkpoint", str(checkpoint), "--image", str(target)]) == 0
    written = capsys.readouterr().out
    assert main(["--mode", "both", *options]) == 0
    assert capsys.readouterr().out == written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --mode t2i, i2t, both"),
        (["--mode", "t2i", "--output", "x.png"], "needs a caption: give --text"),
        (["--mode", "t2i", "--text", "a car"], "give --output"),
        (["--mode", "i2t"], "needs an image: give --image"),
        (["--mode", "i2t", "--image", "x.png", "--text", "a car"], "--mode i2t reads no --text: leave it out"),
        (["--mode", "t2i", "--text", "a car", "--output", "no/x.png"], "folder no does not exist"),
        (["--mode", "t2i", "--text", "a car", "--output", "x.png", "--model", "none"], "no generator that ships"),
        (["train", "none", "--data", "d", "--out", "o"], "neither a JSON file nor one of coco, photos, scenes"),
    ],
)
def test_commands_tell_what_is_wrong(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refusal(main, arguments)
    assert error.startswith("error: ") and message in error


def test_all_is_measured(checkpoint: Path, drawn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "result.json"
    arguments = ["evaluate", "--model", str(checkpoint), "--data", str(drawn), "--json", str(target)]
    assert main([*arguments, "--pictures", "2", "--steps", "1", "--train", str(drawn)]) == 0
    result = json.loads(target.read_text())
    assert set(result["captions"]) >= {"true_statements", "wholly_true", "objects", "distinct", "r1", "r1_grammar"}
    assert set(result["pictures"]) >= {"r1", "objects", "colours", "r1_true_scenes", "shuffled", "nearest_training"}
    for name in ("true_statements", "r1"):
        low, high = result["captions"][name]["interval"]
        assert low <= result["captions"][name]["mean"] <= high
    assert result["pictures"]["nearest_training_true_scenes"]["mean"] > 0
    assert "statements that are true" in capsys.readouterr().out


def test_one_only_writes(
    writer: Path, checkpoint: Path, drawn: Path, monkeypatch: pytest.MonkeyPatch, generator: ImageTextGenerator
) -> None:
    assert sorted(file.name for file in writer.iterdir()) == ["captioner.safetensors", "generator.json"]
    writes, whole = ImageTextGenerator(writer, "cpu"), ImageTextGenerator(checkpoint, "cpu")
    seen = picture()
    assert writes.image_to_text(seen) == generator.image_to_text(seen)
    with pytest.raises(ValueError, match="This generator writes captions and draws nothing"):
        writes.text_to_image("a dog", progress=pytest.fail)  # checked before anything begins
    with pytest.raises(ValueError, match="This generator draws nothing"):
        evaluate.measure_ceiling(writes, drawn)
    monkeypatch.setattr(evaluate, "measure_captions", lambda *_: {})  # measured above
    assert evaluate.evaluate(writes, drawn) == {"split": "test", "scenes": 3, "captions": {}}
    whole.network.load(writer)  # autoencoder and UNet stay
    assert whole.text_to_image("a dog", 2, 1).size == (32, 32)
