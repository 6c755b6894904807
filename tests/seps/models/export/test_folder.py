import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from tokenizers import Tokenizer
from torch import nn

import seps
from seps.encoders.text import LowRank
from seps.models.config import ModelConfig
from seps.models.export import folder as export_folder
from seps.models.export.__main__ import main
from seps.models.export.folder import export
from seps.models.export.graphs import exportable, graphs_of
from seps.models.export.packing import SMALL, smallest
from seps.models.model import SEPSModel
from tests.helpers.models.tiny import tiny_model_with_classes, tiny_settings
from tests.seps.models.export.onnx_graphs import Graphs, assert_same_record

CAPTIONS = ["", "snow", "a dog.", "a dog runs in a snow a a a a", "[SEP] a dog"]  # of 2 to 8 tokens, fewer than K too
WITH_CLS: dict[str, Any] = {"text": {"low_rank": 2}}
ALL = ("image", "text", "features", "rank", "pair", "forced")
OTHERS: dict[str, Any] = {
    "vision": {"cls": "none", "context_size": 80},
    "text": {"context": True},
    "network": {"use_paper_version": False},
}


def made(bert: Path, changes: dict[str, Any]) -> SEPSModel:
    settings = tiny_settings(bert)
    for section, values in changes.items():
        settings[section] |= values
    torch.manual_seed(0)
    model = SEPSModel(ModelConfig.from_dict(settings)).eval()
    for part in model.modules():
        if isinstance(part, LowRank):
            nn.init.normal_(part.up, std=0.1)
    return model


@pytest.fixture(
    scope="module",
    params=[(WITH_CLS, ("features",)), pytest.param((OTHERS, ALL), marks=pytest.mark.slow)],
    ids=["paper, one graph", "released"],
)
def exported(
    request: pytest.FixtureRequest, bert: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[SEPSModel, Graphs]:
    """A model, and its graphs in a folder; those that are not exported are computed by PyTorch."""
    changes, names = request.param
    model, folder = made(bert, changes), tmp_path_factory.mktemp("onnx")
    graphs = graphs_of(exportable(model))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_folder, "graphs_of", lambda _: {name: graphs[name] for name in names})
        export(model, folder, "tiny")
    return model, Graphs(folder, {name: graph for name, graph in graphs.items() if name not in names})


def photo(seed: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (90, 120, 3), dtype=np.uint8))


def test_pixels_and_ids_make_the_record(exported: tuple[SEPSModel, Graphs]) -> None:
    model, graphs = exported
    photos = [photo(seed) for seed in range(3)]
    patches = graphs.run("image", pixels=model.preprocess(photos).numpy())["patches"]
    np.testing.assert_allclose(patches, model.encode_photos(photos).numpy(), atol=1e-5)
    for i, caption in enumerate(CAPTIONS):
        words = graphs.words(model.tokenizer.encode(caption, 8))
        record = model.explain(photos[i % 3], caption)
        assert assert_same_record(graphs.run("pair", patches=patches[i % 3], words=words), record) == 0


def test_a_classifier_s_weights_are_rounded_and_its_names_are_facts(bert: Path) -> None:
    model = tiny_model_with_classes(bert)
    copy = exportable(model)
    export_folder.round_model(copy)
    assert copy.img_enc.classes is not None
    weights = [weight.numpy() for weight in copy.img_enc.classes.parameters() if weight.ndim > 1]
    assert all(smallest(values) is not None for values in weights if values.size >= SMALL)
    assert export_folder.facts_of(model, small=True)["weights"].startswith("the text encoder's and the classifier's ")
    assert export_folder.facts_of(model, small=False)["class_names"] == list(model.class_names)


@pytest.mark.slow
def test_a_model_with_classes_gives_them_with_its_patches(bert: Path, tmp_path: Path) -> None:
    model = tiny_model_with_classes(bert)
    copy = exportable(model)
    export_folder.write_graphs(copy, {"image": graphs_of(copy)["image"]}, tmp_path)
    outputs = Graphs(tmp_path).run("image", pixels=model.preprocess([photo(0)]).numpy())
    seen = model.patch_classes(photo(0))
    assert seen is not None
    np.testing.assert_allclose(outputs["patches"], model.encode_photos([photo(0)]).numpy(), atol=1e-5)
    np.testing.assert_array_equal(outputs["best"][0], seen.best.numpy())
    np.testing.assert_allclose(outputs["probability"][0], seen.probability.numpy(), atol=1e-5)
    np.testing.assert_allclose(outputs["added"][0], seen.added.numpy(), atol=1e-5)


def test_a_decision_from_outside_holds(exported: tuple[SEPSModel, Graphs]) -> None:
    model, graphs = exported
    mask = np.arange(model.cross_net.num_patches) % 7 == 0
    record = model.explain(photo(0), "a dog", mask=mask)
    patches, words = model.encode_photos([photo(0)])[0].numpy(), model.encode_captions(["a dog"])[0][0].numpy()
    outputs = graphs.run("forced", patches=patches, words=words, mask=mask)
    np.testing.assert_array_equal(outputs["kept"], mask)
    assert assert_same_record(outputs, record) == 0
    assert record.similarity != model.explain(photo(0), "a dog").similarity


def test_images_are_ranked_as_by_the_engine(exported: tuple[SEPSModel, Graphs]) -> None:
    model, graphs = exported
    engine = seps.ScoringEngine(model.cross_net)
    patches = model.encode_photos([photo(seed) for seed in range(4)])
    words, lengths = model.encode_captions(CAPTIONS)
    expected = engine.score(engine.encode_images(patches), engine.encode_captions(words, lengths)).numpy()
    features = graphs.run("features", patches=patches.numpy())
    for i, length in enumerate(lengths):
        outputs = graphs.run("rank", patches=patches.numpy(), words=words[i, :length].numpy(), **features)
        np.testing.assert_allclose(outputs["similarity"], expected[:, i], atol=1e-5)


def test_the_tokenizers_file_makes_the_same_ids(exported: tuple[SEPSModel, Graphs]) -> None:
    model, graphs = exported
    tokenizer = Tokenizer.from_file(str(graphs.folder / "tokenizer.json"))
    for caption in [*CAPTIONS, "Dogs RUNNING [MASK] [unused0]", "snow, dog!"]:
        assert tokenizer.encode(caption).ids == model.tokenizer.encode(caption, 100), caption


def test_the_manifest_describes_what_lies_there(exported: tuple[SEPSModel, Graphs]) -> None:
    model, folder = exported[0], exported[1].folder
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {file.name for file in folder.iterdir()} == {"manifest.json", *manifest["files"]}
    for name, facts in manifest["files"].items():
        content = (folder / name).read_bytes()
        assert (facts["bytes"], facts["sha256"]) == (len(content), sha256(content).hexdigest())
        assert b"/seps/" not in content and b"site-packages" not in content  # where they were made
    assert ModelConfig.from_json(folder / "config.json") == model.config
    assert (manifest["model"], manifest["grid"], manifest["weights"]) == ("tiny", [10, 10], "exact")
    patches = [100 + model.img_enc.has_cls, 24]
    (given,) = manifest["graphs"]["features"]["inputs"]
    assert given == {"name": "patches", "type": "float", "shape": ["images", *patches]}
    assert max(graph["largest_difference"] for graph in manifest["graphs"].values()) <= 1e-5


def test_what_cannot_be_exported_is_one_sentence(
    exported: tuple[SEPSModel, Graphs],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model, graphs = exported
    with pytest.raises(ValueError, match=r"holds a manifest\.json already: name another folder\."):
        export(model, graphs.folder)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file is a file: name a folder"):
        export(model, tmp_path / "file")
    monkeypatch.setattr(export_folder, "PACKAGES", ("onnx", "onnx_of_tomorrow"))
    with pytest.raises(SystemExit):
        main(["scenes", "--onnx", str(tmp_path / "new")])
    expected = "error: An export needs onnx_of_tomorrow: pip install 'seps-explorer[onnx]'\n"
    assert capsys.readouterr().err == expected
    assert not (tmp_path / "new").exists()


def test_a_wrong_graph_is_not_written(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(proto: Any) -> None:
        for weight in proto.graph.initializer:
            if weight.name.endswith("weight") and weight.data_type == 1:
                weight.raw_data = (np.frombuffer(weight.raw_data, np.float32) * np.float32(1.01)).tobytes()

    monkeypatch.setattr(export_folder, "pack", changed)
    monkeypatch.setattr(export_folder, "graphs_of", lambda *given: {"features": graphs_of(*given)["features"]})
    with pytest.raises(ValueError, match=r"The graph 'features' differs from the model by .*, but at most 1e-05"):
        export(made(bert, WITH_CLS), tmp_path / "onnx")
    assert not (tmp_path / "onnx").exists()
