import json
import re
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnxruntime import InferenceSession

from demo.galleries.annotation import labels, phrases_of
from demo.galleries.sources.scenes import scenes_gallery
from demo.page import html
from demo.record.layers.layer_table import LAYERS
from demo.server.files.static import imports_of, scripts
from demo.service.retrieval import RetrievalService
from demo.static import write
from demo.static.gallery import mention_facts, object_facts, scene_facts
from demo.static.libraries import library_files
from demo.static.model import nodes_without_kernel, set_weights_apart
from demo.static.page import ENTRIES, MEASURED, PLACES, WORKER, reached, space_card, static_page
from demo.static.write import MARK, named_by_content, write_files, write_site
from demo.views.losses.claims import CLAIMS
from demo.views.losses.values import playground_value
from seps.data.objects import mask_overlap

PARTS = {"js": "js-0", "libraries": "libraries-0"}
FIRST = {
    "captions": [],
    "ranking": {"selected": 0, "lists": [{"items": []}]},
    "viewer": {"caption": "", "similarity": 0.0, "photo": {"src": ""}},
}
GALLERY: dict[str, Any] = {"name": "scenes", "total": 0, "credits": [], "first": FIRST}


def test_only_a_folder_of_ours_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, others, ours = tmp_path / "file", tmp_path / "others", tmp_path / "ours"
    file.touch()
    others.mkdir()
    (others / "holiday.jpg").touch()
    ours.mkdir()
    (ours / MARK).touch()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("SEPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for folder, message in (
        ("file", "file is a file: name a folder"),
        ("others", "others holds other files"),
        ("ours", "The page's libraries come from npm"),
    ):  # the last is let through, to where npm is missing
        with pytest.raises(ValueError, match=re.escape(message)):
            write_site(Path(folder), ["scenes"])
    assert (others / "holiday.jpg").exists() and (ours / MARK).exists()


def test_libraries_that_npm_cannot_fetch_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text(f"#!{shutil.which('sh')}\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=r"npm could not fetch onnxruntime-web@1\.30\.0 and @huggingface/"):
        library_files(tmp_path / "cache")


def test_the_page_names_every_module_that_it_imports_and_none_of_what_is_not_there() -> None:
    page = static_page(PARTS, [GALLERY], 0, 0)
    loaded = re.findall(r'<link rel="modulepreload" href="js-0/([^"]+)">', page)
    assert {"explore/view.js", "record/sentences.js", "engine/browser.js"} <= set(loaded)
    assert not {"app.js", "engine/server.js", "lesson/lesson.js", *html.PLACES, WORKER} & set(loaded)
    later = {name for entry in PLACES for name in reached(entry)}
    for name in {*loaded, *reached(WORKER), *later}:
        assert set(imports_of(name, scripts()[name].decode())) <= scripts().keys()
    source = "".join(scripts()[name].decode() for name in [*loaded, html.ENTRY])
    imports = set(re.findall(r'import\("\.\.?/([^"]+)"\)', source)) - {"engine/server.js"}
    assert imports == {*html.PLACES, *ENTRIES[1:], "explore/view.js"}
    assert later <= set(json.loads(re.search(r'id="site">(.*?)</script>', page)[1])["scripts"])  # type: ignore[index]
    assert not re.search(r"https?://(?!www\.w3\.org)", page.replace("https://example.org", ""))


def test_the_page_offers_the_measures_that_it_can_make() -> None:
    page = static_page(PARTS, [GALLERY], 0, 0)
    table = re.search(r'id="seps-table">(.*?)</script>', page)
    assert table is not None
    named = {row["name"] for row in json.loads(table[1])["layers"]}
    assert named == {row.name for row in LAYERS if row.measure is None or row.name in MEASURED}


def test_folders_are_named_by_what_they_hold(tmp_path: Path) -> None:
    first = write_files(tmp_path / "a", "js", {"x/y.js": b"1", "z.js": b"2"})
    assert first == write_files(tmp_path / "b", "js", {"z.js": b"2", "x/y.js": b"1"})
    assert first != write_files(tmp_path / "c", "js", {"x/y.js": b"1", "z.js": b"3"})
    assert (tmp_path / "a" / first / "x" / "y.js").read_bytes() == b"1"
    (tmp_path / "one two").mkdir()
    assert re.fullmatch("one-two-[0-9a-f]{12}", named_by_content(tmp_path / "one two"))


def test_nodes_that_webgpu_cannot_compute_are_named(tmp_path: Path) -> None:
    smooth, sharp = (
        helper.make_node("Resize", ["x", "", "", "sizes"], [name], name, mode="cubic", antialias=antialias)
        for name, antialias in (("smooth", 1), ("sharp", 0))
    )
    graph = helper.make_graph([smooth, sharp, helper.make_node("Relu", ["x"], ["y"], "relu")], "a graph", [], [])
    onnx.save(helper.make_model(graph), str(tmp_path / "image.onnx"))
    assert nodes_without_kernel(tmp_path / "image.onnx") == ["smooth"]


def test_a_spaces_card_names_what_its_models_are_made_of() -> None:
    assert "sdk: static" in space_card(["scenes"]) and "models:" not in space_card(["scenes"])
    assert "  - sentence-transformers/all-MiniLM-L6-v2\n" in space_card(["scenes", "photos"])


def test_scenes_come_with_their_objects_and_phrases() -> None:
    for item in scenes_gallery().items[:5]:
        known = item.known
        assert known is not None
        facts = scene_facts(known, (14, 14))
        assert len(facts["objects"]) == len(known.scene.objects)
        for caption in item.captions:
            assert facts["mentions"][caption] == [mention_facts(mention) for mention in phrases_of(known, caption)]
        for number in range(len(known.scene.objects)):
            inside = object_facts(known.scene, number, (14, 14))["inside"]
            covered = np.zeros(196)
            covered[inside[::2]] = inside[1::2]
            np.testing.assert_array_equal(covered, mask_overlap(labels(known.scene) == number, (14, 14)).reshape(-1))


def test_all_of_losses_comes_in_one_file_with_every_claim_measured(
    service: RetrievalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "run_claim", lambda service, name: {"measured": [name], "holds": True})
    write.write_losses(service, tmp_path / "losses")
    content = (tmp_path / "losses" / write.LOSSES).read_text(encoding="utf-8")
    facts = json.loads(content)
    assert facts["playground"] == json.loads(json.dumps(playground_value(service)))
    assert facts["claims"]["live"] is False
    assert [claim["result"]["measured"] for claim in facts["claims"]["claims"]] == [[name] for name in CLAIMS]
    assert len(content) < 500_000


def test_weights_of_large_graphs_lie_beside_them_and_they_compute_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = {"large": rng.normal(size=(40, 30)).astype(np.float32), "small": np.ones((4, 3), np.float32)}
    manifest: dict[str, Any] = {"graphs": {}, "files": {}, "model": "a model"}
    for name, values in weights.items():
        ends = [
            helper.make_tensor_value_info(end, onnx.TensorProto.FLOAT, [1, size])
            for end, size in zip("xy", values.shape, strict=True)
        ]
        node = helper.make_node("MatMul", ["x", "weight"], ["y"])
        graph = helper.make_graph([node], name, ends[:1], ends[1:], [numpy_helper.from_array(values, "weight")])
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        content = proto.SerializeToString()
        (tmp_path / f"{name}.onnx").write_bytes(content)
        manifest["graphs"][name] = {"file": f"{name}.onnx", "bytes": len(content)}
        manifest["files"][f"{name}.onnx"] = {"bytes": len(content), "sha256": "before"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    inputs = {"x": rng.normal(size=(1, 40)).astype(np.float32)}
    before = InferenceSession(tmp_path / "large.onnx").run(None, inputs)[0]

    set_weights_apart(tmp_path, large=4000)

    np.testing.assert_array_equal(InferenceSession(tmp_path / "large.onnx").run(None, inputs)[0], before)
    after = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert after["graphs"]["small"] == manifest["graphs"]["small"] and after["model"] == "a model"
    size = after["files"]["large.onnx"]["bytes"]
    assert after["graphs"]["large"] == {"file": "large.onnx", "weights": "large.weights", "bytes": size}
    assert size < 1000 and after["files"]["large.weights"]["bytes"] >= weights["large"].nbytes
    for name in ("large.onnx", "large.weights"):
        assert (tmp_path / name).stat().st_mode == (tmp_path / "small.onnx").stat().st_mode
        assert after["files"][name]["sha256"] == sha256((tmp_path / name).read_bytes()).hexdigest()
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"large.onnx", "large.weights", "manifest.json", "small.onnx"}
