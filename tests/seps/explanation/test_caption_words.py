from seps.explanation.caption_words import CaptionWord, caption_words


def test_pieces_are_joined_and_special_tokens_left_out() -> None:
    labels = ("[CLS]", "a", "skate", "##board", "##er", "[UNK]", "##s", "##", "[SEP]")
    assert caption_words(labels) == (
        CaptionWord("a", (1,)),
        CaptionWord("skateboarder", (2, 3, 4)),
        CaptionWord("##s", (6,)),  # it continues a word that the model does not know
        CaptionWord("##", (7,)),
    )
    assert [word.text for word in caption_words(("[CLS]", "[", "]", "[]", "[SEP]"))] == ["[", "]", "[]"]
