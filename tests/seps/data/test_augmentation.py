import random
from collections import Counter

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms import RandomResizedCrop  # type: ignore[import-untyped]

from seps.data.dataset import augment_image, augment_words, item_random, random_box

MASK, ORDINARY = 4, range(1000, 2000)


def test_shares_of_words_masked_replaced_and_deleted() -> None:
    words = [[10, 11]] * 40  # two pieces a word, so that a word's pieces can be seen to go together
    fates: Counter[str] = Counter()
    for index in range(1000):
        pieces = augment_words(words, MASK, ORDINARY, random.Random(index))
        assert len(pieces) % 2 == 0
        for first, second in zip(pieces[::2], pieces[1::2], strict=True):
            fate = {(10, 11): "kept", (MASK, MASK): "masked"}.get((first, second), "replaced")
            assert fate != "replaced" or {first, second} <= set(ORDINARY)
            fates[fate] += 1
        fates["deleted"] += 40 - len(pieces) // 2
    touched = 40_000 - fates["kept"]
    assert touched / 40_000 == pytest.approx(0.2, abs=0.01)  # five standard deviations
    for fate, share in (("masked", 0.5), ("replaced", 0.1), ("deleted", 0.4)):
        assert fates[fate] / touched == pytest.approx(share, abs=0.03)


def test_a_caption_never_loses_all_of_its_words() -> None:
    draws = [augment_words([[7], [8, 9]], MASK, ORDINARY, random.Random(index)) for index in range(3000)]
    assert all(draws)
    assert [7] in draws
    assert [8, 9] in draws
    assert augment_words([], MASK, ORDINARY, random.Random(0)) == []


def test_an_item_s_chance_depends_on_seed_epoch_index_and_part_alone() -> None:
    keys = [(0, 0, 0, "image"), (1, 0, 0, "image"), (0, 1, 0, "image"), (0, 0, 1, "image"), (0, 0, 0, "caption")]
    keys += [(1, 23, 4, "image"), (12, 3, 4, "image")]
    assert len({item_random(*key).random() for key in keys}) == 7
    assert item_random(0, 0, 0, "image").random() == 0.41316711273770346  # in every process


def test_crops_are_distributed_as_torchvision_s() -> None:
    width, height = 250, 1000
    image = torch.zeros(1, height, width)
    ours, theirs = [], []
    for index in range(1000):
        left, top, right, bottom = random_box(width, height, random.Random(index))
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
        ours.append((left, top, right - left, bottom - top))
        top, left, crop_height, crop_width = RandomResizedCrop.get_params(image, [0.6, 1.0], [3 / 4, 4 / 3])
        theirs.append((left, top, crop_width, crop_height))
    sides = np.array([width, height, width, height])
    for quantile in (0.1, 0.5, 0.9):
        boxes_here, reference = (np.quantile(np.array(boxes) / sides, quantile, axis=0) for boxes in (ours, theirs))
        assert boxes_here == pytest.approx(reference, abs=0.02)
    aspects = [np.log([box[2] / box[3] for box in boxes]).mean() for boxes in (ours, theirs)]
    assert aspects[0] == pytest.approx(aspects[1], abs=0.015)


def test_half_of_the_images_are_mirrored_and_pixels_stay_in_their_place() -> None:
    image = Image.fromarray(np.tile(np.arange(200, dtype=np.uint8), (150, 1)))
    mirrored = 0
    for index in range(400):
        crop = np.asarray(augment_image(image, random.Random(index))).astype(int)
        steps = np.diff(crop, axis=1)
        assert (steps == steps[0, 0]).all() and abs(steps[0, 0]) == 1
        mirrored += steps[0, 0] == -1
        assert 0.59 < crop.size / (200 * 150) <= 1
    assert mirrored == pytest.approx(200, abs=50)  # five standard deviations
