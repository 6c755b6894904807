"""What a drawing's endpoint and command tell, with a tiny generator of random weights: the same as the view."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from demo.__main__ import main
from demo.galleries.photos import read_photo
from demo.galleries.scenes import SCENES
from demo.page.api import Endpoints
from demo.server.uploads import Upload
from demo.service import start
from demo.service.generating.service import GeneratingService, choose_shown_steps
from demo.service.registry import ModelRegistry
from demo.views.generate.photo_captions import SHOWN
from demo.views.generate.values import GenerateState, finish, finished, opened_generator
from seps import shipped_file
from seps.generator import ImageTextGenerator, load_generator
from seps.generator.captioner import Decoding
from seps.generator.ranking import AGREEMENT, BEAMS, WEIGHT, agreements, order, seps_scores
from tests.helpers.generated import write_tiny_generator

TEXT = "a red dog next to a cat"


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> ImageTextGenerator:
    return ImageTextGenerator(write_tiny_generator(tmp_path_factory.mktemp("generator")), "cpu")


@pytest.fixture
def endpoints(
    registry: ModelRegistry,
    generator: ImageTextGenerator,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Endpoints:
    monkeypatch.setattr(registry, "generating", GeneratingService(lambda: generator))
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    return Endpoints(registry)


def test_the_endpoint_tells_what_the_view_shows(endpoints: Endpoints, registry: ModelRegistry) -> None:
    answer, file = endpoints.generate(f" {TEXT} zyzzyva", 10, 5, 2.0)
    assert answer["caption"] == f"{TEXT} zyzzyva"
    assert "zyzzyva" in answer["note"]
    assert [word["word"] for word in answer["unknown_words"]] == ["zyzzyva"]
    assert (answer["seed"], answer["steps"], answer["guidance"], answer["total"]) == (5, 10, 2.0, 201)
    state = GenerateState(caption=answer["caption"], steps=10, guidance=2.0, seed=5)
    state = finish(registry, state, list(opened_generator(registry).draw(state.asked)))
    drawn = finished(state)
    service, scenes = registry.find(SCENES)
    score = service.explain(drawn.indexed, 0, state.caption).similarity
    assert answer["similarity"] == pytest.approx(score, abs=1e-5)
    ranking = service.rank_images(scenes, state.caption)
    assert answer["rank"] == 1 + sum(other > score for other in ranking.scores)
    assert {statement["verdict"] for statement in answer["statements"]} <= {"true", "untrue", "untold"}
    assert len(answer["statements"]) == 4
    assert answer["captions"][0]["score"] == max(written["score"] for written in answer["captions"])
    with Image.open(file) as picture:
        assert picture.size == drawn.pictures[0].size
        assert Path(file).suffix == ".png"


def test_the_endpoint_names_the_nearest_words_that_are_known(endpoints: Endpoints) -> None:
    answer, _ = endpoints.generate("a dog playing", 10)
    assert answer["unknown_words"] == [{"word": "playing", "nearest": ["lying", "flying", "leaping"]}]
    assert endpoints.generate("a dog", 10)[0]["unknown_words"] == []


def test_the_endpoint_shows_how_a_picture_came_about(endpoints: Endpoints) -> None:
    _, file = endpoints.generate(TEXT, 15, 0, 1.0, "gif")
    assert choose_shown_steps(15) == [2, 4, 6, 8, 10, 12, 14, 15]
    with Image.open(file) as film:
        assert film.format == "GIF"
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    assert 1 < len(durations) <= 8  # frames that look alike are one
    assert durations[-1] >= 2000


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((" ",), "The caption is empty"),
        ((TEXT, 5), "steps is '5', but a whole number from 10 to 100 is needed"),
        ((TEXT, 10, -1), "seed is '-1', but a whole number from 0 to 2,147,483,647 is"),
        ((TEXT, 10, 0, 3.0, "svg"), "format is 'svg'"),
    ],
    ids=str,
)
def test_the_endpoint_tells_what_is_wrong(endpoints: Endpoints, asked: tuple[str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        endpoints.generate(*asked)


def test_a_scene_is_captioned_by_the_endpoint(endpoints: Endpoints, generator: ImageTextGenerator) -> None:
    captions = endpoints.caption_image(None, "scenes/3")["captions"]
    picture = endpoints._registry.open(SCENES)[1].gallery.items[3].photo()
    expected = generator.write([picture])[0]
    assert [caption["caption"] for caption in captions] == [caption.text for caption in expected]
    side = generator.network.images.side
    for caption in captions:
        assert len(caption["attention"]) == len(caption["words"])
        assert all(len(rows) == side and all(len(row) == side for row in rows) for rows in caption["attention"])


@pytest.fixture(scope="module")
def captioner() -> ImageTextGenerator:
    """The captioner of photographs that ships."""
    return load_generator("photos", "cpu")


@pytest.fixture
def of_photos(
    endpoints: Endpoints, registry: ModelRegistry, captioner: ImageTextGenerator, monkeypatch: pytest.MonkeyPatch
) -> Endpoints:
    monkeypatch.setattr(registry, "captioning", GeneratingService(lambda: captioner))
    return endpoints


def test_a_photograph_is_captioned_by_the_endpoint_as_by_the_library(
    of_photos: Endpoints, captioner: ImageTextGenerator, registry: ModelRegistry
) -> None:
    """The file alone, an upload of it, and the library: the same captions, scores, words and attention."""
    file = shipped_file("galleries/photos/flower.jpg")
    uploaded = of_photos.caption_image(Upload("flower.jpg", file.read_bytes()), "")["captions"]
    picture = read_photo(file).image
    written = captioner.write([picture], Decoding(beams=BEAMS))[0]
    scores = seps_scores(registry.photos.model, picture, written)
    agreeing = agreements([caption.text for caption in written])
    best = order(written, scores)[:SHOWN]
    assert len(written) > SHOWN
    assert [caption["caption"] for caption in uploaded] == [written[i].text for i in best]
    for caption, i in zip(uploaded, best, strict=True):
        assert caption["score"] == pytest.approx(written[i].score, abs=1e-5)
        assert caption["similarity"] == pytest.approx(scores[i], abs=1e-4)
        assert caption["agreement"] == agreeing[i]
        assert caption["words"] == list(written[i].words)
        np.testing.assert_allclose(caption["attention"], written[i].attention, atol=1e-5)
    described = " ".join((Endpoints.caption_image.__doc__ or "").split())
    assert f"of whose {BEAMS} captions the best {SHOWN} come" in described
    assert f'score, {WEIGHT:g} "similarity"' in described and f'and {AGREEMENT:g} "agreement"' in described


def test_a_photograph_of_a_gallery_is_captioned_by_the_captioner_of_photographs(
    of_photos: Endpoints, captioner: ImageTextGenerator, registry: ModelRegistry
) -> None:
    items = registry.photos.find("examples").gallery.items
    captions = of_photos.caption_image(None, f"examples/{items[0].key}")["captions"]
    written = captioner.write([items[0].photo()], Decoding(beams=BEAMS))[0]
    assert {caption["caption"] for caption in captions} <= {caption.text for caption in written}
    assert len(captions) == SHOWN
    assert all(np.shape(caption["attention"]) == (len(caption["words"]), 7, 7) for caption in captions)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", 'The photo "it.jpg" is empty'),
        (b"no picture", 'The photo "it.jpg" is no photo that can be read'),
        (b"GIF89a", 'The photo "it.jpg" is no photo that can be read'),
    ],
    ids=["empty", "text", "cut short"],
)
def test_an_upload_that_is_no_photograph_is_refused_by_the_endpoint(
    of_photos: Endpoints, content: bytes, message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        of_photos.caption_image(Upload("it.jpg", content), "")


def test_the_command_writes_a_drawing_and_prints_what_came_true(
    generator: ImageTextGenerator,
    scenes_model: Path,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(start, "load_shipped_generator", lambda: generator)
    monkeypatch.setattr(start, "open_shipped_scenes", lambda: start.open_scenes(scenes_model, cache))
    out, record = tmp_path / "out.png", tmp_path / "out.json"
    asked = ["generate", TEXT, "--steps", "10", "--seed", "5"]
    assert main([*asked, "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "of 201, with the 200 scenes of the gallery" in printed
    assert main([*asked, "-o", str(record)]) == 0
    numbers = json.loads(record.read_text(encoding="utf-8"))
    assert f"S(I, T) {numbers['similarity']:.3f}: rank {numbers['rank']} of 201" in printed
    for statement in numbers["statements"]:
        assert statement["says"] in printed
    assert numbers["captions"][0]["caption"] in printed
    with Image.open(out) as picture:
        assert picture.size == (generator.network.config.image_size,) * 2
