import math
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from seps.data import PhraseBoxes, SentencePhrases, read_entities, read_split
from seps.data.objects import Masks, counted, read_scenes
from seps.scenes import write_split
from seps.training.batches.batch import pool
from seps.training.batches.phrases import PhraseBox, phrase_boxes
from seps.training.losses.objective import PHRASE_SCALE, grounding_loss, infonce_loss, word_loss


def test_infonce_by_hand() -> None:
    logits = torch.tensor([[2.0, 0.0], [1.0, 3.0]])
    rows = (math.log(1 + math.exp(-2)) + math.log(1 + math.exp(-2))) / 2
    columns = (math.log(1 + math.exp(-1)) + math.log(1 + math.exp(-3))) / 2
    assert float(infonce_loss(logits)) == pytest.approx(rows + columns, abs=1e-6)


def test_infonce_takes_no_negative_of_the_same_image() -> None:
    logits = torch.randn(3, 3)
    changed = logits.clone()
    changed[0, 1] = 50.0
    assert float(infonce_loss(changed, [4, 4, 5])) == pytest.approx(float(infonce_loss(logits, [4, 4, 5])))
    assert float(infonce_loss(changed, [4, 6, 5])) > float(infonce_loss(logits, [4, 6, 5])) + 1


def test_pool_leaves_padding_out() -> None:
    words = torch.randn(2, 4, 3)
    pooled = pool(words, torch.tensor([2, 4]))
    torch.testing.assert_close(pooled[0], F.normalize(words[0, :2].mean(0), dim=-1))
    torch.testing.assert_close(pooled[1], F.normalize(words[1].mean(0), dim=-1))


def test_each_word_of_a_phrase_counts_by_itself() -> None:
    patches, words = torch.randn(2, 4, 8), torch.randn(2, 5, 8)
    inside = np.array([True, False, False, True])
    everywhere = PhraseBox(0, 1, np.ones(4, dtype=bool), "scene")
    expected = []
    for word in words[1, 1:3]:
        exponentials = (F.cosine_similarity(word[None], patches[0]) * PHRASE_SCALE).exp()
        expected.append(-math.log(float(exponentials[torch.from_numpy(inside)].sum() / exponentials.sum())))
    pairs = [(0, 1, PhraseBox(1, 3, inside, "a dog")), (1, 0, everywhere)]
    assert float(word_loss(patches, words, pairs)) == pytest.approx(np.mean(expected), abs=1e-5)
    assert float(word_loss(patches, words, pairs[1:])) == 0.0


def test_phrase_boxes_find_tokens_and_patches() -> None:
    captions = ["a big dog runs", "snow falls"]
    positions: list[list[range] | None] = [[range(1, 2), range(2, 3), range(3, 5), range(5, 6)], None]  # "dog" has two
    sentence = SentencePhrases(
        "a big dog runs",
        (
            PhraseBoxes("a big Dog", 0, "animals", ((0.0, 0.0, 0.5, 0.5),)),
            PhraseBoxes("dog", 2, "animals", ((0.5, 0.5, 1.0, 1.0), (0.0, 0.9, 0.3, 1.0))),
            PhraseBoxes("runs", 3, "other", ((0.01, 0.01, 0.02, 0.02),)),  # contains no patch's centre
        ),
    )
    per_caption = phrase_boxes(captions, [[SentencePhrases("no such", ()), sentence]], positions, (2, 2), 2, 30)
    assert per_caption[1] == []
    assert [(p.first, p.last, p.text) for p in per_caption[0]] == [(1, 5, "a big dog"), (3, 5, "dog")]
    assert per_caption[0][0].inside.tolist() == [True, False, False, False]
    assert per_caption[0][1].inside.tolist() == [False, False, False, True]
    assert phrase_boxes(captions, [[sentence]], positions, (2, 2), 2, 5) == [[], []]  # cut off by max_words


def test_grounding_loss_falls_as_words_meet_the_patches_in_their_boxes() -> None:
    inside = np.array([True, False, False, False])
    pairs = [(0, 0, PhraseBox(1, 3, inside, "dog")), (1, 1, PhraseBox(1, 2, ~inside, "snow"))]
    patches = torch.eye(8)[:8].view(2, 4, 8)
    words = torch.zeros(2, 4, 8)
    words[0, 1:3] = patches[0, 0]
    words[1, 1] = patches[1, 1:].mean(0)
    good = float(grounding_loss(patches, words, pairs, torch.arange(2)))
    swapped = words.flip(0)
    assert good < float(grounding_loss(patches, swapped, pairs, torch.arange(2))) - 5
    # By hand: the first phrase's patch at cosine 1 against three at 0; the second's three at 1 / sqrt(3).
    first = math.log(math.exp(PHRASE_SCALE) + 3) - PHRASE_SCALE
    best = PHRASE_SCALE / math.sqrt(3)
    second = math.log(3 * math.exp(best) + 1) - math.log(3 * math.exp(best))
    regions = infonce_loss(torch.eye(2) * PHRASE_SCALE)
    assert good == pytest.approx((first + second) / 2 + float(regions), abs=1e-4)
    assert float(grounding_loss(patches, words, [], torch.arange(0))) == 0.0


def test_phrases_take_the_masks_of_scenes(tmp_path: Path) -> None:
    write_split(tmp_path, "train", 6, seed=3)
    split = read_split(tmp_path, "train")
    entities = read_entities(tmp_path, "train")
    scenes = read_scenes(tmp_path, "train", entities)
    assert scenes is not None
    positions: list[list[range] | None] = [
        [range(i, i + 1) for i in range(len(caption.split()))] for caption in split.captions
    ]
    boxes, masks = (
        phrase_boxes(split.captions, entities, positions, (14, 14), split.captions_per_image, 40, known)
        for known in (None, scenes)
    )
    smaller = 0
    for image, sentences in enumerate(entities):
        known, first = Masks(scenes[image], (14, 14)), image * split.captions_per_image
        for sentence in sentences:
            caption = split.captions.index(sentence.sentence, first)
            named, around = ({p.text: p.inside.numpy() for p in each[caption]} for each in (masks, boxes))
            for phrase in counted(sentence):
                hits, text = known.named(sentence.sentence, [phrase]).hits, phrase.phrase.lower()
                assert (text in named) == hits.any()
                if hits.any():
                    np.testing.assert_array_equal(named[text], hits)
                    assert not (hits & ~around[text]).any()
                    smaller += int(hits.sum() < around[text].sum())
    assert smaller > 10
