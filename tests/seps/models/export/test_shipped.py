import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from torch import Tensor

import seps
from demo.galleries.sources.packaged import load_examples
from demo.galleries.sources.scenes import scenes_gallery
from seps.models.export.__main__ import main
from seps.models.export.folder import MANIFEST
from seps.models.model import SEPSModel
from tests.seps.models.export.onnx_graphs import TIE, TOLERANCE, Array, Graphs, assert_same_record

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[4]
LIBRARY = (ROOT / "assets" / "guide" / "library.md").read_text(encoding="utf-8")
PAIRS = 100
MEGABYTE = 1e6


def pairs_of(name: str) -> tuple[list[Image.Image], list[tuple[int, str]]]:
    """Pictures, and pairs of a picture's index and a caption: its own, then the next picture's."""
    if name == "photos":
        examples = load_examples()
        photos, captions = [example.photo() for example in examples], [example.captions for example in examples]
    else:
        items = scenes_gallery().items[:20]
        photos, captions = [item.photo() for item in items], [item.captions for item in items]
    true = [(i, caption) for i, texts in enumerate(captions) for caption in texts]
    false = [((i + 1) % len(photos), caption) for i, caption in true]
    return photos, [*true, *false][:PAIRS]


class Shipped:
    """A shipped model, its graphs, and its pairs encoded both ways."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.model: SEPSModel = seps.load_model(name)
        main([name, "--onnx", str(folder)])
        self.graph_facts = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["graphs"]
        self.graphs = Graphs(folder)
        photos, self.pairs = pairs_of(name)
        self.patches: Tensor = self.model.encode_photos(photos)
        pixels = [self.model.preprocess([photo]).numpy() for photo in photos]
        self.drawn: list[Array] = [self.graphs.run("image", pixels=part)["patches"][0] for part in pixels]

    def words(self, caption: str) -> Tensor:
        return self.model.encode_captions([caption])[0][0]


@pytest.fixture(scope="module", params=["scenes", "photos"])
def shipped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    return Shipped(request.param, tmp_path_factory.mktemp(request.param))


def test_from_pixels_and_ids_the_scores_and_masks_are_the_models(shipped: Shipped) -> None:
    model, tied = shipped.model, 0
    for index, caption in shipped.pairs:
        record = seps.explain(model.cross_net, shipped.patches[index], shipped.words(caption))
        words = shipped.graphs.words(model.tokenizer.encode(caption, model.config.text.max_words))
        outputs = shipped.graphs.run("pair", patches=shipped.drawn[index], words=words)
        changed = outputs["kept"] != record.sparse.kept
        border = np.sort(record.sparse.score)[-int(record.sparse.kept.sum())]
        assert (np.abs(record.sparse.score[changed] - border) < TIE).all(), caption
        tied += changed.any()
        assert abs(outputs["similarity"] - record.similarity) < TOLERANCE or changed.any(), caption
    assert len(shipped.pairs) == PAIRS and tied <= 1


def test_from_the_same_embeddings_every_field_of_the_record_is(shipped: Shipped) -> None:
    network, tied = shipped.model.cross_net, 0
    for index, caption in shipped.pairs:
        patches, words = shipped.patches[index], shipped.words(caption)
        inputs = {"patches": patches.numpy(), "words": words.numpy()}
        record = seps.explain(network, patches, words)
        tied += assert_same_record(shipped.graphs.run("pair", **inputs), record)
        mask = ~record.sparse.kept
        outputs = shipped.graphs.run("forced", **inputs, mask=mask)
        tied += assert_same_record(outputs, seps.explain(network, patches, words, mask=mask))
    assert tied <= 10  # of some ten thousand words and tokens


@pytest.mark.parametrize("shipped", ["scenes"], indirect=True)
def test_the_guides_sample_scores_as_the_model_does(
    shipped: Shipped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "`python -m seps.models.export scenes --onnx scenes-onnx`" in LIBRARY
    monkeypatch.chdir(tmp_path)
    Path("scenes-onnx").symlink_to(shipped.folder)
    with Image.open(ROOT / "assets" / "galleries" / "scenes" / "000.png") as picture:
        picture.save("picture.png")
        record = shipped.model.explain(picture, "a red car on the left")
    (sample,) = re.findall(r"<!-- onnx -->\n```python\n(.*?)```", LIBRARY, re.DOTALL)
    scope: dict[str, Any] = {}
    exec(sample, scope)
    assert abs(scope["score"] - record.similarity) < 1e-5
    np.testing.assert_array_equal(scope["kept"], record.sparse.kept)


def test_sizes_are_those_of_the_guide(shipped: Shipped) -> None:
    sizes = {name: graph["bytes"] / MEGABYTE for name, graph in shipped.graph_facts.items()}
    row = next(line for line in LIBRARY.splitlines() if line.startswith(f"| `{shipped.name}` |"))
    image, text, *_, others = (cell.strip() for cell in row.split("|")[2:-1])
    assert [image, text] == [f"{sizes['image']:.1f}", f"{sizes['text']:.1f}"]
    assert others == f"{sum(sizes[name] for name in ('features', 'rank', 'pair', 'forced')):.1f}"
