"""A model for the static page: its graphs, its tokenizer, and what is said of captions."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from numpy.polynomial.legendre import leggauss

from demo.service.captions import COMMON, MAX_CHARACTERS
from demo.service.retrieval import RetrievalService
from demo.static.lesson import write_dense, write_lesson
from seps.common.files import json_text
from seps.common.progress import Progress
from seps.explanation.attribution import POINTS
from seps.explanation.caption_words import FUNCTION_WORDS
from seps.method.alignment import HRPA
from seps.models.export.folder import MANIFEST, export, round_model
from seps.models.export.graphs import exportable
from seps.models.model import SEPSModel

LANGUAGE = "language.json"
LARGE = 4_000_000  # in bytes; larger graphs store their weights in a separate file


def page_model(model: SEPSModel) -> SEPSModel:
    """Return the page's version of a model: weights rounded to 16 bits by `round_model`."""
    copy = exportable(model)
    round_model(copy)
    return copy


def write_model(service: RetrievalService, folder: Path, progress: Progress = False) -> None:
    """Write a model's graphs and language data to a folder."""
    export(service.model, folder, service.name, small=True, progress=progress)
    set_weights_apart(folder)
    write_lesson(service.model, folder)
    write_dense(service.model, folder)
    language = {  # notes on captions and words, and the parameters that split S(I, T) among words
        "max_characters": MAX_CHARACTERS,
        "max_dense_words": service.model.config.text.max_dense_words,
        "common": sorted(COMMON),
        "relevance": relevance_facts(service.model.cross_net.hrpa),
        "function_words": sorted(FUNCTION_WORDS),
    }
    (folder / LANGUAGE).write_text(json.dumps(language, ensure_ascii=False), encoding="utf-8")


def set_weights_apart(folder: Path, large: int = LARGE) -> None:
    """Move the weights of large graphs to files named in the manifest, which ONNX Runtime uses without copies."""
    import onnx

    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    for title, facts in manifest["graphs"].items():
        if facts["bytes"] < large:
            continue
        graph, weights = folder / facts["file"], f"{title}.weights"
        onnx.save(onnx.load(str(graph)), str(graph), save_as_external_data=True, location=weights)
        (folder / weights).chmod(graph.stat().st_mode)  # a host may read it too
        facts |= {"weights": weights, "bytes": graph.stat().st_size}
        for file in (graph, folder / weights):
            content = file.read_bytes()
            manifest["files"][file.name] = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    (folder / MANIFEST).write_text(json_text(manifest), encoding="utf-8")


def nodes_without_kernel(graph: Path) -> list[str]:
    """Return the names of a graph's nodes that ONNX Runtime would run on WebGPU but cannot: Resize with
    antialiasing."""
    import onnx

    nodes = onnx.load(str(graph), load_external_data=False).graph.node
    return [node.name for node in nodes if any(part.name == "antialias" and part.i for part in node.attribute)]


def relevance_facts(hrpa: HRPA) -> dict[str, Any] | None:
    """Return the relevance network's weights and integration points, see `attribute_relevance`; None without one."""
    if not hrpa.use_paper_version:
        return None
    layers: Any = hrpa.relevance_mlp
    first, _, last = layers
    nodes, weights = leggauss(POINTS)  # on [-1, 1]
    return {
        "top_k": hrpa.top_k,
        "first": {"weight": first.weight.tolist(), "bias": first.bias.tolist()},
        "last": {"weight": last.weight[0].tolist(), "bias": last.bias.item()},
        "nodes": ((nodes + 1) / 2).tolist(),
        "weights": (weights / 2).tolist(),
    }
