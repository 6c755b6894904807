"""Classes that a backbone's classifier knows, as further pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from seps.encoders.weights import classifier_weights
from seps.training.batch import StepBatch
from seps.training.classes import ClassPairs, class_captions, prototypes
from seps.training.embedding import pool
from seps.training.settings import TrainSettings, read_recipe
from seps.training.step import TrainingStep
from tests.helpers.sentences import refused
from tests.helpers.tiny import tiny_model, write_tiny_bert

PHOTOS = Path(__file__).resolve().parents[3] / "assets" / "models" / "photos"


def test_every_caption_names_one_class() -> None:
    captions = class_captions()
    assert captions[967] == "a photo of an espresso"
    assert captions[812] == "a photo of a space shuttle"
    assert 134 not in captions and 517 not in captions  # both are cranes
    assert len(set(captions.values())) == len(captions) > 980


def test_prototypes_of_a_discriminant_analysis_lie_where_its_classes_do() -> None:
    torch.manual_seed(0)
    scales = torch.rand(16) + 0.2
    centres = torch.randn(5, 16)
    features = (centres[:, None] + 0.1 * torch.randn(5, 400, 16) * scales).flatten(0, 1)
    covariance = torch.cov(features.T)
    rows = (centres - centres.mean(dim=0)) @ torch.linalg.inv(covariance)
    learnt = prototypes(rows, features, features)
    mean = features.mean(dim=0)
    cosines = torch.cosine_similarity(learnt - mean, centres - centres.mean(dim=0), dim=1)
    assert float(cosines.min()) > 0.99
    assert float((learnt - mean).square().sum(dim=1).mean()) == pytest.approx(
        float((features - mean).square().sum(dim=1).mean()), rel=1e-4
    )


def test_prototypes_follow_a_backbone_that_has_learnt_on() -> None:
    torch.manual_seed(1)
    centres = torch.randn(5, 16)
    known = (centres[:, None] + 0.1 * torch.randn(5, 400, 16)).flatten(0, 1)
    rows = (centres - centres.mean(dim=0)) @ torch.linalg.inv(torch.cov(known.T))
    turn = torch.linalg.qr(torch.randn(16, 16)).Q
    learnt = known @ turn + 3.0  # another space, in which the rows point nowhere
    differences = prototypes(rows, known, learnt) - learnt.mean(dim=0)
    places = (centres - centres.mean(dim=0)) @ turn
    assert float(torch.cosine_similarity(differences, places, dim=1).min()) > 0.99
    stale = prototypes(rows, learnt, learnt) - learnt.mean(dim=0)
    assert float(torch.cosine_similarity(stale, places, dim=1).min()) < 0.9


def test_the_package_of_the_photo_model_has_a_classifier() -> None:
    vision = read_recipe(PHOTOS / "recipe.json")[0].vision
    assert classifier_weights(vision).shape == (1000, 1280)
    with refused(ValueError):
        classifier_weights(replace(vision, weights="none"))


def test_classes_join_the_pooled_loss_as_pairs_of_their_own(tmp_path: Path) -> None:
    model = tiny_model(write_tiny_bert(tmp_path / "bert"), cls="none", context_size=80)
    step = TrainingStep(model, TrainSettings(pooled_weight=1.0, frozen=True, class_names=3)).eval()
    torch.manual_seed(1)
    features = torch.randn(6, 2, model.img_enc.width)
    pairs = ClassPairs(features, torch.randn(6, 4, model.txt_enc.width), torch.tensor([4, 3, 4, 4, 2, 4]))
    sampled = pairs.sampled(3, torch.Generator().manual_seed(0))
    assert len(set(sampled[3].tolist())) == 3
    words, lengths = torch.zeros(2, 4, model.txt_enc.width), torch.tensor([4, 4])
    numbers = torch.tensor([0, 5])
    batch = StepBatch(torch.zeros(2, 101, model.img_enc.width), words, lengths, None, None, numbers, cached=True)
    batch = replace(batch, pooled=(features[:2], torch.randn(2, 16), numbers), pretraining=True)
    embeddings = torch.zeros(2, 101, 24), torch.zeros(2, 4, 24)
    images, captions, img_ids = step.embedder.pooled(replace(batch, classes=sampled), *embeddings)
    assert images.shape == captions.shape == (5, 24)
    assert img_ids.tolist() == [0, 5, *(-1 - sampled[3]).tolist()]  # no number of an image
    torch.testing.assert_close(images[2:], pool(model.img_enc.head(features[sampled[3]])))
    for pooled, joined in zip(step.embedder.pooled(batch, *embeddings), (images, captions, img_ids), strict=True):
        torch.testing.assert_close(pooled, joined[:2])
    losses = step(replace(batch, classes=sampled))
    losses["pooled"].backward()
    assert model.txt_enc.fc.weight.grad is not None


def test_classes_need_the_pooled_loss() -> None:
    with refused(ValueError):
        TrainSettings(class_names=10)
    with refused(ValueError):
        TrainSettings(class_names=2000, frozen=True, pooled_weight=1.0)
