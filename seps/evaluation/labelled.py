"""Zero-shot ranking: which names does a model give photographs of anything? `python -m seps.evaluation.labelled`.

    python -m seps.evaluation.labelled --model photos --data DIR --json results.json

DIR holds `images/` and `manifest.json`, a list of objects with "file" and "label", one name of what the photograph
shows. Every name makes one caption, "a photo of a NAME". Each photograph ranks all names, and each name all
photographs; a name's right answers are all photographs with that label, and the best of them counts. Recall at 1, 5
and 10 both ways, and the six added, for S(I, T), for pooled embeddings, and for both added as `seps.evaluation.pooled`
adds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from seps.cli import Parser, errors_in_one_line
from seps.data.labelled import Labelled, class_caption, read_labelled
from seps.evaluation.cli import choose_device, read_results, write_result
from seps.evaluation.pooled import TITLES, added
from seps.evaluation.results import plain, recall_lines
from seps.evaluation.retrieval import encode_files
from seps.evaluation.scenes import pooled_cosines
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.progress import Progress
from seps.search.engine import ScoringEngine
from seps.search.metrics import RetrievalMetrics, summarize


def first_right(similarity: Tensor, right: Tensor) -> Tensor:
    """Return the rank of each query's best right answer among all, (queries,), 1 is first; ties with wrong ones count
    against.

    Args:
        similarity: (queries, answers); right: the same shape, bool, at least one right answer a query.
    """
    best = similarity.masked_fill(~right, -torch.inf).amax(dim=1, keepdim=True)  # (queries, 1)
    return ((similarity >= best) & ~right).sum(dim=1) + 1


def labelled_metrics(similarity: Tensor, labels: Sequence[int]) -> RetrievalMetrics:
    """Recalls of photographs that rank names, and of names that rank photographs.

    Args:
        similarity: (V, T); labels: (V,), each photograph's name, every name at least once.
    """
    right = torch.tensor(labels)[:, None] == torch.arange(similarity.shape[1])  # (V, T)
    return RetrievalMetrics(summarize(first_right(similarity, right)), summarize(first_right(similarity.T, right.T)))


def measure_labelled(model: SEPSModel, labelled: Labelled, progress: Progress = False) -> dict[str, RetrievalMetrics]:
    """Measure a model on labelled photographs: "seps", "pooled" and "added".

    Args:
        model: in whatever mode; measured as in evaluation mode. progress: as in `ScoringEngine`.

    Raises:
        ValueError: a photograph that cannot be read.
    """
    engine = ScoringEngine(model.cross_net, progress=progress)
    photos = encode_files(model, labelled.files, progress)  # (V, N[+1], C)
    words, lengths = model.encode_captions([class_caption(name) for name in labelled.names])  # (T, L, C)
    similarity = engine.score(engine.encode_images(photos), engine.encode_captions(words, lengths)).cpu()
    pooled = pooled_cosines(photos[:, -model.img_enc.num_patches :], words, lengths)
    scores = {"seps": similarity, "pooled": pooled, "added": added(similarity, pooled)}
    return {name: labelled_metrics(score, labelled.labels) for name, score in scores.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parser = Parser(prog="python -m seps.evaluation.labelled", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", required=True, help="a shipped model's name, a folder, or a hub repo (owner/name)")
    parser.add_argument("--data", required=True, type=Path, help="folder with images/ and manifest.json")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the result to this file, other results stay")
    parser.add_argument("--device", help="where to compute; default: CUDA where there is one, else the CPU")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        if options.json is not None:
            read_results(options.json)
        labelled = read_labelled(options.data)
        model = load_model(options.model).to(choose_device(options.device))
        measured = measure_labelled(model, labelled, progress=True)
        counts = f"{len(labelled.files):,} photographs, {len(labelled.names):,} names"
        for name, metrics in measured.items():
            title = f"{options.model} on labelled photographs: {TITLES[name]}"
            print("\n".join(recall_lines(title, counts, metrics, None)))
        if options.json is not None:
            sizes: dict[str, Any] = {"photographs": len(labelled.files), "names": len(labelled.names)}
            write_result(options.json, "labelled", sizes | {name: plain(metrics) for name, metrics in measured.items()})


if __name__ == "__main__":
    main()
