"""A folder of ONNX graphs with manifest, config and tokenizer."""

import json
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from seps.common.checks import read_json
from seps.common.files import json_text, write_atomically
from seps.common.progress import Progress, with_progress
from seps.models.export.graphs import OPSET, Graph, exportable, graphs_of, to_onnx
from seps.models.export.packing import pack, round_weights
from seps.models.model import SEPSModel

PACKAGES = ("onnx", "onnxruntime", "onnxscript")
MANIFEST = "manifest.json"
FORMAT = 1  # of the folder: raised when a graph's inputs, outputs or names change
TOLERANCE = 1e-5  # of a graph's outputs against the model's, relative where they pass 1
SIZES = (  # that are compared
    {"images": 3, "captions": 2, "words": 9, "dense": 14},
    {"images": 1, "captions": 1, "words": 3, "dense": 5},
)


def export(
    model: SEPSModel,
    folder: str | Path,
    name: str = "",
    small: bool = False,
    progress: Progress = False,
) -> dict[str, Any]:
    """Write a model as ONNX graphs, see `seps.models.export.graphs`, that compute the same values."""
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise ValueError(f"An export needs {', '.join(missing)}: pip install 'seps-explorer[onnx]'")
    folder = Path(folder)
    if folder.is_file():
        raise ValueError(f"{folder} is a file: name a folder.")
    if (folder / MANIFEST).exists():
        raise ValueError(f"{folder} holds a {MANIFEST} already: name another folder.")
    plain = exportable(model)
    if small:
        round_model(plain)
    files = {"config.json": model.config.to_json().encode(), "tokenizer.json": tokenizer_json(model)}
    described = {}
    for title, graph in with_progress(list(graphs_of(plain).items()), "Exporting graphs", progress):
        content, facts = compiled(title, graph, plain.txt_enc.vocabulary)
        files[f"{title}.onnx"] = content
        described[title] = {"file": f"{title}.onnx", **facts}
    manifest = {"format": FORMAT, "model": name, **facts_of(model, small), "graphs": described}
    manifest["files"] = {
        file: {"bytes": len(content), "sha256": sha256(content).hexdigest()} for file, content in files.items()
    }
    files[MANIFEST] = json_text(manifest).encode()  # last, as the mark of a complete folder
    for file, content in files.items():
        with write_atomically(folder / file) as path:
            path.write_bytes(content)
    return manifest


def round_model(model: SEPSModel) -> None:
    """Round the weights of the text encoder and of a classifier's own parts to 16 bits, in place."""
    round_weights(model.txt_enc)
    if model.img_enc.classes is not None:
        round_weights(model.img_enc.classes)


def write_graphs(plain: SEPSModel, graphs: Mapping[str, Graph], folder: Path) -> None:
    """Write graphs of an `exportable` model into a folder, as TITLE.onnx; ValueError as `compiled`."""
    for title, graph in graphs.items():
        (folder / f"{title}.onnx").write_bytes(compiled(title, graph, plain.txt_enc.vocabulary)[0])


def compiled(title: str, graph: Graph, vocabulary: int) -> tuple[bytes, dict[str, Any]]:
    """Return a graph's file and its entry in the manifest; ValueError if it differs from its module."""
    from onnxruntime import InferenceSession, SessionOptions

    proto = to_onnx(graph, vocabulary)
    pack(proto)
    content: bytes = proto.SerializeToString()
    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(content, options)
    largest = max(difference(session, graph, number, vocabulary) for number in range(len(SIZES)))
    if not largest <= TOLERANCE:
        raise ValueError(
            f"The graph {title!r} differs from the model by {largest:.1e}, but at most {TOLERANCE:.0e} is rounding: "
            f"take the versions of {', '.join(PACKAGES)} and torch that the tests were run with."
        )
    ends = {
        kind: [{"name": end.name, "type": end.type.split("(")[1][:-1], "shape": end.shape} for end in nodes]
        for kind, nodes in (("inputs", session.get_inputs()), ("outputs", session.get_outputs()))
    }
    return content, {"bytes": len(content), "largest_difference": largest, **ends}


def difference(session: Any, graph: Graph, number: int, vocabulary: int) -> float:
    """Return the largest difference of outputs, relative for values above 1; infinite for different kinds."""
    inputs = graph.inputs(seed=1 + number, vocabulary=vocabulary, **SIZES[number])
    with torch.no_grad():
        expected = {name: values.numpy() for name, values in graph.module(*inputs.values()).items()}
    names = [output.name for output in session.get_outputs()]
    outputs = dict(zip(names, session.run(None, {k: v.numpy() for k, v in inputs.items()}), strict=True))
    if outputs.keys() != expected.keys():
        return np.inf
    return max(apart(outputs[name], values) for name, values in expected.items())


def apart(values: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """Return the largest difference between two arrays, relative for values above 1."""
    if values.shape != expected.shape or values.dtype != expected.dtype:
        return np.inf
    if values.dtype.kind != "f":
        return 0.0 if np.array_equal(values, expected) else np.inf
    return float(np.abs(values - expected).max() / max(1.0, np.abs(expected).max()))


def facts_of(model: SEPSModel, small: bool) -> dict[str, Any]:
    """Return the facts about a model that a program needs besides its graphs."""
    network, vision, text = model.cross_net, model.config.vision, model.config.text
    selection = network.sparse_net_cap
    classes = {"class_names": list(model.class_names)} if model.class_names else {}
    whose = "the text encoder's and the classifier's" if classes else "the text encoder's"
    return {
        "opset": OPSET,
        "weights": f"{whose} rounded to 16 bits" if small else "exact",
        "versions": {package: version(package) for package in ("torch", *PACKAGES)},
        "variant": "paper" if network.use_paper_version else "released",
        "grid": list(model.grid),
        "has_cls": model.img_enc.has_cls,
        "embed_size": network.embed_size,
        "num_tokens": network.num_tokens,
        "sparse_ratio": network.sparse_ratio,
        "coefficients": selection.coefficients,
        **classes,
        "pixels": {
            "size": vision.image_size,
            "mean": list(vision.mean),
            "std": list(vision.std),
            "steps": "upright, RGB on white, squashed to size x size by antialiased bicubic in 8 bits as Pillow does, "
            "(value / 255 - mean) / std, channels first",
        },
        "captions": {
            "max_words": text.max_words,
            "cls_id": model.tokenizer.cls_id,
            "sep_id": model.tokenizer.sep_id,
            "pad_id": model.tokenizer.pad_id,
            "steps": "Unicode NFKC, pieces by tokenizer.json without special tokens, the first max_words - 2 of them "
            "between cls_id and sep_id",
        },
    }


def tokenizer_json(model: SEPSModel) -> bytes:
    """Return the tokenizer's file; special tokens typed in a caption are treated as ordinary words."""
    values = read_json(model.tokenizer.tokenizer.backend_tokenizer.to_str(), "the tokenizer")
    values["added_tokens"] = []
    return json.dumps(values, ensure_ascii=False).encode()
