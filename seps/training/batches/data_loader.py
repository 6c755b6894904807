"""Batches for a training step from cached features."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from seps.common.precision import in_bfloat16
from seps.data import Split, read_entities
from seps.data.objects import read_scenes
from seps.encoders.tokenizer import word_tokens
from seps.models.model import SEPSModel
from seps.training.batches.batch import StepBatch, pool
from seps.training.batches.cache import FeatureCache, cache_texts, mean_features
from seps.training.batches.phrases import PhraseBox, PhraseCaptions, phrase_boxes
from seps.training.batches.samplers import ProcessShard, shuffle_batches, similar_batches
from seps.training.settings import TrainSettings


class SplitLoader:
    """What batches of features and of pixels share: a split and its phrases, for one of several processes."""

    def __init__(self, model: SEPSModel, settings: TrainSettings, split: Split, shard: ProcessShard) -> None:
        self.model, self.settings, self.split, self.shard = model, settings, split, shard
        self.per_image = split.captions_per_image
        self.phrases: list[list[PhraseBox]] = [[] for _ in split.captions]
        if settings.phrase_weights:
            self.phrases = read_phrases(model, split, settings.regions)

    def refresh_classes(self) -> None:
        """Update the class vectors from the current text branch; no-op without classes."""
        self.model.refresh_classes()

    def pretrain_length(self) -> int:
        """Count the steps of `pretrain_epoch`."""
        return self.shard.count(len(self.split.image_files) // self.settings.pretrain_batch)

    def phrases_of(self, captions: Tensor, rows: list[int]) -> list[tuple[int, int, PhraseBox]]:
        """Return the phrases of captions (B_t,) for `StepBatch`, ordered by image; rows: each caption's image."""
        numbered = enumerate(captions.tolist())
        boxes = [(rows[place], place, phrase) for place, number in numbered for phrase in self.phrases[number]]
        return sorted(boxes, key=lambda entry: entry[0])


class CachedDataLoader(SplitLoader):
    """Batches of frozen features; the model's heads decide which images are similar."""

    def __init__(
        self,
        model: SEPSModel,
        settings: TrainSettings,
        split: Split,
        cache: FeatureCache,
        shard: ProcessShard = ProcessShard(),  # noqa: B008
    ) -> None:
        super().__init__(model, settings, split, shard)
        self.cache = cache
        self.learns_along = model.img_enc.tail is not None or model.txt_enc.tail is not None
        # If patches are more than a projection of their features, no mean feature can replace them.
        self.pools_batch = self.learns_along or model.img_enc.classes is not None
        self.class_words: tuple[Tensor, Tensor] | None = None  # features of the class captions and their lengths
        if not self.learns_along:
            self.image_means = mean_images(model, cache)  # (V, 1 or 2, D_v)
            self.caption_means = mean_captions(cache)  # (V * k, D_t)
        self.sided = [mentions_sides(caption) for caption in split.captions]
        self.phrase_captions: PhraseCaptions | None = None
        if settings.decision_weight:
            self.phrase_captions = PhraseCaptions(model, self.phrases, self.per_image, cache.folder)
        self.named: Tensor | None = None  # (V, N) bool, where a caption's phrase is
        if settings.significance_weight:
            self.named = mark_named_patches(self.phrases, self.per_image, model.img_enc.num_patches)

    def refresh_classes(self) -> None:
        """Update the class vectors from the current text branch; no-op without classes."""
        classes = self.model.img_enc.classes
        if classes is not None and self.class_words is None:
            words, lengths = cache_texts(self.model, classes.captions, self.cache.folder, "Class captions")
            self.class_words = torch.from_numpy(np.array(words, dtype=np.float32)), lengths
        self.model.refresh_classes(*(self.class_words or ()))

    def fit_heads(self) -> None:
        """Give heads with context the training features' statistics."""
        vision, text = self.model.img_enc.context, self.model.txt_enc.context
        if vision is not None:
            images = self.finish_images(choose_sample_numbers(len(self.split.image_files)))
            vision.features.fit(images[:, :-1])
            few = torch.cat([images[:, :-1].mean(dim=1), images[:, -1]], dim=1)  # (.., 2 D_v)
            vision.summary.fit(few if self.learns_along else self.image_means.flatten(1))
        if text is not None:
            words, lengths = self.cache.caption_features(choose_sample_numbers(len(self.split.captions)))
            with torch.no_grad():
                words = self.model.txt_enc.finished(words.to(self.model.device), lengths).cpu()  # (.., L, D_t)
            text.features.fit(words[torch.arange(words.shape[1]) < lengths[:, None]])
            text.summary.fit(words.sum(dim=1) / lengths[:, None] if self.learns_along else self.caption_means)

    @torch.no_grad()
    def finish_images(self, numbers: Tensor) -> Tensor:
        """Pass images' features through the parts of the backbone that learn along: (B, N[+1], D_v)."""
        model, cache = self.model, self.cache
        features = (cache.image_features(chunk).to(model.device) for chunk in numbers.split(64))
        return torch.cat([model.img_enc.finished(chunk)[..., : model.img_enc.width].cpu() for chunk in features])

    def pretrain_epoch(self, number: int, generator: torch.Generator) -> Iterator[StepBatch]:
        """Yield an epoch over the images, with the captions that have phrases."""
        batches = shuffle_batches(len(self.split.image_files), self.settings.pretrain_batch, generator)
        for images in self.shard.of(batches, generator):
            numbers = [caption for i in images.tolist() for caption in self.pretrain_captions(i, generator)]
            yield self.batch(images, torch.tensor(numbers), generator, dense=False, pretraining=True)

    def pretrain_captions(self, image: int, generator: torch.Generator) -> list[int]:
        """Return captions of an image for a step, drawn from those with phrases; the first if there are none."""
        captions = range(image * self.per_image, (image + 1) * self.per_image)
        with_phrases = [number for number in captions if self.phrases[number]] or [captions[0]]
        taken = self.settings.pretrain_captions
        if not taken or taken >= len(with_phrases):
            return with_phrases
        chosen = torch.randperm(len(with_phrases), generator=generator)[:taken].tolist()
        return [with_phrases[i] for i in sorted(chosen)]

    def epoch(self, number: int, generator: torch.Generator) -> Iterator[StepBatch]:
        """Yield an epoch over the captions, each with its image."""
        size = self.settings.batch_size
        if self.settings.similar_batches:
            pooled, noise = self.pooled_images(), self.settings.similar_batches
            batches = similar_batches(pooled, self.per_image, self.captions_taken(), size, noise, generator)
        else:
            batches = shuffle_batches(len(self.split.captions), size, generator)
        common = self.shard.common(generator)  # processes meet in a step: all of them have dense captions, or none
        for captions in self.shard.of(batches, generator):
            dense = float(torch.rand((), generator=common)) < self.settings.dense_share
            yield self.batch(captions // self.per_image, captions, generator, dense and self.cache.dense is not None)

    def length(self) -> int:
        """Count the steps of `epoch`."""
        size = self.settings.batch_size
        if self.settings.similar_batches:
            return self.shard.count(len(self.split.image_files) // size * self.captions_taken())
        return self.shard.count(len(self.split.captions) // size)

    def captions_taken(self) -> int:
        """Count the captions of each image that an epoch of similar batches takes."""
        return min(self.settings.captions_an_epoch or self.per_image, self.per_image)

    @torch.no_grad()
    def pooled_images(self) -> Tensor:
        """Embed the images as the heads have them now and pool them: (V, C)."""
        encoder = self.model.img_enc
        training = encoder.training
        encoder.eval()
        if self.learns_along:
            every = torch.arange(len(self.split.image_files)).split(64)
            features = (self.cache.image_features(chunk).to(self.model.device) for chunk in every)
            with in_bfloat16(self.settings.bf16_backbones):
                patch_embeddings = (encoder.project(chunk)[:, -encoder.num_patches :].float() for chunk in features)
                pooled = torch.cat([pool(patches).cpu() for patches in patch_embeddings])
        else:
            pooled = pool(encoder.project(self.image_means.to(self.model.device))).cpu()
        encoder.train(training)
        return pooled

    def batch(
        self, images: Tensor, captions: Tensor, generator: torch.Generator, dense: bool, pretraining: bool = False
    ) -> StepBatch:
        """Build one step's batch: `images` (B_v,) and `captions` (B_t,) are numbers in the split."""
        place = {number: row for row, number in enumerate(images.tolist())}
        words, lengths = self.cache.caption_features(captions)
        dense_captions = dense_lengths = named = regions = pooled = None
        if dense and self.cache.dense is not None:
            dense_captions, dense_lengths = self.cache.dense_features(captions)
        rows = [place[number // self.per_image] for number in captions.tolist()]
        turned = torch.zeros(len(images), dtype=torch.bool)  # (B_v,), which are seen as their mirror images
        if self.cache.mirrored:
            turned = torch.rand(len(images), generator=generator) < 0.5
        for number, row in zip(captions.tolist(), rows, strict=True):
            turned[row] &= not self.sided[number]
        phrases = self.phrases_of(captions, rows)
        phrases = [(i, t, box.mirrored(self.model.grid) if turned[i] else box) for i, t, box in phrases]
        if self.named is not None:
            named = self.named[images]  # (B_v, N)
            named = torch.where(turned[:, None], named.unflatten(1, self.model.grid).flip(2).flatten(1), named)
        if self.phrase_captions is not None and not pretraining:
            regions = self.phrase_captions.of_images(images, turned, generator)
        if self.settings.pooled_weight and not self.pools_batch:
            sampled = torch.randint(len(self.split.captions), (self.settings.pooled_batch,), generator=generator)
            owners = sampled // self.per_image
            pooled = (self.image_means[owners], self.caption_means[sampled], owners)
        return StepBatch(
            images=self.cache.image_features(images + turned * len(self.split.image_files)),
            captions=words,
            lengths=lengths,
            dense_captions=dense_captions,
            dense_lengths=dense_lengths,
            img_ids=images if pretraining and not self.pools_batch else captions // self.per_image,
            cached=True,
            phrases=phrases,
            named=named,
            regions=regions,
            pooled=pooled,
            pretraining=pretraining,
            rows=torch.tensor(rows) if self.pools_batch else None,
        )


def mark_named_patches(phrases: list[list[PhraseBox]], per_image: int, num_patches: int) -> Tensor:
    """Mark the patches of each image that a phrase of any of its captions names: (V, N) bool."""
    named = torch.zeros(len(phrases) // per_image, num_patches, dtype=torch.bool)
    for caption, boxes in enumerate(phrases):
        for phrase in boxes:
            named[caption // per_image] |= phrase.inside
    return named


def mean_images(model: SEPSModel, cache: FeatureCache) -> Tensor:
    """Compute each image's mean patch and, with context, its smaller view: (V, 1 or 2, D_v), no mirror images."""
    chunks = torch.arange(len(cache.images) // (2 if cache.mirrored else 1)).split(64)
    return torch.cat([mean_features(model.img_enc, cache.image_features(chunk)) for chunk in chunks])


def mean_captions(cache: FeatureCache) -> Tensor:
    """Compute each caption's mean word: (V * k, D_t) float32; padding is zero."""
    starts = range(0, len(cache.lengths), 2048)
    sums = [torch.from_numpy(cache.captions[i : i + 2048].astype(np.float32)).sum(1) for i in starts]
    return torch.cat(sums) / cache.lengths[:, None]


def choose_sample_numbers(count: int) -> Tensor:
    """Numbers below `count` that suffice for statistics: one in 20, more of fewer than 2,000."""
    return torch.arange(0, count, max(1, min(20, count // 100)))


def mentions_sides(caption: str) -> bool:
    """Tell whether a caption speaks of left or right, so that it is not true of the mirror image."""
    return not {"left", "right"}.isdisjoint(caption.lower().replace(".", " ").replace(",", " ").split())


def read_phrases(model: SEPSModel, split: Split, regions: str = "boxes") -> list[list[PhraseBox]]:
    """Read the phrases of each caption, with boxes or masks of named objects; ValueError if the split lacks them."""
    positions = [word_tokens(model.tokenizer, caption) for caption in split.captions]
    entities = read_entities(split.folder, split.name)
    scenes = read_scenes(split.folder, split.name, entities) if regions == "masks" else None
    if scenes is None and regions == "masks":
        raise ValueError(f"training.regions is 'masks', but {split.folder} has no {split.name}_scenes.jsonl.")
    limit, k = model.config.text.max_words, split.captions_per_image
    return phrase_boxes(split.captions, entities, positions, model.grid, k, limit, scenes)
