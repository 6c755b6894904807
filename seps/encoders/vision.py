"""Image encoder: pixels to patch embeddings, row by row of the grid."""

from __future__ import annotations

import warnings
from math import ceil
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from seps.encoders.classes import ALL, ClassMap, PatchClasses
from seps.encoders.config import VisionConfig
from seps.encoders.heads import ContextHead
from seps.encoders.tails import let_learn, passed, vision_parts
from seps.encoders.weights import vision_backbone


class Tail(NamedTuple):
    """A backbone's frozen parts, its trained parts, and the grid (H_m, W_m) of the frozen part's map of each view."""

    stem: list[nn.Module]
    rest: list[nn.Module]
    grids: list[tuple[int, ...]]


KNOWN_SHAPES: dict[tuple[str, int], tuple[int, ...]] = {}  # shape of one image's features by encoder and image size


class VisionEncoder(nn.Module):
    """A timm backbone (token list or feature map) with a projection of its N = H * W patches to C channels."""

    def __init__(self, config: VisionConfig, embed_size: int) -> None:
        super().__init__()
        self.config = config
        self.visual_encoder = vision_backbone(config)
        self.width = int(self.visual_encoder.num_features)  # type: ignore[arg-type]
        self.vision_proj = nn.Linear(self.width, embed_size)
        self.layout, self.prefix, self.grid = feature_layout(self.visual_encoder, config)
        self.num_patches = self.grid[0] * self.grid[1]
        self.has_cls = config.cls != "none"
        self.tail: Tail | None = None
        self.frozen_until = ""
        self.context: ContextHead | None = None
        if config.context_size:
            self.context = ContextHead(self.width, 2 * self.width, embed_size, config.dropout)
        self.classes = ClassMap(config, embed_size) if config.classes.names else None
        if config.cls == "encoder" and not (self.prefix and has_class_token(self.visual_encoder)):
            raise ValueError(f"vision.cls is 'encoder', but {config.encoder} has no [CLS] token: take mean or none.")

    def forward(self, images: Tensor) -> Tensor:
        """Embed normalised images (B, 3, S, S): (B, N, C), or (B, N+1, C) with [CLS] first."""
        return self.project(self.features(images))

    def freeze_until(self, name: str) -> None:
        """Freeze the backbone up to its part `name` and train the rest as part of the projection."""
        stem, rest = vision_parts(self.visual_encoder, name)
        if self.classes is not None and name != self.config.classes.shared_until:
            raise ValueError(
                f"training.frozen_until is {name!r}, but vision.classes.shared_until is "
                f"{self.config.classes.shared_until!r}: set both to the same part."
            )
        self.visual_encoder.requires_grad_(False)
        let_learn(rest)
        self.visual_encoder.eval()
        with torch.no_grad():
            sizes = (self.config.image_size, self.config.context_size)
            grids = [tuple(passed(stem, torch.zeros(1, 3, size, size)).shape[2:]) for size in sizes if size]
        self.tail, self.frozen_until = Tail(stem, rest, grids), name

    def train(self, mode: bool = True) -> VisionEncoder:
        """Switch to training mode; a partly frozen backbone stays in evaluation mode."""
        super().train(mode)
        if self.tail is not None:
            self.visual_encoder.eval()
        return self

    def project(self, features: Tensor) -> Tensor:
        """Map the output of `features` to embeddings (B, N[+1], C)."""
        embedded, packed = self._projected(self.finished(features))
        if self.classes is None or packed.shape[-1] == 0:
            return embedded
        return self.classes(embedded, packed)

    def patch_classes(self, features: Tensor) -> PatchClasses | None:
        """Return the classifier's output at the patches of images, from their `features`; None without classes."""
        if self.classes is None:
            return None
        embedded, packed = self._projected(self.finished(features))
        seen = packed[..., 0].long(), packed[..., self.config.classes.count], self.classes.added(embedded, packed)
        return PatchClasses(*(values[:, int(self.has_cls) :] for values in seen))

    def _projected(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Project features without classes, (B, N[+1], C), and return their class features or (B, N[+1], 0)."""
        tokens, packed = features[..., : self.width], features[..., self.width :]
        if self.context is None:
            return self.vision_proj(tokens), packed
        patches, view = tokens[:, :-1], tokens[:, -1]  # (B, N, D_v), (B, D_v)
        return self.context(self.vision_proj, patches, self.summary(patches, view)), packed[:, : patches.shape[1]]

    @staticmethod
    def summary(patches: Tensor, view: Tensor) -> Tensor:
        """Return the summary of the whole image for context: the mean patch and the smaller view's mean, (B, 2 D_v)."""
        return torch.cat([patches.mean(dim=1), view], dim=-1)

    def features(self, images: Tensor) -> Tensor:
        """Return the backbone's features of images as for `forward`: (B, N[+1], D_v).

        With context the smaller view's mean feature is last. With a tail the cells of the frozen part's maps, (B, M,
        D_m), the smaller view's last. With classes the D_v channels are followed by those of `ClassMap.packed`.
        """
        size = self.config.image_size
        if images.ndim != 4 or images.shape[1:] != (3, size, size):
            raise ValueError(f"images has shape {tuple(images.shape)}, but (B, 3, {size}, {size}) is needed.")
        views = [images]
        if self.context is not None:
            smaller = (self.config.context_size, self.config.context_size)
            views.append(F.interpolate(images, smaller, mode="bicubic", antialias=True))  # (B, 3, smaller, smaller)
        if self.tail is not None:
            return torch.cat([flat(passed(self.tail.stem, view)) for view in views], dim=1)
        shared = self.config.classes.shared_until
        if self.classes is None or shared in ("", ALL):
            return self._joined([self._tokens(self.visual_encoder, view) for view in views], images)
        stem, rest = vision_parts(self.visual_encoder, shared)
        maps = [passed(stem, view) for view in views]  # (B, D_m, H_m, W_m)
        return self._joined([flat(passed(rest, view)) for view in maps], maps[0])

    def finished(self, features: Tensor) -> Tensor:
        """Pass maps of the frozen part through the tail: (B, N[+1], D_v); unchanged without a tail."""
        if self.tail is None:
            return features
        counts = [height * width for height, width in self.tail.grids]
        maps = [
            cells.transpose(1, 2).unflatten(2, grid)  # (B, D_m, H_m, W_m)
            for cells, grid in zip(features.split(counts, dim=1), self.tail.grids, strict=True)
        ]
        return self._joined([flat(passed(self.tail.rest, view)) for view in maps], maps[0])

    def _joined(self, views: list[Tensor], shared: Tensor) -> Tensor:
        """Join the tokens of the image (B, P + N, D_v) and of its optional smaller view to features."""
        features = self._features(views)
        if self.classes is None:
            return features
        with torch.no_grad():
            packed = self.classes.packed(self._known(views[0], shared)[:, self.prefix :])  # (B, N, 4 count)
        first = packed[:, :1].clone()  # of [CLS] and of the smaller view: the image's classes
        first[..., : 2 * self.config.classes.count] = first[..., 2 * self.config.classes.count :]
        before, behind = [first] * self.has_cls, [first] * (self.context is not None)
        return torch.cat([features.float(), torch.cat([*before, packed, *behind], dim=1)], dim=-1)

    def _known(self, tokens: Tensor, shared: Tensor) -> Tensor:
        """Return the original backbone's tokens of the image, (B, P + N, D_v)."""
        assert self.classes is not None
        if self.classes.backbone is None:
            return tokens
        if self.config.classes.shared_until:
            return flat(self.classes.backbone(shared))
        return self._tokens(self.classes.backbone, shared)

    def _features(self, views: list[Tensor]) -> Tensor:
        """Join the tokens to features without classes."""
        tokens = views[0]
        patches = tokens[:, self.prefix :]  # (B, N, D_v)
        if len(views) > 1:
            return torch.cat([patches, views[1].mean(dim=1, keepdim=True)], dim=1)
        if self.config.cls == "none":
            return patches
        # Prefix tokens after [CLS] are registers or a distillation token.
        first = tokens[:, :1] if self.config.cls == "encoder" else patches.mean(dim=1, keepdim=True)  # (B, 1, D_v)
        return torch.cat([first, patches], dim=1)

    def _tokens(self, backbone: nn.Module, images: Tensor) -> Tensor:
        """Return all tokens of a backbone, prefix tokens first, then patches row by row: (B, P + N, D_v)."""
        output = backbone.forward_features(images)  # type: ignore[operator]
        if self.layout == "NCHW":
            output = output.permute(0, 2, 3, 1)  # (B, H, W, D_v)
        return output if self.layout == "tokens" else output.flatten(1, 2)


class StoredImages(VisionEncoder):
    """Stands in for an image encoder that is not needed, since embeddings of N patches are read from a table."""

    def __init__(self, config: VisionConfig, num_patches: int) -> None:
        nn.Module.__init__(self)
        self.config, self.num_patches = config, num_patches
        self.classes, self.tail = None, None


def flat(maps: Tensor) -> Tensor:
    """Return the cells of maps (B, D, H, W) row by row, (B, H * W, D)."""
    return maps.flatten(2).transpose(1, 2)


def feature_layout(backbone: nn.Module, config: VisionConfig) -> tuple[str, int, tuple[int, int]]:
    """Return the layout of features ("tokens", "NCHW" or "NHWC"), tokens before the patches, and the grid (H, W)."""
    key = (config.encoder, config.image_size)
    if key not in KNOWN_SHAPES:
        KNOWN_SHAPES[key] = feature_shape(backbone, config)
    shape = KNOWN_SHAPES[key]
    stride = int(backbone.feature_info[-1]["reduction"])  # type: ignore[index]
    width = int(backbone.num_features)  # type: ignore[arg-type]
    if len(shape) == 2:
        prefix = int(getattr(backbone, "num_prefix_tokens", 0))
        side = ceil(config.image_size / stride)
        layout, grid = "tokens", (side, side)
        expected: tuple[int, ...] = (prefix + side * side, width)
    else:
        prefix = 0
        layout = str(getattr(backbone, "output_fmt", "NCHW"))
        height, across = shape[1:] if layout == "NCHW" else shape[:2]
        grid = (height, across)
        expected = (width, *grid) if layout == "NCHW" else (*grid, width)
    if shape != expected and layout == "tokens" and config.image_size % stride:
        raise ValueError(f"{config.encoder} {describe_untiled(config, stride)}")
    if shape != expected or layout not in ("tokens", "NCHW", "NHWC"):
        raise ValueError(
            f"{config.encoder} at {config.image_size} pixels gives an image features of shape {shape}, but what timm "
            f"says of it ({layout}) makes {expected}: the positions of its patches are unknown. Choose another encoder."
        )
    if (grid[0] * stride, grid[1] * stride) != (config.image_size, config.image_size):
        warnings.warn(
            f"{config.encoder} makes {grid[0]} x {grid[1]} patches of {stride} pixels, which do not tile an image of "
            f"{config.image_size} x {config.image_size}: what is painted on the grid lies a little off. Take an "
            f"image_size that {stride} divides.",
            stacklevel=3,
        )
    return layout, prefix, grid


def describe_untiled(config: VisionConfig, stride: int) -> str:
    """Explain that an encoder's patches do not tile its image and suggest sizes."""
    size, below = config.image_size, config.image_size // stride * stride
    nearest = f"{below} or {below + stride}" if below else f"{stride}"
    return (
        f"has patches of {stride} x {stride} pixels, which do not tile an image of {size} x {size}: take an image_size "
        f"that {stride} divides, {nearest}."
    )


def feature_shape(backbone: nn.Module, config: VisionConfig) -> tuple[int, ...]:
    """Return the shape of one image's features, 2 or 3 numbers, without computing them."""
    tensors = dict(backbone.named_parameters()) | dict(backbone.named_buffers())
    shadows = {f"backbone.{name}": tensor.detach().to("meta") for name, tensor in tensors.items()}
    images = torch.empty(2, 3, config.image_size, config.image_size, device="meta")
    try:
        with torch.no_grad():
            output = functional_call(_Features(backbone), shadows, (images,))
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        patch = patch_side(backbone)
        if patch and config.image_size % patch:
            raise ValueError(f"{config.encoder} {describe_untiled(config, patch)}") from error
        raise ValueError(
            f"{config.encoder} does not take images of {config.image_size} x {config.image_size} pixels: {error}"
        ) from error
    if not isinstance(output, Tensor) or output.ndim not in (3, 4):
        what = tuple(output.shape) if isinstance(output, Tensor) else f"a {type(output).__name__}"
        raise ValueError(f"{config.encoder} gives {what}, but a token list or a feature map is needed.")
    return tuple(output.shape[1:])


def patch_side(backbone: nn.Module) -> int:
    """Return the side in pixels of a backbone's input patches; 0 if it has none."""
    patch = getattr(getattr(backbone, "patch_embed", None), "patch_size", 0)
    return int(patch[0] if isinstance(patch, (tuple, list)) and patch else patch or 0)


def has_class_token(backbone: nn.Module) -> bool:
    """Return whether the first token is [CLS] and not a register."""
    return bool(getattr(backbone, "has_class_token", getattr(backbone, "cls_token", None) is not None))


class _Features(nn.Module):
    """Wrapper that calls a backbone's `forward_features`."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, images: Tensor) -> Any:
        return self.backbone.forward_features(images)  # type: ignore[operator]
