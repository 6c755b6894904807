"""The three ideas are told with the worked example's own numbers."""

from __future__ import annotations

from demo.views.examples import FIRST_CAPTION
from demo.views.intro import ideas_html, intro_value
from demo.service.masks import read_mask
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService


def test_the_ideas_and_their_picture_are_those_of_the_first_view(
    service: RetrievalService, registry: ModelRegistry
) -> None:
    value = intro_value(registry)
    indexed = service.find("examples")
    ranking = service.rank_images(indexed, FIRST_CAPTION)
    record = service.explain(indexed, ranking.order[0], FIRST_CAPTION)
    picture, ideas = value["picture"], dict(value["ideas"])
    kept = read_mask(picture["kept"], record.sparse.kept.size)
    assert kept is not None
    assert kept.tolist() == record.sparse.kept.tolist()
    assert (picture["grid"], picture["src"]) == ([14, 14], indexed.thumbnail(ranking.order[0]))
    assert f"“{FIRST_CAPTION}”" in picture["says"]
    assert f"{int(kept.sum())} of 196 patches" in picture["says"]
    assert list(ideas) == ["Patch", "Token", "Score"]
    assert (
        "cut into 196 pieces, 14 rows of 14: the patches. The caption keeps those that fit it best, here "
        in ideas["Patch"]
    )
    assert f"merged into {service.model.cross_net.num_tokens} tokens" in ideas["Token"]
    assert f"here {ranking.scores[0]:.2f}." in ideas["Score"]
    assert all(says in ideas_html(value) for says in ideas.values())
