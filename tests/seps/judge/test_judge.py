import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from seps.judge.judge import Judge, Score, load_judge
from tests.helpers.models.judged import clip_settings, tiny_judge


@pytest.fixture(scope="module")
def judge(clip: Path) -> Judge:
    return tiny_judge(clip)


PICTURE = Image.effect_noise((60, 40), 50).convert("RGB")


def test_scores_come_in_parts(judge: Judge) -> None:
    verdict = judge.score(PICTURE, "a red dog")
    for score in (verdict.quality, verdict.consistency):
        assert score.final == pytest.approx(min(1.0, max(0.0, score.base + score.correction)), abs=1e-6)
        assert score.scale == 0.2 and abs(score.correction) <= 0.2
    assert verdict.quality.base == pytest.approx(float(torch.sigmoid(torch.tensor(verdict.logit))))
    assert verdict.attributions is None and verdict.grid is None
    assert judge.features([PICTURE])[0].quality == verdict.quality
    both = judge.scores([PICTURE, PICTURE], ["a red dog", "a blue dog"])
    assert close(both[0][1], verdict.consistency) and not close(both[1][1], verdict.consistency)
    assert close(both[1][0], verdict.quality)


def close(first: Score, second: Score) -> bool:
    return all(abs(a - b) < 1e-5 for a, b in zip(vars(first).values(), vars(second).values(), strict=True))


def test_a_saved_judge_comes_back(clip: Path, tmp_path: Path) -> None:
    judge = tiny_judge(clip, scale_c=0.3)
    judge.save(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"judge.json", "model.safetensors"}
    assert not any(key.startswith("encoders.") for key in load_file(tmp_path / "model.safetensors"))
    again = load_judge(tmp_path)
    assert again.score(PICTURE, "a dog") == judge.score(PICTURE, "a dog")
    assert not again.training


def test_what_was_trained_of_the_encoders_is_saved_too(clip: Path, tmp_path: Path) -> None:
    partly = {"kind": "clip", "name": str(clip), "freeze": "layers", "freeze_layers": {"vision": 2, "text": 1}}
    judge = tiny_judge(clip, encoder=partly)
    with torch.no_grad():
        for parameter in judge.encoders.parameters():
            if parameter.requires_grad:
                parameter.mul_(1.1)
    judge.save(tmp_path)
    keys = [key for key in load_file(tmp_path / "model.safetensors") if key.startswith("encoders.")]
    assert keys and not any("vision_model.encoder.layers.0." in key for key in keys)
    assert load_judge(tmp_path).score(PICTURE, "a dog") == judge.score(PICTURE, "a dog")


def test_files_that_do_not_fit_are_told(clip: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'nobody' is no folder with judge\.json, no hub repo"):
        load_judge("nobody")
    tiny_judge(clip).save(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    save_file(tensors | {"network.quality.base.bias": torch.full((1,), float("nan"))}, tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors has network\.quality\.base\.bias with 1 NaN"):
        load_judge(tmp_path)
    save_file({"other": torch.zeros(1)}, tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors lacks network\.consistency\.a \(18 keys in all\)"):
        load_judge(tmp_path)
    (tmp_path / "judge.json").write_text(json.dumps(clip_settings(clip) | {"hue": 1}))
    with pytest.raises(ValueError, match=r"judge\.json: the config has the unknown key 'hue'"):
        load_judge(tmp_path)


def test_what_cannot_be_judged_is_told(judge: Judge) -> None:
    wrong: list[tuple[Callable[..., object], list[Any], str]] = [
        (judge.score, [PICTURE, " "], "The prompt is empty: write what the picture was made from"),
        (judge.score, [PICTURE, 3], "prompt is a int, but a str is needed"),
        (judge.scores, [[PICTURE, PICTURE], ["a"]], "There are 2 pictures but 1 prompts"),
        (judge.encode, [[]], "images must be a list of at least 1 picture"),
        (judge.features, [["photo.jpg"]], r"pictures\[0\]: The photo is a str"),
    ]
    for call, arguments, message in wrong:
        with pytest.raises(ValueError, match=message):
            call(*arguments)
