import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from seps import ScoringEngine, load_model
from seps.data import read_split
from seps.evaluation.clips import SEED, measure_clips
from seps.evaluation.retrieval import evaluate
from seps.media.videos import read_frames
from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from seps.scenes import draw, write_split
from seps.scenes.clips import make_clip
from seps.training.settings import read_recipe
from tests.helpers.cards import recalls

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "models" / "scenes"
CLIP = FOLDER.parents[1] / "galleries" / "moving.webm"
SCENES = 100  # of the test split, the first


@pytest.fixture(scope="module")
def model() -> SEPSModel:
    return load_model("scenes")


def test_is_the_paper_variant_trained_from_scratch(model: SEPSModel) -> None:
    assert model.cross_net.use_paper_version and model.cross_net.use_dual_aggr
    assert model.grid == (14, 14)
    assert model.img_enc.has_cls
    for number in ("", "-2", "-3", "-4", "-5", "-6", "-7"):
        config, training = read_recipe(FOLDER / f"recipe{number}.json")
        assert config == ModelConfig.from_json(FOLDER / "config.json")
        assert config.vision.weights == config.text.weights == "none"
        assert training.dense == ("none" if number == "-7" else "own")


@pytest.mark.slow
def test_recall_on_the_first_test_scenes_is_the_measured_one(model: SEPSModel, tmp_path: Path) -> None:
    write_split(tmp_path, "test", SCENES, seed=0)
    metrics = evaluate(model, read_split(tmp_path, "test")).metrics
    written = json.loads((FOLDER / "results-test-100.json").read_text())["first"]
    assert written["images"] == SCENES
    assert recalls(asdict(metrics)) == recalls(written)
    assert f"{metrics.rsum:.1f}" == f"{written['rsum']:.1f}"


def test_what_is_said_of_scenes_that_move_was_measured() -> None:
    card = " ".join((FOLDER / "README.md").read_text().replace("**", "").split())
    figures = json.loads((FOLDER / "results-clips.json").read_text())["clips"]
    for sentence in (
        f"{figures['clips']} clips of held-back scenes, {figures['frames'] // figures['clips']} frames each",
        f"in {figures['peak']:.1%} of the clips (a random frame: {figures['random_peak']:.1%})",
        f"In the {figures['seen_frames']} frames",
        f"heaviest on it in {figures['tracked']:.1%} (a random patch: {figures['random_tracked']:.1%})",
        f"keeps {figures['kept']:.1%} of all patches, keeps {figures['own_kept']:.1%} of the object's",
    ):
        assert sentence in card


def test_the_clip_that_ships_is_the_one_that_is_drawn_and_its_moment_is_right(model: SEPSModel) -> None:
    clip = make_clip(0, 1)
    video = read_frames(CLIP)
    assert len(video.frames) == len(clip.scenes)
    frames = video.frames[::3]
    for frame, scene in zip(frames, clip.scenes[::3], strict=True):
        assert np.abs(np.asarray(frame.image).astype(int) - draw(scene).pixels).mean() < 4
    card = " ".join((FOLDER / "README.md").read_text().split())
    first, last = map(float, re.findall(r"a white balloon from (\S+) s to (\S+) s", card)[0])  # as the command prints
    engine = ScoringEngine(model.cross_net)
    images = engine.encode_images(model.encode_photos([frame.image for frame in frames]))
    scores = engine.score(images, engine.encode_captions(*model.encode_captions([clip.caption])))
    assert first <= frames[int(scores.argmax())].seconds <= last


@pytest.mark.slow
def test_moving_scenes_are_followed_as_measured(model: SEPSModel) -> None:
    figures = measure_clips(model, [make_clip(SEED, index) for index in range(4)])
    assert figures.peak == 1.0
    assert figures.tracked > 0.8 > 10 * figures.random_tracked
