from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from seps import load_model
from seps.encoders.classes import ClassMap, class_names
from seps.encoders.config import ClassConfig, VisionConfig
from seps.encoders.vision import VisionEncoder
from tests.helpers.models.tiny import tiny_model

TINY = VisionConfig(
    encoder="test_efficientnet",
    weights="none",
    image_size=64,
    mean=(0.5, 0.5, 0.5),
    std=(0.5, 0.5, 0.5),
    cls="none",
    context_size=32,
    classes=ClassConfig("imagenet-1k", shared_until="blocks.2", count=7, local_weight=0.3, image_weight=0.2),
)


def encoder(config: VisionConfig) -> VisionEncoder:
    """An encoder with random weights and random class vectors, in evaluation mode."""
    torch.manual_seed(0)
    made = VisionEncoder(config, 16).eval()
    assert made.classes is not None
    made.classes.set_vectors(torch.randn(1000, 16))
    made.classes.classifier.weight *= 10_000  # else all classes are about equally probable, and vectors nearly 0
    return made


def expected_vectors(classes: ClassMap, logits: torch.Tensor) -> torch.Tensor:
    """Class vectors (n, C) of logits (n, K), one row after another."""
    rows = []
    for row in logits:
        probabilities = row.softmax(dim=0)
        best = probabilities.argsort(descending=True)[: classes.config.count]
        rows.append(torch.stack([probabilities[k] * classes.vectors[k] for k in best]).sum(dim=0))
    return torch.stack(rows)


@torch.no_grad()
@pytest.mark.parametrize("shared", ["blocks.2", "", "all"])
def test_a_patch_is_its_embedding_plus_the_weighted_class_vectors_times_the_mean_length(shared: str) -> None:
    model = encoder(replace(TINY, classes=replace(TINY.classes, shared_until=shared)))
    classes = model.classes
    assert classes is not None
    images = torch.randn(2, 3, 64, 64)
    tokens = model.visual_encoder.forward_features(images)  # type: ignore[operator]
    if shared == "blocks.2":
        backbone = model.visual_encoder
        maps = backbone.blocks[:3](backbone.bn1(backbone.conv_stem(images)))  # type: ignore[index, operator]
        tokens = classes.backbone(maps)  # type: ignore[misc]
    elif classes.backbone is not None:
        tokens = classes.backbone.forward_features(images)  # type: ignore[operator]
    known = tokens.flatten(2).transpose(1, 2)  # (B, N, D_v)
    embedded = model.project(model.features(images)[..., : model.width])  # without class vectors
    assert float((model(images) - embedded).norm(dim=-1).min()) > 0.01
    for image in range(2):
        local = expected_vectors(classes, classes.classifier(known[image]))
        whole = expected_vectors(classes, classes.classifier(known[image].mean(dim=0))[None])
        length = embedded[image].norm(dim=-1).mean()
        expected = embedded[image] + length * (0.3 * local + 0.2 * whole)
        torch.testing.assert_close(model(images)[image], expected, atol=1e-4, rtol=0)


@torch.no_grad()
def test_class_vectors_are_centred_unit_means_of_captions_and_zero_before_they_are_known() -> None:
    classes = ClassMap(TINY, 16)
    assert not classes.vectors.any()
    captions = torch.randn(1000, 16)
    classes.set_vectors(captions * 3)
    unit = F.normalize(captions, dim=-1)
    torch.testing.assert_close(classes.vectors, F.normalize(unit - unit.mean(dim=0), dim=-1))
    assert classes.captions[504] == "a photo of a coffee mug" and len(class_names("imagenet-1k")) == 1000


@torch.no_grad()
@pytest.mark.parametrize(("cls", "context"), [("none", 32), ("mean", 0)])
def test_the_best_class_of_each_patch_comes_with_its_probability_and_what_is_added(cls: str, context: int) -> None:
    model = encoder(replace(TINY, cls=cls, context_size=context))
    images = torch.randn(2, 3, 64, 64)
    features = model.features(images)
    seen = model.patch_classes(features)
    assert seen is not None and model.classes is not None
    assert seen.best.shape == seen.probability.shape == (2, model.num_patches)
    packed = features[:, int(model.has_cls) :][:, : model.num_patches, model.width :]
    assert torch.equal(seen.best, packed[..., 0].long()) and torch.equal(seen.probability, packed[..., 7])
    assert bool((seen.probability > 0).all()) and bool((packed[..., 7:14].sum(dim=-1) <= 1 + 1e-5).all())
    without = model.project(features[..., : model.width])
    added = (model.project(features) - without)[:, int(model.has_cls) :]
    torch.testing.assert_close(seen.added, added, atol=1e-5, rtol=0)


def test_other_classifiers_and_prompts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"has 1000 classes, but vision\.classes\.names is 'imagenet-22k'"):
        VisionEncoder(replace(TINY, classes=ClassConfig("imagenet-22k")), 16)
    with pytest.raises(ValueError, match=r"must contain \{\} once"):
        ClassConfig(prompt="a photo")
    with pytest.raises(ValueError, match=r"vision.classes.shared_until is 'blocks.9'"):
        VisionEncoder(replace(TINY, classes=replace(TINY.classes, shared_until="blocks.9")), 16)


def test_class_vectors_that_are_not_saved_are_computed_again(bert: Path, tmp_path: Path) -> None:
    classes = {"names": "imagenet-1k", "shared_until": "blocks.2"}
    model = tiny_model(bert, encoder=TINY.encoder, image_size=96, cls="none", classes=classes)
    parts = ("visual_encoder", "vision_proj", "classes.backbone", "classes.classifier")
    model.config = replace(model.config, saved=(*(f"img_enc.{part}.*" for part in parts), "txt_enc.*", "cross_net.*"))
    model.refresh_classes()
    model.save_pretrained(tmp_path / "model")
    loaded = load_model(str(tmp_path / "model"))
    assert model.img_enc.classes is not None and loaded.img_enc.classes is not None
    torch.testing.assert_close(loaded.img_enc.classes.vectors, model.img_enc.classes.vectors)
    assert bool(loaded.img_enc.classes.vectors.any())


def test_an_encoder_without_classes_gives_none() -> None:
    assert VisionEncoder(replace(TINY, classes=ClassConfig()), 16).patch_classes(torch.zeros(1, 4, 256)) is None


@torch.no_grad()
def test_in_training_the_patches_of_a_share_of_the_images_are_class_vectors_only() -> None:
    model = encoder(replace(TINY, context_size=0, classes=replace(TINY.classes, dropout=0.5)))
    assert model.classes is not None
    images = torch.randn(1, 3, 64, 64).repeat(40, 1, 1, 1)
    features = model.features(images)
    length = model.project(features[..., : model.width]).norm(dim=-1).mean(dim=1)[:, None, None]  # (B, 1, 1)
    vectors = length * model.classes.class_vectors(features[..., model.width :])
    model.train()
    dropped = [bool(torch.allclose(a, b, atol=1e-5)) for a, b in zip(model.project(features), vectors, strict=True)]
    assert 5 < sum(dropped) < 35
    assert not model.classes.classifier.training and not any(p.requires_grad for p in model.classes.parameters())
