import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from seps import CrossSparseAggrNet, SEPSLoss
from tests.helpers.models.cases import one_pair

GOLDEN = Path(__file__).parents[2] / "golden"
SHARED = Path(__file__).parents[4] / "shared" / "golden"
MANIFEST: dict[str, dict[str, Any]] = json.loads((GOLDEN / "manifest.json").read_text())
NETWORKS = [name for name, settings in MANIFEST.items() if settings["variant"] != "loss"]
LOSSES = [name for name, settings in MANIFEST.items() if settings["variant"] == "loss"]


def build(settings: dict[str, Any]) -> CrossSparseAggrNet:
    names = ("embed_size", "num_patches", "sparse_ratio", "aggr_ratio", "top_k", "use_dual_aggr", "beta")
    options = {name: settings[name] for name in names if name in settings}
    return CrossSparseAggrNet(**options, use_paper_version=settings["variant"] == "paper")


def vectors(name: str) -> dict[str, torch.Tensor]:
    """A file's tensors; dense captions are called "long" in the files, as in the released code."""
    tensors = load_file(GOLDEN / f"{name}.safetensors")
    return {key.replace("long_cap", "dense_cap"): tensor for key, tensor in tensors.items()}


def under(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}


def test_the_copy_is_the_original() -> None:
    if not SHARED.is_dir():
        pytest.skip("shared/golden is missing: only the copy in tests/golden is tested")
    originals = sorted(path.name for path in SHARED.iterdir())
    assert sorted(path.name for path in GOLDEN.iterdir()) == originals
    for name in originals:
        assert (GOLDEN / name).read_bytes() == (SHARED / name).read_bytes(), name


def test_every_file_is_in_the_manifest() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.safetensors")) == sorted(MANIFEST)
    assert (len(NETWORKS), len(LOSSES)) == (30, 4)


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str) -> None:
    settings, tensors = MANIFEST[name], vectors(name)
    model = build(settings)
    model.load_state_dict(under(tensors, "param."), strict=True)
    inputs = under(tensors, "in.")
    for value in inputs.values():
        if value.is_floating_point():
            value.requires_grad_()

    model.train()
    similarity, masks = model(**inputs)
    torch.testing.assert_close(similarity, tensors["out.similarity"], atol=1e-5, rtol=0)
    if settings["variant"] == "released":
        assert torch.equal(masks, tensors["out.score_mask"])
    else:
        expected = [tensors[key] for key in ("out.mask_sparse", "out.mask_dense") if key in tensors]
        assert isinstance(masks, tuple)
        assert len(masks) == len(expected)
        for mask, golden in zip(masks, expected, strict=True):
            assert torch.equal(mask, golden)

    (similarity * tensors["grad_weight"]).sum().backward()
    gradients = {f"grad.{key}": value.grad for key, value in inputs.items() if value.is_floating_point()}
    gradients |= {f"grad.param.{key}": value.grad for key, value in model.named_parameters()}
    for key, gradient in gradients.items():
        assert (gradient is not None) == (key in tensors), f"{key}: present only in one of them"
        if gradient is not None:
            golden = tensors[key]
            # The last bias moves all of a softmax's logits alike: its true gradient is 0, both hold rounding noise.
            floor = 1e-6
            assert float((gradient - golden).abs().max()) <= 1e-4 * float(golden.abs().max()) + floor, key

    model.eval()
    with torch.no_grad():
        torch.testing.assert_close(model(**inputs), tensors["out.similarity"], atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", [name for name in NETWORKS if name.startswith("paper")])
def test_extra_token(name: str) -> None:
    settings, tensors = MANIFEST[name], vectors(name)
    model = build(settings)
    model.load_state_dict(under(tensors, "param."))
    inputs = under(tensors, "in.")
    image = model.encode_images(inputs["img_embs"])
    for i in range(len(inputs["cap_lens"])):
        pair = one_pair(inputs, 0, i)
        with torch.no_grad():
            match = model.match(image, pair["cap_embs"], pair.get("dense_cap_embs"))
        extra = match.sparse.selection.extra_weights[:, None].float() @ image.patches  # (B_v, 1, C)
        torch.testing.assert_close(extra, tensors["out.extra_token_sparse"][i], atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", LOSSES)
def test_loss(name: str) -> None:
    settings, tensors = MANIFEST[name], vectors(name)
    outputs = under(tensors, "out.")
    assert len(outputs) == 4
    for key, golden in outputs.items():
        kind, lambdas = key.split(".", 1)
        lambda_sparse, lambda_dense = map(float, lambdas.split("_"))
        margin, ratio, weight = (settings[name] for name in ("margin", "target_ratio", "ratio_weight"))
        criterion = SEPSLoss(margin, ratio, weight, lambda_sparse=lambda_sparse, lambda_dense=lambda_dense)
        criterion.set_max_violation(settings["max_violation"])
        sparse = tensors["mask_sparse"]
        masks = (sparse, tensors["mask_dense"]) if kind == "pair" else sparse
        losses = torch.stack(criterion(tensors["similarity"], masks, tensors.get("img_ids")))
        torch.testing.assert_close(losses, golden, atol=1e-5, rtol=0, msg=key)
