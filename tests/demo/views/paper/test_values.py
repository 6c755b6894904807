import json
from typing import Any

import numpy as np
import pytest
import torch

from demo.service.results import our_results
from demo.service.retrieval import RetrievalService
from demo.views.paper.values import differences, published
from seps import CrossSparseAggrNet
from seps.models.hub import shipped_models

CAPTION = "a small spoon lies on a saucer next to a cup of coffee"


def numbers(shown: list[dict[str, Any]], id_: str) -> dict[str, tuple[float | None, float | None]]:
    rows = next(difference for difference in shown if difference["id"] == id_)["numbers"]
    return {row["name"]: (row["paper"], row["released"]) for row in rows}


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "dense"])
def shown(service: RetrievalService, request: pytest.FixtureRequest) -> tuple[str | None, list[dict[str, Any]]]:
    indexed = service.find("examples")
    index = indexed.gallery.position("coffee")
    dense = indexed.gallery.items[index].dense if request.param else None
    return dense, differences(service, indexed, index, CAPTION, dense)


def test_the_papers_numbers_are_those_of_the_record(
    service: RetrievalService, shown: tuple[str | None, list[dict[str, Any]]]
) -> None:
    dense, result = shown
    indexed = service.find("examples")
    record = service.explain(indexed, indexed.gallery.position("coffee"), CAPTION, dense)
    assert json.loads(json.dumps(result)) == result
    assert numbers(result, "similarity")["S(I, T)"][0] == pytest.approx(record.similarity, abs=1e-6)
    assert numbers(result, "score")["highest score"][0] == pytest.approx(record.sparse.score.max())
    assert numbers(result, "score")["patches kept"] == (98, 98)
    relevance, lowest = record.sparse_alignment.word_relevance, record.sparse_alignment.matrix.min()
    assert numbers(result, "relevance")["word relevance"][0] == pytest.approx(relevance, abs=1e-6)
    assert numbers(result, "matrix")["lowest entry"][0] == pytest.approx(lowest, abs=1e-6)
    kept = numbers(result, "score")["kept only by this one"]
    assert kept[0] == kept[1] and kept[0] is not None and 0 < kept[0] < 98


def test_the_released_numbers_are_those_of_a_released_network(
    service: RetrievalService, shown: tuple[str | None, list[dict[str, Any]]]
) -> None:
    dense, result = shown
    trained = service.model.cross_net.state_dict()
    net = CrossSparseAggrNet(384, 196, use_paper_version=False).eval()
    net.load_state_dict({name: trained[name.replace(".weight.", ".weight_sparse.")] for name in net.state_dict()})
    indexed = service.find("examples")
    image = indexed.patches(indexed.gallery.position("coffee"))[None]
    captions = [service.model.encode_captions([CAPTION])]
    captions += [] if dense is None else [service.model.encode_captions([dense], dense=True)]
    with torch.no_grad():
        similarity = net(image, *(part for pair in captions for part in pair))
    assert isinstance(similarity, torch.Tensor)
    assert numbers(result, "similarity")["S(I, T)"][1] == pytest.approx(float(similarity), abs=1e-6)


def test_each_difference_shows(shown: tuple[str | None, list[dict[str, Any]]]) -> None:
    dense, result = shown
    assert numbers(result, "score")["weight of s_p"] == (0.5, None)
    assert numbers(result, "dense")["alignments"] == (1, 1 if dense is None else 2)
    assert numbers(result, "aggregation")["weight networks"] == (2, 1)
    weights = numbers(result, "aggregation")["weights of the first token, added"]
    assert weights == pytest.approx((1 if dense is None else 2, 1), abs=1e-5)
    assert numbers(result, "relevance")["patch relevance"][1] is None
    (slopes,) = numbers(result, "gradient").values()
    assert slopes[0] is not None and slopes[0] > 0 == slopes[1]
    assert numbers(result, "similarity")["terms"] == (4, 2 if dense is None else 4)
    parts = [value for _, value in list(numbers(result, "dense").values())[1:] if value is not None]
    assert sum(parts) == pytest.approx(numbers(result, "similarity")["S(I, T)"][1], abs=1e-5)
    assert bool(next(difference for difference in result if difference["id"] == "dense")["note"]) == (dense is None)


def test_published_results_are_whole_and_have_their_source() -> None:
    results = published()
    assert {"SEPS", "LAPS"} < {row["method"] for row in results["rows"]}
    assert {row["test"] for row in results["rows"]} == {"Flickr30K 1K", "MS-COCO 1K", "MS-COCO 5K"}
    assert {row["source"] for row in results["rows"]} == {source["source"] for source in results["sources"]}
    assert len({(row["method"], row["encoders"], row["test"]) for row in results["rows"]}) == len(results["rows"])
    for row in results["rows"]:
        assert row["source"].startswith("https://") and row["what"]
        for recalls in (row["image_to_text"], row["text_to_image"]):
            known = [value for value in recalls if value is not None]
            assert len(recalls) == 3 and known == sorted(known) and all(0 < value <= 100 for value in known)
        values = [*row["image_to_text"], *row["text_to_image"]]
        if None not in values:
            assert row["rsum"] == pytest.approx(sum(values), abs=0.15)
        elif row["rsum"] is not None:  # what is left must be two values of R@10
            left = row["rsum"] - sum(value for value in values if value is not None)
            assert row["image_to_text"][1] + row["text_to_image"][1] <= left <= 200
        assert row["summed"] == (None not in values and row["method"] != "D2S-VSE")
    assert not any("photos" in row["method"] for row in results["rows"])


def test_our_results_are_those_of_the_files() -> None:
    rows = our_results()
    mllm = json.loads((shipped_models()["photos"] / "results-mllm.json").read_text(encoding="utf-8"))
    row = next(row for row in rows if (row["model"], row["split"], row["dense"]) == ("photos", "mllm", "own"))
    assert row["text_to_image"] == [mllm["own_dense"]["text_to_image"][name] for name in ("r1", "r5", "r10")]
    assert (row["rsum"], row["images"]) == (mllm["own_dense"]["rsum"], mllm["own_dense"]["images"])
    assert ("photos", "dev", "none") in {(row["model"], row["split"], row["dense"]) for row in rows}
    for row in rows:
        assert np.sum([*row["image_to_text"], *row["text_to_image"]]) == pytest.approx(row["rsum"])
