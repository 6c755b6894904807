import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from demo.__main__ import main
from demo.galleries.sources.folder import DRAWN
from demo.galleries.sources.scenes import SCENES, scenes_gallery
from demo.page.api import Endpoints
from demo.page.questions import Picture
from demo.record.texts.table import ordinal
from demo.server.files.uploads import Upload
from demo.service.generating.precomputed import DrawnStep
from demo.service.generating.rank import rank_drawing
from demo.service.generating.request import read_numbers
from demo.service.generating.service import GeneratingService, choose_shown_steps, rank_among, read_true_share
from demo.service.models import start
from demo.service.models.registry import ModelRegistry
from demo.views.generate.attention_maps import find_looks
from demo.views.generate.statements import recaption_statements, statement_verdicts, summary, truth_value
from demo.views.generate.values import (
    EXAMPLES,
    SHOWN,
    GenerateState,
    beam_sentence,
    captioned_value,
    clearest_word,
    drawing_value,
    drawn_value,
    explained_captions,
    finish,
    finished,
    opened_generator,
    photo_captions_value,
    recaption_value,
    words_value,
)
from seps.explanation.caption_words import is_content
from seps.generator import ImageTextGenerator
from seps.generator.model.captioner import Decoding
from seps.generator.ranking import AGREEMENT, BEAMS, WEIGHT, agreements, order, seps_scores
from seps.scenes.captions.agreement import agreement
from seps.scenes.captions.reading import read_caption

TEXT = "a red dog next to a dog"


@pytest.fixture(scope="module")
def drawing(registry: ModelRegistry, generator: ImageTextGenerator) -> Iterator[ModelRegistry]:
    """The app's models with a generator, the scenes open."""
    registry.open(SCENES)
    with pytest.MonkeyPatch.context() as patch:
        for service in ("generating", "captioning"):
            patch.setattr(registry, service, GeneratingService(lambda: generator))
        yield registry


@pytest.fixture(scope="module")
def drawn(drawing: ModelRegistry) -> tuple[GenerateState, list[DrawnStep]]:
    """Two pictures of one caption, and their steps."""
    state = GenerateState(caption=TEXT, steps=10, seed=5, count=2)
    steps = list(opened_generator(drawing).draw(state.asked))
    return finish(drawing, state, steps), steps


def test_wrong_numbers_are_told() -> None:
    for numbers, message in (
        ((9, 3, 0), "steps is '9', but a whole number from 10 to 100 is needed"),
        ((30, 16, 0), "guidance is '16'"),
    ):
        with pytest.raises(ValueError, match=message):
            read_numbers(*numbers)


def test_without_a_generator_or_a_drawing_it_is_told(registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "generating", None)
    with pytest.raises(ValueError, match="No generator ships with this copy of the app"):
        opened_generator(registry)
    with pytest.raises(ValueError, match="Nothing is drawn yet"):
        finished(GenerateState())


def test_examples_can_be_written_by_the_grammar() -> None:
    for caption in EXAMPLES:
        reading = read_caption(caption)
        assert reading.statements and not reading.unread, caption


def test_a_finished_drawing_is_explained(drawing: ModelRegistry, drawn: tuple[GenerateState, list[DrawnStep]]) -> None:
    state, steps = drawn
    begun = drawing_value(state, steps[0])
    assert (begun["done"], begun["of"], begun["seeds"], begun["scores"]) == (1, 10, [5, 6], [])
    assert begun["says"].startswith("Step 1 of 10") and len(begun["pictures"]) == 2
    assert finished(state).pictures == tuple(steps[-1].pictures)
    service, scenes = drawing.find(SCENES)
    state = replace(state, index=1)
    value, words = drawn_value(state, service), words_value(drawing, state)
    read = opened_generator(drawing).recaption(finished(state).pictures[1], TEXT)
    recaption = recaption_value(read, rank_drawing(service, scenes, finished(state).indexed, 1, TEXT))
    assert (value["chosen"], value["says"]) == (1, "Drawn with seed 6 in 10 steps.")
    assert len(value["pictures"]) == len(value["scores"]) == 2
    similarity = service.explain(finished(state).indexed, 1, TEXT).similarity
    rank = rank_among(similarity, service.rank_images(scenes, TEXT).scores)
    assert value["scores"][1] == f"score {similarity:.3f}"
    assert f"SEPS ranks this drawing {ordinal(rank)} of 201 for the caption" in recaption["standing"]
    assert f"with S(I, T) {similarity:.3f}: rank {rank} of 201" in recaption["numbers"][0]
    assert recaption["statements"] == recaption_statements(read)
    assert recaption["beams"] == [beam.text for beam in read.best]
    assert recaption["numbers"][1:] == [beam_sentence(beam) for beam in read.best]
    assert f"{100 * (read_true_share() or 0):.0f}% of its statements are true" in recaption["note"]
    assert finished(state).indexed.gallery.name == DRAWN
    assert [word["label"] for word in words["words"]] == TEXT.split()


def test_both_maps_of_a_word_add_up_to_one_on_one_grid(
    drawing: ModelRegistry, drawn: tuple[GenerateState, list[DrawnStep]]
) -> None:
    state, _ = drawn
    record = drawing.of(SCENES).explain(finished(state).indexed, 0, TEXT)
    tokens = opened_generator(drawing).tokens(TEXT)
    looks = find_looks(tokens, finished(state).attention[0], record)
    for look in looks:
        assert look.unet.shape == look.seps.shape == record.grid
        assert look.unet.sum() == pytest.approx(1, abs=1e-5)
        assert look.seps.sum() == pytest.approx(1, abs=1e-5) or not look.seps.any()
        seen = record.on_grid(record.sparse_alignment.word_maps[look.word])
        np.testing.assert_allclose(look.seps, seen, atol=1e-5)
    words = words_value(drawing, state)
    assert [word["high"] for word in words["words"]] == [max(look.unet.max(), look.seps.max()) for look in looks]
    assert words["unet"]["shape"] == words["seps"]["shape"] == [len(looks), record.grid[0] * record.grid[1]]
    content = {look.word: look.seps.max() for look in looks if is_content(look.token)}
    assert content[words["selected"]] == max(content.values())
    assert clearest_word([look for look in looks if look.token == "a"]) is None


def test_each_statement_is_told_once_in_words() -> None:
    asked = read_caption("two dogs stand left of a red car under the sun in the park")
    back = [read_caption("a dog to the left of a blue car in the park"), read_caption("there are three dogs")]
    statements = statement_verdicts(asked, agreement(asked, back))
    assert [(statement["says"], statement["verdict"]) for statement in statements] == [
        ("there is: dog", "true"),
        ("two dogs", "untrue"),
        ("the dog: stand", "untold"),
        ("there is: car", "true"),
        ("the car is red", "untrue"),
        ("the dog is left of the car", "untold"),
        ("under the sun", "untold"),
        ("in the park", "true"),
    ]
    assert summary(statements).endswith("confirms 3, contradicts 2 and does not mention 3.")


def test_of_a_scene_the_truth_is_told() -> None:
    known = scenes_gallery().items[0].known  # a large red helicopter and a small dolphin
    assert known is not None
    value = truth_value(known.scene, "a blue helicopter and a small dolphin")
    assert [statement["verdict"] for statement in value["statements"]] == ["true", "untrue", "true", "true"]
    assert value["summary"] == "True of the scene (known objects): 3 of this caption's 4 statements."


def test_a_photograph_s_captions_have_both_maps_of_each_word_on_one_grid(
    drawing: ModelRegistry, generator: ImageTextGenerator, small_photo: bytes
) -> None:
    picture = Image.open(BytesIO(small_photo))
    captions = explained_captions(drawing, picture)
    written = generator.write([picture], Decoding(beams=BEAMS))[0]
    best = order(written, seps_scores(drawing.photos.model, picture, written))[:SHOWN]
    assert len(written) > len(captions) == SHOWN  # the best of more
    assert [caption.written.text for caption in captions] == [written[i].text for i in best]
    agreeing = agreements([caption.text for caption in written])
    assert [caption.agreement for caption in captions] == [agreeing[i] for i in best]
    value = photo_captions_value(captions)
    assert [beam["text"] for beam in value["beams"]] == [caption.written.text for caption in captions]
    assert any(beam["words"] for beam in value["beams"])
    for beam, caption in zip(value["beams"], captions, strict=True):
        record, words = caption.record, caption.written.words
        labels = [word["label"] for word in beam["words"]]
        assert set(labels) == {label for label in record.sparse_alignment.words if label in words}  # by both tokenizers
        patches = record.grid[0] * record.grid[1]
        assert beam["maps"]["shape"] == beam["seps"]["shape"] == [len(labels), patches]
        assert f"S(I, T) {record.similarity:.3f}" in beam["numbers"]
        assert f"{caption.agreement:.2f} (" in beam["numbers"] and f"{AGREEMENT:g} times the third" in beam["numbers"]
        assert f"{WEIGHT:g} times the second" in beam["numbers"]
    told = Endpoints(drawing).caption_image(Picture(Upload("cup.png", small_photo)))["captions"]
    for answer, caption in zip(told, captions, strict=True):
        assert (answer["caption"], answer["agreement"]) == (caption.written.text, caption.agreement)
        assert answer["score"] == pytest.approx(caption.written.score, abs=1e-5)
        assert answer["similarity"] == pytest.approx(caption.record.similarity, abs=1e-4)
        np.testing.assert_allclose(answer["attention"], caption.written.attention, atol=1e-5)


@pytest.fixture
def endpoints(drawing: ModelRegistry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Endpoints:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    return Endpoints(drawing)


def test_the_endpoint_tells_what_the_view_shows(endpoints: Endpoints, drawing: ModelRegistry) -> None:
    answer, file = endpoints.generate(f" {TEXT} zyzzyva", 10, 5, 2.0)
    assert answer["caption"] == f"{TEXT} zyzzyva"
    assert [word["word"] for word in answer["unknown_words"]] == ["zyzzyva"]
    assert (answer["seed"], answer["steps"], answer["guidance"], answer["total"]) == (5, 10, 2.0, 201)
    service, scenes = drawing.find(SCENES)
    assert answer["rank"] == rank_among(answer["similarity"], service.rank_images(scenes, answer["caption"]).scores)
    assert answer["captions"][0]["score"] == max(written["score"] for written in answer["captions"])
    with Image.open(file) as picture:
        assert picture.format == "PNG"
        expected = service.explain_photo(picture, answer["caption"]).similarity
    assert answer["similarity"] == pytest.approx(expected, abs=1e-5)


def test_the_endpoint_shows_how_a_picture_came_about(endpoints: Endpoints) -> None:
    _, file = endpoints.generate(TEXT, 15, 0, 1.0, "gif")
    assert choose_shown_steps(15) == [2, 4, 6, 8, 10, 12, 14, 15]
    with Image.open(file) as film:
        assert film.format == "GIF"
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    assert 1 < len(durations) <= 8  # frames that look alike are one
    assert durations[-1] >= 2000


def test_a_scene_is_captioned_by_the_endpoint(endpoints: Endpoints, generator: ImageTextGenerator) -> None:
    captions = endpoints.caption_image(Picture(item="scenes/3"))["captions"]
    expected = generator.write([scenes_gallery().items[3].photo()])[0]
    assert [caption["caption"] for caption in captions] == [caption.text for caption in expected]


def test_the_command_writes_a_drawing_and_prints_what_came_true(
    generator: ImageTextGenerator,
    drawing: ModelRegistry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(start, "load_shipped_generator", lambda: generator)
    monkeypatch.setattr(start, "open_shipped_scenes", lambda: drawing.of(SCENES))
    for kind in ("png", "json"):
        asked = ["generate", TEXT, "--steps", "10", "--seed", "5", "-o", str(tmp_path / f"out.{kind}")]
        assert main(asked) == 0
    printed = capsys.readouterr().out
    numbers = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert f"S(I, T) {numbers['similarity']:.3f}: rank {numbers['rank']} of 201" in printed
    for said in (*(statement["says"] for statement in numbers["statements"]), numbers["captions"][0]["caption"]):
        assert said in printed
    with Image.open(tmp_path / "out.png") as picture:
        assert picture.size == (generator.network.config.image_size,) * 2


def test_a_caption_has_its_words_attention(drawing: ModelRegistry, generator: ImageTextGenerator) -> None:
    picture = Image.new("RGB", (40, 30), "red")
    beams = generator.write([picture])[0]
    value = captioned_value(beams, None)
    assert value["note"] and value["beams"][0]["truth"] is None
    scene = scenes_gallery().items[0].known
    assert scene is not None
    of_scene = captioned_value(beams, scene.scene)
    assert of_scene["note"] == ""
    assert of_scene["beams"][0]["truth"]["summary"].startswith("True of the scene")
    first = value["beams"][0]
    assert [word["label"] for word in first["words"]] == list(beams[0].words)
    assert first["maps"]["shape"] == [len(first["words"]), first["grid"][0] * first["grid"][1]]
