"""Batches for a training step from image files and sentences, for backbones that are trained."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader

from seps.data import CaptionDataset
from seps.models.model import SEPSModel
from seps.training.batches.batch import StepBatch, pool
from seps.training.batches.data_loader import SplitLoader
from seps.training.batches.samplers import ProcessShard, group_batches, sample_captions, shuffle_batches
from seps.training.settings import TrainSettings

CAPTION_BATCH_SIZE = 256


def read_images(dataset: CaptionDataset, numbers: Sequence[int]) -> Tensor:
    """Read images of a split without their captions: (B, 3, S, S)."""
    return torch.stack([dataset.image(number * dataset.split.captions_per_image) for number in numbers])


class PixelDataLoader(SplitLoader):
    """Batches of pixels and token ids, read by `workers` processes."""

    def __init__(
        self, model: SEPSModel, dataset: CaptionDataset, settings: TrainSettings, workers: int, shard: ProcessShard
    ) -> None:
        super().__init__(model, settings, dataset.split, shard)
        self.dataset, self.workers = dataset, workers

    def pretrain_epoch(self, number: int, generator: torch.Generator) -> Iterator[StepBatch]:
        """Yield an epoch over the images, each with all of its captions."""
        self.dataset.set_epoch(number)
        every = shuffle_batches(len(self.split.image_files), self.settings.pretrain_batch, generator)
        batches = self.shard.of(every, generator)
        numbered = range(len(self.split.image_files))
        loader = self.loader(numbered, batches, partial(read_images, self.dataset))
        for images, numbers in zip(loader, batches, strict=True):
            captions = (numbers[:, None] * self.per_image + torch.arange(self.per_image)).flatten()  # (B_t,)
            encoded = [self.dataset.caption(caption) for caption in captions.tolist()]
            ids, lengths = self.model.tokenizer.pad(encoded)
            rows = torch.arange(len(numbers)).repeat_interleave(self.per_image)  # (B_t,)
            yield StepBatch(
                images=images,
                captions=ids,
                lengths=lengths,
                dense_captions=None,
                dense_lengths=None,
                img_ids=captions // self.per_image,
                cached=False,
                phrases=self.phrases_of(captions, rows.tolist()),
                pretraining=True,
                rows=rows,
            )

    def length(self) -> int:
        """Count the steps of `epoch`."""
        size, taken = self.settings.batch_size, self.settings.captions_an_epoch
        if taken:
            return self.shard.count(self.images_taken() // size * min(taken, self.per_image))
        return self.shard.count(len(self.dataset) // size)

    def images_taken(self) -> int:
        """Count the images that an epoch takes."""
        every = len(self.split.image_files)
        return min(self.settings.images_an_epoch or every, every)

    def epoch(self, number: int, generator: torch.Generator) -> Iterator[StepBatch]:
        """Yield an epoch over the captions, or over some of each image's, each with its image."""
        self.dataset.set_epoch(number)
        size, taken = self.settings.batch_size, self.settings.captions_an_epoch
        if taken:
            images = torch.randperm(len(self.split.image_files), generator=generator)[: self.images_taken()]
            rounds = sample_captions(images, self.per_image, min(taken, self.per_image), generator)
            batches = [captions[rows] for captions in rounds for rows in self.together(captions, generator)]
        else:
            batches = shuffle_batches(len(self.dataset), size, generator)
        common = self.shard.common(generator)  # processes meet in a step: all of them have dense captions, or none
        loader = self.loader(self.dataset, self.shard.of(batches, generator), self.dataset.collate)
        for images, captions, lengths, dense_captions, dense_lengths, numbers, img_ids in loader:
            if float(torch.rand((), generator=common)) >= self.settings.dense_share:
                dense_captions = dense_lengths = None
            rows = torch.arange(len(numbers))
            yield StepBatch(
                images,
                captions,
                lengths,
                dense_captions,
                dense_lengths,
                img_ids,
                cached=False,
                phrases=self.phrases_of(numbers, rows.tolist()),
                rows=rows,
            )

    def together(self, captions: Tensor, generator: torch.Generator) -> list[Tensor]:
        """Choose which of these captions (V,) meet in a batch: indices among them."""
        size, group = self.settings.batch_size, self.settings.neighbours
        if not group:
            return shuffle_batches(len(captions), size, generator)
        return group_batches(self.pooled_captions(captions), group, size, generator)

    def pooled_captions(self, captions: Tensor) -> Tensor:
        """Embed captions (V,) as the model has them now and pool them: (V, C)."""
        embedded = []
        for part in captions.split(CAPTION_BATCH_SIZE):
            words, lengths = self.model.encode_captions([self.split.captions[i] for i in part.tolist()])
            embedded.append(pool(words, lengths).cpu())
        return torch.cat(embedded)

    def loader(self, dataset: Any, batches: Sequence[Tensor], collate: Callable[[Any], Any]) -> Iterator[Any]:
        """Read these batches of the dataset's items; raise the ValueError of an item that cannot be read."""
        loader = DataLoader(
            dataset,
            batch_sampler=[batch.tolist() for batch in batches],
            num_workers=self.workers,
            collate_fn=collate,
            generator=torch.Generator().manual_seed(0),  # so that the loader draws nothing from torch's own
        )
        try:
            yield from loader
        except ValueError as error:  # a process that reads puts its traceback before the message
            raise ValueError(str(error).rpartition(f"{type(error).__name__}: ")[2].strip()) from error
