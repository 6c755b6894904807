import shutil
import sys

import pytest

from seps.generator.caption_metrics import caption_metrics, coco_words

TRUTHS = [
    ["a dog runs on the grass", "a brown dog is running outside"],
    ["two men play football", "men playing football in a field"],
    ["a child in a pool", "a little girl swims"],
]


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ('A man in a T-shirt , red , plays "ball" .', "a man in a t-shirt red plays ball"),
        ("The man's dog can't swim!", "the man 's dog ca n't swim"),
        ("It ca n't be seen", "it ca n't be seen"),
        ("Number 7 ( # 7 ) of 1,000", "number 7 # 7 of 1,000"),
    ],
)
def test_words_are_split_as_the_penn_treebank_splits_them(caption: str, words: str) -> None:
    assert coco_words(caption) == words


def test_a_caption_of_people_is_perfect_and_another_picture_s_is_not() -> None:
    right = caption_metrics([truths[0] + " ." for truths in TRUTHS], TRUTHS, meteor=False)
    wrong = caption_metrics([truths[0] for truths in (*TRUTHS[1:], TRUTHS[0])], TRUTHS, meteor=False)
    assert [right[f"bleu_{n}"] for n in (1, 2, 3, 4)] == pytest.approx([100] * 4)
    assert right["rouge_l"] == pytest.approx(100)
    assert right["each"]["cider"].mean() == pytest.approx(right["cider"])
    assert all(wrong[name] < right[name] / 2 for name in ("bleu_2", "rouge_l", "cider"))
    assert "meteor" not in right


def test_what_cannot_be_compared_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: tuple[tuple[list[str], list[list[str]]], ...] = (([], []), (["a dog"], []), (["a dog"], [[]]))
    for written, truths in cases:
        with pytest.raises(ValueError, match="captions cannot be compared with"):
            caption_metrics(written, truths)
    monkeypatch.setitem(sys.modules, "pycocoevalcap.bleu.bleu", None)
    with pytest.raises(ValueError, match="Captions are compared by pycocoevalcap"):
        caption_metrics(["a dog"], [["a dog"]])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="METEOR is a program in Java")
def test_meteor_is_higher_for_the_right_captions() -> None:
    right = caption_metrics([truths[0] for truths in TRUTHS], TRUTHS)
    wrong = caption_metrics([truths[0] for truths in (*TRUTHS[1:], TRUTHS[0])], TRUTHS)
    assert right["meteor"] == pytest.approx(100, abs=1)
    assert wrong["meteor"] < 50
