from seps.encoders import Tokenizer
from seps.encoders.config import TextConfig
from seps.scenes import dense_caption, make_scene, sparse_captions
from seps.scenes.vocabulary import SPECIAL, vocabulary


def test_every_word_of_unseen_scenes_is_in_the_vocabulary() -> None:
    tokenizer = Tokenizer.from_config(TextConfig("seps:scenes", "none"))
    for index in range(60):
        scene = make_scene(7, "test", index)
        for caption in (*sparse_captions(scene), dense_caption(scene)):
            labels = tokenizer.labels(tokenizer.encode(caption.text, 200))
            assert "[UNK]" not in labels
            assert not any(label.startswith("##") for label in labels)  # whole words
    assert tokenizer.labels(tokenizer.encode("a gizmo", 9)) == ["[CLS]", "a", "[UNK]", "[SEP]"]


def test_words_come_from_captions() -> None:
    words = vocabulary(20)
    assert tuple(words[: len(SPECIAL)]) == SPECIAL
    assert words[len(SPECIAL) :] == sorted(set(words[len(SPECIAL) :]))
    scene = make_scene(0, "train", 3)
    for caption in sparse_captions(scene):
        assert {word.strip(",.").lower() for word in caption.text.split()} <= set(words)
