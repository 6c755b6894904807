from pathlib import Path
from typing import Any, cast

import pytest
import torch

from seps.data import CaptionDataset, read_split
from seps.training.batches.pixels import PixelDataLoader
from seps.training.batches.samplers import ProcessShard
from seps.training.settings import TrainSettings
from tests.helpers.data.drawn_data import DrawnTokenizer, to_tensor, write_split


@pytest.mark.parametrize(("workers", "stage"), [(1, "epoch"), (0, "pretrain_epoch")])
def test_an_image_that_cannot_be_read_is_named_in_one_sentence(tmp_path: Path, workers: int, stage: str) -> None:
    split = read_split(write_split(tmp_path, images=3), "dev")
    split.image_files[1].write_bytes(b"no image any more")
    dataset = CaptionDataset(split, DrawnTokenizer(), to_tensor)
    settings = TrainSettings(batch_size=3, pretrain_batch=3, grounding_weight=0.0, map_weight=0.0)
    model = cast(Any, type("Model", (), {"tokenizer": DrawnTokenizer()})())
    loader = PixelDataLoader(model, dataset, settings, workers, ProcessShard())
    with pytest.raises(ValueError) as caught:
        list(getattr(loader, stage)(0, torch.Generator().manual_seed(0)))
    assert str(caught.value) == (
        f"{split.image_files[1]} cannot be read as an image (it is no photo that can be read): replace it, or take it "
        "out of the data."
    )


def test_what_preprocessing_refuses_names_the_file(tmp_path: Path) -> None:
    split = read_split(write_split(tmp_path), "dev")

    def refuse(image: object) -> torch.Tensor:
        raise ValueError("The photo is too plain.")

    with pytest.raises(ValueError, match=r"images/10\.png: The photo is too plain"):
        CaptionDataset(split, DrawnTokenizer(), refuse)[0]
