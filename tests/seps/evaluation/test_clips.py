import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from seps.evaluation.clips import ClipFigures, patches_of
from seps.evaluation.harness import main
from seps.models.hub import load_model
from seps.scenes.clips import make_clip
from tests.helpers.models.tiny import tiny_model


def test_patches_are_those_that_a_mask_covers() -> None:
    mask = np.zeros((8, 8), dtype=bool)
    mask[0:4, 0:4] = True
    mask[4, 4:6] = True  # an eighth of a patch
    assert patches_of(mask, (2, 2)).tolist() == [True, False, False, False]
    mask[0:4, 0:4] = False
    assert patches_of(mask, (2, 2)).tolist() == [False, False, False, True]


def test_figures_are_those_of_the_network_s_own_scores_and_masks(
    bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cache(make_clip)  # its pictures are drawn once
    monkeypatch.setattr("seps.evaluation.clips.make_clip", made)
    model, clip = tiny_model(bert, image_size=128), made(0, 0)
    model.save_pretrained(tmp_path / "model")
    main(f"--measure clips --model {tmp_path}/model --json {tmp_path}/r.json --device cpu --count 1".split())
    figures = ClipFigures(**json.loads((tmp_path / "r.json").read_text())["clips"])
    assert f"{figures.peak:.1%}" in capsys.readouterr().out
    model = load_model(tmp_path / "model")
    images = model.encode_photos([Image.fromarray(picture.pixels) for picture in clip.pictures])
    with torch.no_grad():
        scores = model.cross_net(images, *model.encode_captions([clip.caption]))[:, 0]
    seen = clip.seen
    assert (figures.clips, figures.frames, figures.seen_frames) == (1, len(seen), seen.sum())
    assert figures.peak == float(seen[int(scores.argmax())])
    assert figures.random_peak == pytest.approx(seen.mean())
    assert figures.kept == pytest.approx(0.5)
    fractions = [patches_of(clip.pictures[i].mask(clip.number), model.grid).mean() for i in np.flatnonzero(seen)]
    assert figures.random_tracked == pytest.approx(np.mean(fractions))
    assert 0 <= figures.tracked <= 1
