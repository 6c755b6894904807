"""Modules that run parts of the model's code, traced as ONNX graphs.

| graph | takes | gives |
|---|---|---|
| image | pixels (B, 3, S, S) | patches (B, N[+1], C); with class vectors also the fields of `PatchClasses` |
| text | ids (B, L), lengths (B,) | words (B, L, C), zero at the padding |
| features | patches (B, N[+1], C) | image features for ranking: logits (B, N_c, N); s_im and s_p (B, N) |
| rank | features of B images, words (L, C) without padding | similarity (B,), S(I, T) |
| pair | patches (N[+1], C), words (L, C) | every array and term of the explanation, by the record's names |
| forced | patches, words, mask (N,) bool | the same with a forced decision |
"""

import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn.utils import parametrize

from seps.explanation.forward_pass import (
    alignment_arrays,
    alignment_terms,
    cosines,
    selection_arrays,
    token_weights,
)
from seps.method.network import CrossSparseAggrNet, ImageFeatures
from seps.method.selection import normalise_patches
from seps.method.tokens import split_cls
from seps.models.export.packing import SMALL
from seps.models.model import SEPSModel

OPSET = 20  # of ONNX: the first with GELU
Tensors = dict[str, Tensor]


class Image(nn.Module):
    """Pixels to patches, and the classifier's output at them if the model adds class vectors."""

    def __init__(self, model: SEPSModel) -> None:
        super().__init__()
        self.encoder = model.img_enc

    def forward(self, pixels: Tensor) -> Tensors:
        """Encode (B, 3, S, S), normalised, as (B, N[+1], C)."""
        features = self.encoder.features(pixels)
        seen = self.encoder.patch_classes(features)
        return {"patches": self.encoder.project(features)} | ({} if seen is None else seen._asdict())


class Text(nn.Module):
    """Token ids to words."""

    def __init__(self, model: SEPSModel) -> None:
        super().__init__()
        self.encoder = model.txt_enc

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensors:
        """Encode ids (B, L) of captions with lengths (B,) as (B, L, C)."""
        return {"words": self.encoder(ids, lengths)}


class NetworkPart(nn.Module):
    """Base class of the modules that run the network."""

    def __init__(self, network: CrossSparseAggrNet) -> None:
        super().__init__()
        self.network = network


class Features(NetworkPart):
    """Image features for ranking, computed once for all captions."""

    def forward(self, patches: Tensor) -> Tensors:
        """Return `logits`, `s_im` and, in the paper variant, `s_p` of (B, N[+1], C)."""
        image = self.network.encode_images(patches)
        s_p = {} if image.s_p[0] is None else {"s_p": image.s_p[0]}
        return {"logits": image.logits[0], "s_im": image.s_im, **s_p}


class Rank(NetworkPart):
    """Scores of one caption for many images."""

    def forward(
        self, patches: Tensor, words: Tensor, logits: Tensor, s_im: Tensor, s_p: Tensor | None = None
    ) -> Tensors:
        """Return `similarity` (B,) of patches (B, N[+1], C) and words (L, C), with the outputs of `Features`."""
        cls, plain = split_cls(patches, self.network.num_patches)
        image = ImageFeatures(cls, plain, normalise_patches(plain), s_im, (s_p, None), (logits, logits))
        return {"similarity": self.network.match(image, words).similarity}


class Pair(NetworkPart):
    """Explanation of one image and one caption."""

    def forward(self, patches: Tensor, words: Tensor, mask: Tensor | None = None) -> Tensors:
        """Return the record of (N[+1], C) and (L, C), optionally under a forced decision (N,) bool."""
        match = self.network.match(self.network.encode_images(patches[None]), words, mask=mask)
        has_cls = len(patches) > self.network.num_patches
        selection, weights = match.sparse.selection, match.sparse.weights
        assert weights is not None  # the sparse branch always merges what it keeps
        return {
            **{name: values[0] for name, values in selection.parts.items()},
            **selection_arrays(selection),
            "aggregation_weights": weights[0],
            **alignment_arrays(match.alignments[0], token_weights(match, 0, has_cls)),
            "patch_cosines": cosines(words, patches[-self.network.num_patches :]),
            **{name: values[0] for name, values in alignment_terms(match.alignments[0]).items()},
        }


@dataclass(frozen=True)
class Graph:
    """A module to export, whose `forward` returns a dict, with its input dimensions (a name if variable)."""

    module: nn.Module
    sizes: dict[str, tuple[int | str, ...]]

    def inputs(self, seed: int = 0, **sizes: int) -> Tensors:
        """Draw random inputs with the given variable sizes."""
        rng = torch.Generator().manual_seed(seed)
        return {
            name: drawn(name, [sizes[size] if isinstance(size, str) else size for size in shape], sizes, rng)
            for name, shape in self.sizes.items()
        }


def drawn(name: str, shape: list[int], sizes: dict[str, int], rng: torch.Generator) -> Tensor:
    """Draw a random value for an input; "dense_" before its name is ignored."""
    name = name.removeprefix("dense_")
    if name == "ids":
        return torch.randint(1, sizes["vocabulary"], shape, generator=rng)
    if name == "lengths":
        return torch.randint(2, sizes["words"] + 1, shape, generator=rng)
    if name == "mask":
        return (torch.rand(shape, generator=rng) < 0.3).index_fill(0, torch.tensor(0), True)  # at least 1
    values = torch.randn(shape, generator=rng)
    return values.double().sigmoid() if name in ("s_im", "s_p", "score") else values


def exportable(model: SEPSModel) -> SEPSModel:
    """Copy a model to the CPU, in evaluation mode, with low-rank differences merged into the weights."""
    copy = deepcopy(model).cpu().float().eval()
    copy.requires_grad_(False)
    copy.tokenizer = model.tokenizer  # a copy of it would take "[SEP]" in a caption for the special token
    for module in list(copy.modules()):
        for name, part in list(module.named_children()):
            if isinstance(part, nn.Linear) and parametrize.is_parametrized(part, "weight"):
                module.register_module(name, remove_parametrization(part))
    return copy


def remove_parametrization(layer: nn.Linear) -> nn.Linear:
    """Return a plain layer with the same weights; PyTorch's own removal changes copies of the layer too."""
    plain = nn.Linear(layer.in_features, layer.out_features, bias=False)
    plain.weight, plain.bias = nn.Parameter(layer.weight.detach(), requires_grad=False), layer.bias
    return plain.eval()


def graphs_of(model: SEPSModel) -> dict[str, Graph]:
    """Return the graphs of an `exportable` model by name (see the table above)."""
    network, side = model.cross_net, model.config.vision.image_size
    count = network.num_patches  # N
    patches, words = (count + model.img_enc.has_cls, network.embed_size), ("words", network.embed_size)
    ranked = {"logits": (network.num_tokens, count), "s_im": (count,)} | (
        {"s_p": (count,)} if network.use_paper_version else {}
    )
    return {
        "image": Graph(Image(model), {"pixels": ("images", 3, side, side)}),
        "text": Graph(Text(model), {"ids": ("captions", "words"), "lengths": ("captions",)}),
        "features": Graph(Features(network), {"patches": ("images", *patches)}),
        "rank": Graph(
            Rank(network),
            {"patches": ("images", *patches), "words": words}
            | {name: ("images", *shape) for name, shape in ranked.items()},
        ),
        "pair": Graph(Pair(network), {"patches": patches, "words": words}),
        "forced": Graph(Pair(network), {"patches": patches, "words": words, "mask": (count,)}),
    }


def to_onnx(graph: Graph, vocabulary: int) -> Any:
    """Trace a graph into an `onnx.ModelProto` without the source locations of its nodes."""
    from onnxscript.optimizer import fold_constants, remove_unused_nodes

    inputs = graph.inputs(images=2, captions=2, words=7, dense=9, vocabulary=vocabulary)
    with torch.no_grad():
        names = list(graph.module(*inputs.values()))
    dims = {
        name: Dim(name, min=2 if name in ("words", "dense") else 1)
        for shape in graph.sizes.values()
        for name in shape
        if isinstance(name, str)
    }
    shapes = tuple(
        {i: dims[size] for i, size in enumerate(shape) if isinstance(size, str)} for shape in graph.sizes.values()
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"# The axis name: \w+ will not be used")  # two inputs may share a size
        program: Any = torch.onnx.export(
            graph.module.eval(),
            tuple(inputs.values()),
            dynamo=True,
            opset_version=OPSET,
            input_names=list(inputs),
            output_names=names,
            dynamic_shapes=shapes,
            custom_translation_table=TRANSLATIONS,
            optimize=False,  # it would drop the addition of a small epsilon as one of 0
            verbose=False,
        )
    fold_constants(program.model, input_size_limit=SMALL, output_size_limit=SMALL)  # and no weights
    remove_unused_nodes(program.model)
    proto = program.model_proto
    for part in (proto, proto.graph, *proto.graph.node, *proto.graph.initializer, *proto.graph.value_info):
        part.ClearField("metadata_props")  # where in the code it comes from, paths and all
    return proto


def gelu(self: Any, approximate: str = "none") -> Any:
    """Translate GELU; in float64, which ONNX Runtime does not support, erf is computed in float32."""
    from onnx import TensorProto

    op = operators()
    if self.dtype != TensorProto.DOUBLE:
        return op.Gelu(self, approximate=approximate)
    root = op.Constant(value=_number(0.5**0.5))
    erf = op.Cast(op.Erf(op.Cast(op.Mul(self, root), to=TensorProto.FLOAT)), to=TensorProto.DOUBLE)
    half = op.Constant(value=_number(0.5))
    return op.Mul(op.Mul(self, half), op.Add(erf, op.Constant(value=_number(1.0))))


def sort(self: Any, stable: bool | None = None, dim: int = -1, descending: bool = False) -> Any:
    """Translate a stable sort: ONNX's TopK also puts the earlier of equal values first."""
    op = operators()
    axis = dim % len(self.shape)
    count = op.Shape(self, start=axis, end=axis + 1)
    return op.TopK(self, count, axis=dim, largest=int(descending), sorted=1)


def mean(self: Any, dim: Sequence[int], keepdim: bool = False, dtype: int | None = None) -> Any:
    """Translate a mean with another precision: cast first, as PyTorch does."""
    op = operators()
    values = self if dtype is None else op.Cast(self, to=dtype)
    return op.ReduceMean(values, op.Constant(value_ints=list(dim)), keepdims=int(keepdim))


def operators() -> Any:
    """Return ONNX's operators."""
    from onnxscript import opset20

    return opset20


def _number(value: float) -> Any:
    """Return a constant in float64."""
    from onnx import TensorProto, helper

    return helper.make_tensor("number", TensorProto.DOUBLE, [], [value])


TRANSLATIONS: dict[Any, Callable[..., Any]] = {
    torch.ops.aten.gelu.default: gelu,
    torch.ops.aten.mean.dim: mean,
    torch.ops.aten.sort.stable: sort,
}
