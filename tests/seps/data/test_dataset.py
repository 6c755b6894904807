from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader

from seps.data import Batch, CaptionDataset, Item, Split, read_split
from tests.helpers.data.drawn_data import PIECES, DrawnTokenizer, to_tensor, write_split

TOKENIZER = DrawnTokenizer()
A, RED, GREEN, ON, THE, END = (5 + PIECES.index(piece) for piece in ("a", "red", "green", "on", "the", "."))
SQUARE, PIC, TURE, S = (5 + PIECES.index(piece) for piece in ("square", "pic", "##ture", "##s"))


@pytest.fixture
def split(tmp_path: Path) -> Split:
    return read_split(write_split(tmp_path, images=3), "dev")


def every_item(dataset: CaptionDataset) -> list[Item]:
    return [dataset[index] for index in range(len(dataset))]


def content(dataset: CaptionDataset) -> list[tuple[list[float], list[int]]]:
    return [(item.image.flatten().tolist(), item.caption) for item in every_item(dataset)]


def test_an_item_is_a_caption_with_its_image_and_dense_caption(split: Split) -> None:
    dataset = CaptionDataset(split, TOKENIZER, to_tensor)
    assert len(dataset) == 15
    item = dataset[6]
    assert torch.equal(item.image, dataset[5].image)
    assert not torch.equal(item.image, dataset[4].image)
    assert (item.number, item.image_number) == (6, 1)
    first = dataset[0]
    assert first.caption == [2, A, RED, SQUARE, ON, THE, PIC, TURE, END, 3]
    assert first.dense_caption is not None
    assert first.dense_caption[:11] == [2, A, GREEN, SQUARE, ON, THE, PIC, TURE, END, A, first.dense_caption[10]]
    assert first.dense_caption[-5:] == [PIC, TURE, S, END, 3]  # the fourth of the four others
    with pytest.raises(IndexError, match="index is 15, but the split has 15 captions, counted from 0"):
        dataset[15]


def test_limits_count_all_tokens(split: Split) -> None:
    dataset = CaptionDataset(split, TOKENIZER, to_tensor, max_words=5, max_dense_words=12)
    assert dataset[0].caption == [2, A, RED, SQUARE, 3]
    dense_caption = dataset[0].dense_caption
    assert dense_caption is not None and (len(dense_caption), dense_caption[-1]) == (12, 3)
    training = CaptionDataset(split, TOKENIZER, to_tensor, max_words=5, train=True)
    assert {len(training.caption(index)) for index in range(15)} <= {3, 4, 5}
    with pytest.raises(ValueError, match=r"max_words is 2, but \[CLS\], a word and \[SEP\] need at least 3"):
        CaptionDataset(split, TOKENIZER, to_tensor, max_words=2)


def test_training_repeats_by_seed_and_epoch(split: Split) -> None:
    first, second = (CaptionDataset(split, TOKENIZER, to_tensor, train=True, seed=seed) for seed in (3, 4))
    epoch_0 = content(first)
    assert content(first) == epoch_0
    first.set_epoch(1)
    epoch_1 = content(first)
    second.set_epoch(1)
    for others in (epoch_0, content(second)):
        assert all(image != other for (image, _), (other, _) in zip(epoch_1, others, strict=True))
        assert [caption for _, caption in epoch_1] != [caption for _, caption in others]
    assert first[3].caption == epoch_1[3][1]  # whatever was read before


def test_a_batch_is_padded_and_typed(split: Split) -> None:
    dataset = CaptionDataset(split, TOKENIZER, to_tensor)
    batch = dataset.collate([dataset[4], dataset[10]])
    images, captions, lengths, dense_captions, dense_lengths, ids, img_ids = batch
    assert torch.equal(images, torch.stack([dataset[4].image, dataset[10].image]))
    assert captions.tolist() == [dataset[4].caption, [*dataset[10].caption, 0]]  # "pictures" is a piece longer
    assert lengths.tolist() == [11, 10]
    assert dense_captions is not None and dense_lengths is not None
    assert dense_captions.shape == (2, dense_lengths.max())
    assert dense_captions[0, : dense_lengths[0]].tolist() == dataset[4].dense_caption
    assert (ids.tolist(), img_ids.tolist()) == ([4, 10], [0, 2])
    assert {part.dtype for part in (captions, lengths, dense_captions, dense_lengths, ids, img_ids)} == {torch.int64}


def test_workers_that_persist_see_the_epoch(split: Split) -> None:
    dataset = CaptionDataset(split, TOKENIZER, to_tensor, train=True)
    loader = DataLoader(dataset, batch_size=15, num_workers=1, persistent_workers=True, collate_fn=dataset.collate)
    for epoch in range(2):
        dataset.set_epoch(epoch)
        (batch,) = loader
        expected = dataset.collate(every_item(dataset))
        assert torch.equal(batch.captions, expected.captions)
        assert torch.equal(batch.images, expected.images)


def test_a_plain_dataloader_makes_the_same_batches(split: Split) -> None:
    for dense in ("own", "none"):
        dataset = CaptionDataset(split, TOKENIZER, to_tensor, dense=dense)
        plain = list(DataLoader(dataset, batch_size=4))
        batches = list(DataLoader(dataset, batch_size=4, collate_fn=dataset.collate))
        assert [len(batch.ids) for batch in plain] == [4, 4, 4, 3]
        for mine, theirs in zip(plain, batches, strict=True):
            assert type(mine) is type(theirs)
            for name, part in theirs._asdict().items():
                assert part is getattr(mine, name) is None or torch.equal(part, getattr(mine, name)), name


def test_a_batch_gives_its_fields_by_name_too() -> None:
    batch = Batch(*(torch.full((1,), number) for number in range(7)))
    assert [batch[name] for name in Batch._fields] == [*batch] == list(range(7))
    assert (int(batch[0]), batch[-1:]) == (0, (batch.img_ids,))
    with pytest.raises(KeyError, match=r"A batch has no 'image'\. Choose one of: images, captions, lengths"):
        batch["image"]
