from __future__ import annotations

from pathlib import Path

from PIL import Image

from demo.galleries.examples import examples_gallery
from demo.galleries.folder import folder_gallery
from demo.galleries.index import index_gallery
from demo.service.near import group_near_photographs
from demo.service.retrieval import RetrievalService
from demo.views.photos import ranking_value


def test_copies_stand_with_the_best_of_them(service: RetrievalService, tmp_path: Path) -> None:
    originals = {item.key: item.photo() for item in examples_gallery().items[:4]}
    for key, photo in originals.items():
        photo.save(tmp_path / f"{key}.png")
    key, photo = next(iter(originals.items()))
    photo.save(tmp_path / f"{key}-again.jpg", quality=70)
    photo.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(tmp_path / f"{key}-mirrored.jpg", quality=90)
    indexed = index_gallery(service.model, folder_gallery(tmp_path), None)
    ranking = service.rank_images(indexed, "an animal")
    groups = group_near_photographs(indexed, ranking.order, 24)
    keys = [{indexed.gallery.items[index].key for index in group} for group in groups]
    assert sorted(map(len, groups)) == [1, 1, 1, 3]
    assert {f"{key}.png", f"{key}-again.jpg", f"{key}-mirrored.jpg"} in keys
    assert [group[0] for group in groups] == sorted((group[0] for group in groups), key=ranking.order.index)

    rows = ranking_value(indexed, ranking, None, 0)["lists"][0]["items"]
    assert len(rows) == 4
    folded = next(row for row in rows if "alike" in row)
    assert folded["alike"]["text"] == "2 alike"
    assert len(folded["alike"]["items"]) == 2
    ranks = [row["rank"] for row in rows] + [row["rank"] for row in folded["alike"]["items"]]
    assert sorted(ranks) == list(range(1, 7))


def test_no_more_groups_than_are_wanted(service: RetrievalService) -> None:
    indexed = service.find("examples")
    assert group_near_photographs(indexed, list(range(10)), 3) == [[0], [1], [2]]
    assert group_near_photographs(indexed, [], 3) == []


def test_other_galleries_are_listed_whole(service: RetrievalService) -> None:
    indexed = service.find("examples")
    rows = ranking_value(indexed, service.rank_images(indexed, "a cat"), None, 0)["lists"][0]["items"]
    assert len(rows) == len(indexed) and not any("alike" in row for row in rows)
