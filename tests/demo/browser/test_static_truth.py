"""The page without a server computes what the library does, from the same embeddings and the same weights: records,
rankings, captions, pictures, and every value that a view draws."""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from demo.galleries.index import IndexedGallery
from demo.galleries.photos import read_photo
from demo.record.packing import packed
from demo.record.settings import evaluation_knobs, idle_choices
from demo.service.captions import read_caption
from demo.service.masks import mask_text
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.static.model import page_model
from demo.static.write import opened_model, write_site
from demo.views.captions import captions_value
from demo.views.compare import compared_records, show_side_by_side
from demo.views.lesson.walk import WalkRequest, walk_value
from demo.views.state import SelectedImage, ViewState
from demo.views.viewer import search_value, shown_record
from demo.views.why.values import WhyState, state_ranking, why_value
from seps import ScoringEngine
from seps.encoders.preprocessing import squash
from seps.scenes import make_scene, sparse_captions
from tests.helpers.record_words import record_words
from tests.helpers.static_site import differences, floats, open_engine, served_folder

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]
PAIRS, CAPTIONS, SENTENCES = 100, 100, 10_000
TOLERANCE = 1e-5  # of S(I, T) and its terms
ARRAYS = 5e-5  # of weights and cosines, in [-1, 1]
TIE = 1e-6
ODD = [
    *("CAF\u00c9 \ufb01ve \uff26\uff35\uff2c\uff2c", "a dog\u2019s \U0001f415 ball", "[SEP] [CLS] ##s"),
    *("\u72ac\u304c\u8d70\u308b", "\u00c5ngstr\u00f6m \u0130stanbul"),
    *("\U00020bb7\u91ce\u5bb6 \u306e\u72ac", "na\u00efve \u2014 \u201cquotes\u201d\u2026", "a" * 150, "x\tand\u00a0y"),
]


TIED = re.compile(  # what follows where two tokens, or two patches, have the same value but for the last bits
    r"(/record)?/(alignments|branches)/[01]/(best_|rank/|word_maps)|/words/(words/|apart/|layers/word)|/whatif/now/words/"
)


WHERE = re.compile(r"; most of the loss on the [a-z ]+?(?= and not |$)")


def no_loss(line: str) -> bool:
    """Whether two sentences on a loss of 0.0000 at most differ in where it is, as its last bits have it."""
    given, _, expected = WHERE.sub("", line).partition("/says: ")[2].partition(" and not ")
    return given == expected and " to 0.0000: " in given


def checked(wrong: list[str]) -> bool:
    """Whether a pair has ties; nothing else may differ."""
    wrong = [line for line in wrong if not no_loss(line)]
    ties = [line for line in wrong if "/best_" in line or "/rank/" in line]
    assert [line for line in wrong if not (ties and TIED.match(line))] == []
    return bool(ties)


class Site:
    """The page of one model, opened, beside the service that computes the same in Python."""

    def __init__(self, name: str, page: Page) -> None:
        self.page = page
        service, indexed = opened_model(name, False)
        model = page_model(service.model, service.known)
        halves = indexed.embeddings.cpu().half().float()
        images = ScoringEngine(model.cross_net).encode_images(halves)
        self.indexed: IndexedGallery = replace(indexed, embeddings=halves, images=images)
        self.service = RetrievalService(
            model, name, [self.indexed], unmatched_rule=service.unmatched_rule, known=service.known
        )

    def pairs(self) -> list[tuple[int, str]]:
        """Pictures with a caption of their own and with one of the next picture's."""
        items = self.indexed.gallery.items
        true = [(index, caption) for index, item in enumerate(items) for caption in item.captions]
        false = [((index + 1) % len(items), caption) for index, caption in true]
        return [*true[: PAIRS // 2], *false[: PAIRS // 2]]


@pytest.fixture(scope="module", params=["scenes", "photos"])
def site(request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("static")
    write_site(folder / "below" / "it", [request.param])
    with served_folder(folder) as address:
        page = browser.new_page()
        page.goto(f"{address}/below/it/")
        open_engine(page)
        yield Site(request.param, page)
        page.close()


def test_a_model_is_no_larger_than_its_budget(site: Site) -> None:
    given = json.loads(site.page.locator("#site").text_content() or "")
    (gallery,) = given["galleries"]
    assert 0 < gallery["bytes"] < {"scenes": 15_000_000, "photos": 55_000_000}[site.service.name]


def test_every_field_of_a_record_is_the_librarys(site: Site) -> None:
    script = """([index, caption]) => asked.pairs.explained(asked.facts, index, caption)
        .then(({ packed }) => asked.pack(packed))"""
    tied, pairs = 0, site.pairs()
    for index, caption in pairs:
        expected = packed(site.service.explain(site.indexed, index, caption))
        given = site.page.evaluate(script, [index, caption])
        scores, library = ([record["similarity"], record["terms"]] for record in (given, expected))
        assert differences(scores, library, TOLERANCE) == [], (index, caption)
        wrong = differences(given, expected, ARRAYS)
        tied += checked(wrong)
    assert tied <= PAIRS / 5


def test_rankings_are_the_engines(site: Site) -> None:
    captions = list(dict.fromkeys(caption for _, caption in site.pairs()))[:CAPTIONS]
    script = "(caption) => asked.pairs.scores(asked.facts, caption).then((scores) => [...scores])"
    for caption in captions:
        ranking = site.service.rank_images(site.indexed, caption)
        scores = np.array(site.page.evaluate(script, caption))
        np.testing.assert_allclose(scores[ranking.order], ranking.scores, atol=TOLERANCE)
        order = np.argsort(-scores, kind="stable")
        for place, index in enumerate(order):
            assert index == ranking.order[place] or abs(scores[index] - ranking.scores[place]) < 2 * TIE


def dense_of(site: Site, index: int) -> str:
    """A dense caption of a picture: all that was written for it."""
    return ". ".join(site.indexed.gallery.items[index].captions)


def test_rankings_with_a_dense_caption_are_the_engines(site: Site) -> None:
    script = """([caption, dense]) => asked.pairs.scores(asked.facts, caption, dense).then((scores) => [...scores])"""
    moved = 0.0
    for index, caption in site.pairs()[::10]:
        dense = dense_of(site, index)
        alone, ranking = (site.service.rank_images(site.indexed, caption, beside) for beside in (None, dense))
        scores = np.array(site.page.evaluate(script, [caption, dense]))
        np.testing.assert_allclose(scores[ranking.order], ranking.scores, atol=TOLERANCE)
        moved = max(moved, float(np.abs(np.array(alone.scores) - np.array(ranking.scores)).max()))
    assert moved > 100 * TOLERANCE


def test_captions_for_a_photograph_are_ranked_as_the_service_ranks_them(site: Site) -> None:
    script = """([index, typed, selected]) => asked.captions
        .rankCaptions(asked, asked.facts, asked.facts, { index, typed })
        .then((ranking) => asked.captions.rankingValue(ranking, selected))"""
    for index, typed in ((0, ""), (3, "a red car\n\n  a zebra beside  a dog\n"), (7, "two people")):
        ranking = site.service.rank_captions(site.indexed, index, site.indexed.gallery.name, typed)
        expected = captions_value(ranking, "a red car")
        given = site.page.evaluate(script, [index, typed, "a red car"])
        for value in (expected, given):
            value.pop("key", None)
            value["note"] = re.sub(r"in \d+ ms", "", value["note"])
        assert differences(given, expected, TOLERANCE) == []
        assert given["recall"].startswith("R@1")


def plain(given: dict[str, Any], expected: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values of pictures without what is the page's own: keys, addresses of photographs, kinds of files."""
    for value in (given, expected):
        value.pop("key", None)
        value.pop("formats", None)
        for part in (value, *value.get("sides", ())):
            part.get("photo", {}).pop("src", None)
    return given, expected


def test_what_is_compared_is_what_the_app_compares(site: Site) -> None:
    script = """([state, captions]) => asked.compare.comparison(asked.pairs, asked.facts, state, captions)
        .then((value) => ({ ...value, words: value.items.map(({ record }) => asked.decode(record).says) }))
        .then(asked.pack)"""
    registry = ModelRegistry(site.service)
    name, tied = site.indexed.gallery.name, 0
    for index, layer, count in ((0, "mask", 2), (3, "effect", 3), (7, "score", 4)):
        texts = [caption for item in site.indexed.gallery.items[index : index + 4] for caption in item.captions[:1]]
        state = ViewState(name, index, layer=layer, objects=index == 3, dense="A dog on grass." if index == 3 else None)
        chosen = SelectedImage(name, index)
        _, expected, now = show_side_by_side(registry, chosen, "\n".join(texts[:count]), state)
        records = compared_records(site.service, site.indexed, now, texts[:count])
        expected["words"] = [record_words(record) for record in records]
        asked = {name: getattr(now, name) for name in vars(now)}
        given = site.page.evaluate(script, [asked, texts[:count]])
        tied += checked(
            [re.sub(r"^(/words)?(/items)?/\d+", r"\1", line) for line in differences(*plain(given, expected), ARRAYS)]
        )
    assert tied < 3


def test_what_stands_side_by_side_is_what_the_app_sets_there(site: Site) -> None:
    script = """([state, order]) => asked.why.whyValue(asked.pairs, asked.facts, state, order)
        .then((value) => asked.pack(value))"""
    indexed, items, tied = site.indexed, site.indexed.gallery.items, 0
    pairs = site.pairs()[::12]
    for number, (index, caption) in enumerate(pairs):
        other = items[(index + 3) % len(items)].captions[0] if number % 2 else ""
        layer = "word:1" if number % 3 else "mask"
        state = WhyState(
            indexed.gallery.name, index, caption, layer=layer, against=(index + 5) % len(items), other=other
        )
        if number == 2:
            state = replace(state, caption=f"{caption} and a zebra near the dog and the dog")
        if number == 4:
            state = replace(state, other=caption.upper())
        if number == 6:
            state = replace(state, other="", dense=dense_of(site, index))
        expected = why_value(site.service, indexed, state)
        order = state_ranking(site.service, indexed, state).order
        given = site.page.evaluate(script, [{name: getattr(state, name) for name in vars(state)}, order])
        tied += unlike(differences(*plain(given, expected), ARRAYS))
    assert tied <= len(pairs) / 5


def unlike(wrong: list[str]) -> bool:
    """Whether two words or two patches of a contrast have the same value, so that the last bits choose the other; more
    must not differ."""
    assert all(re.match(r"/(rows|sides/\d/(maps|marks|shows)|says/)", line) for line in wrong), wrong
    return bool(wrong)


def test_captions_are_read_as_the_tokenizer_reads_them(site: Site) -> None:
    scenes = (make_scene(1, "train", number) for number in range(SENTENCES // 5 + 1))
    captions = [caption.text for scene in scenes for caption in sparse_captions(scene)][:SENTENCES]
    words = random.Random(0).sample(sorted({word for text in captions for word in text.split()}), 40)
    captions = [
        *captions[: SENTENCES - len(ODD) - len(words)],
        *ODD,
        *(f"{word}ing un{word}-ed, {word}!" for word in words),
    ]
    model = site.service.model
    script = """async (captions) => Promise.all(captions.map((caption) =>
        asked.engine.ask("read", { model: asked.facts.model, caption }).then(({ ids }) => ids)))"""
    read = [ids for at in range(0, len(captions), 500) for ids in site.page.evaluate(script, captions[at : at + 500])]
    expected = [model.tokenizer.encode(caption, model.config.text.max_words) for caption in captions]
    assert [pair for pair in zip(captions, read, expected, strict=True) if pair[1] != pair[2]] == []


NOTED = (
    "a red car and a dog", "Hund und Katze im Garten", "zebra", "xylograph zugzwang", "dog ball kite tree sun", "!!! ?",
    "a quokka, a quokka; an axolotl (two) beside the red car", "a dog and a " + "very " * 40 + "big car", "une femme",
    "\U0001f600 a cat on the mat", "red-nosed reindeer's sled in the snow", "1 2 3 4",
)  # fmt: skip


def test_what_is_told_of_a_caption_is_what_the_app_tells(site: Site) -> None:
    script = """async (caption) => {
        const read = await asked.pairs.read(asked.facts, caption);
        try {
            const notes = [
                asked.language.noteOf(caption, read, asked.facts.language.common),
                await asked.language.unlikeNote(asked.pairs, asked.facts, caption),
            ];
            return notes.filter(Boolean).join(" ");
        } catch (error) {
            return error.message;
        }
    }"""
    notes = set()
    for caption in NOTED:
        try:
            expected = site.service.read(caption).note
        except ValueError as error:
            expected = str(error)
        assert site.page.evaluate(script, " ".join(caption.split())) == expected, caption
        notes.add(expected.partition(":")[0])
    assert len(notes) >= 4
    assert any("Few training captions" in note for note in notes) == (site.service.known is not None)
    script = """async (caption) => asked.language.readCaption(asked.pairs, asked.facts, caption, true)
        .then(({ note }) => note, ({ message }) => message)"""
    for caption in ("a dog and a " + "very " * 300 + "car", "a red car and a \u72ac on the road", "\u72ac", "a" * 2001):
        try:
            expected = read_caption(site.service.model, caption, dense=True).note
        except ValueError as error:
            expected = str(error)
        assert site.page.evaluate(script, caption) == expected, caption
        notes.add(expected)
    assert sum("dense caption" in note for note in notes) >= 2


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_a_picture_is_squashed_byte_for_byte_as_pillow_does(site: Site, kind: str) -> None:
    script = """async ([content, size, type]) => {
        const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
        const picture = await asked.own.openPicture(new File([bytes], "a picture", { type }));
        const { pixels, width, height } = picture;
        const values = Float32Array.from(asked.resize.squashed(pixels, width, height, size));
        return asked.pack({ shape: [size, size, 3], values });
    }"""
    size = site.service.model.config.vision.image_size
    rng = np.random.default_rng(0)
    for width, height in ((640, 427), (100, 300), (1201, 900), (size, size)):
        smooth = Image.fromarray(rng.integers(0, 256, (height // 9 + 2, width // 9 + 2, 3), dtype=np.uint8))
        content = BytesIO()
        smooth.resize((width, height), Image.Resampling.BICUBIC).save(content, kind)
        expected = squash(read_photo(content.getvalue()).image, site.service.model.config.vision)
        given = site.page.evaluate(script, [b64encode(content.getvalue()).decode(), size, f"image/{kind.lower()}"])
        np.testing.assert_array_equal(floats(given), np.asarray(expected), err_msg=f"{kind} of {width} x {height}")


def states(site: Site) -> list[ViewState]:
    """Views of several pairs: plain ones, with layers that are measured, under decisions by hand, and in the game."""
    rng = np.random.default_rng(0)
    count = site.service.model.cross_net.num_patches
    name = site.indexed.gallery.name
    made = []
    for number, (index, caption) in enumerate(site.pairs()[::9]):
        mask = "" if number % 3 == 0 else mask_text(rng.random(count) < 0.2)
        layer = ("mask", "effect", "blanked", "score", "effect:2")[number % 5]
        text = caption if number % 2 else f"{caption} beside a zebra"
        state = ViewState(name, index, text, layer=layer, mask=mask, budget=60 if number % 4 == 1 else 0)
        made += [state, replace(state, dense=dense_of(site, index))] if number % 2 else [state]
    return made


def test_what_the_viewer_is_given_is_what_the_app_gives_it(site: Site) -> None:
    script = """async (state) => {
        const value = await asked.pairs.viewerValue(asked.facts, state);
        return asked.pack({ ...value, words: asked.decode(value.record).says });
    }"""
    tied = 0
    for state in states(site):
        expected: dict[str, Any] = search_value(site.service, site.indexed, state)
        expected["words"] = record_words(shown_record(site.service, site.indexed, state))
        given = site.page.evaluate(script, {name: getattr(state, name) for name in vars(state)})
        tied += checked(differences(*plain(given, expected), ARRAYS))
    assert tied <= len(states(site)) / 2  # a decision drawn by chance makes tokens alike


SETTINGS: list[dict[str, Any]] = [
    {},
    {"keep_ratio": 0.2},
    {"beta": 0.05, "top_k": 2},
    {"keep_ratio": 1.0, "beta": 0.5},
    {"decision": "gumbel", "temperature": 0.5, "seed": 7},
    {"variant": "released"},
    {"variant": "released", "decision": "gumbel", "seed": 2**31 - 1},
]


WALK = """async (state) => {
    const { makeWalk } = await asked.module("static/walk.js");
    const { usual } = await asked.engine.lesson(asked.facts.model);
    const walk = makeWalk(asked.engine, asked.pairs);
    const begun = await walk.begin(asked.facts, { ...state, knobs: { ...usual, ...state.knobs } });
    await begun.counted();
    return asked.pack(await begun.whole(() => true));
}"""


def walked(site: Site, index: int, caption: str, dense: str, knobs: dict[str, Any], mask: str) -> tuple[bool, Any]:
    """Whether a pass of the lesson has ties, in which alone it may differ from the app's; and the app's value."""
    usual = evaluation_knobs(site.service.model)
    request = WalkRequest(site.service, site.indexed, index, caption, dense or None, replace(usual, **knobs), mask)
    expected = walk_value(request, 4) | {"idle": idle_choices(), "formats": []}
    state = {
        "index": index,
        "caption": caption,
        "dense": " ".join(dense.split()),
        "knobs": knobs,
        "step": 4,
        "mask": mask,
    }
    given = site.page.evaluate(WALK, state)
    del expected["key"], expected["photo"]["src"], given["photo"]["src"]
    return checked(differences(given, json.loads(orjson.dumps(expected)), ARRAYS)), expected


def test_the_lesson_is_walked_through_as_in_the_app(site: Site) -> None:
    count = site.service.model.cross_net.num_patches
    masks = ["", mask_text(np.random.default_rng(1).random(count) < 0.3)]
    states = [(*site.pairs()[3], "", knobs, mask) for knobs in SETTINGS for mask in masks]
    typed = [(2, "a dog beside a red car", "", knobs, "") for knobs in SETTINGS[:2]]
    tied = sum(walked(site, *state)[0] for state in states + typed)
    assert tied <= len(states) / 2


def test_the_lesson_with_a_dense_caption_is_walked_through_as_in_the_app(site: Site) -> None:
    count = site.service.model.cross_net.num_patches
    masks = ["", mask_text(np.random.default_rng(2).random(count) < 0.3)]
    index, caption = site.pairs()[3]
    dense = site.indexed.gallery.items[index].dense or dense_of(site, index)
    left_out: list[dict[str, Any]] = [{"dense": False}, {"dense": False, "variant": "released"}]
    states = [(index, caption, dense, knobs, mask) for knobs in SETTINGS + left_out for mask in masks]
    typed = [
        (2, "a dog beside a red car", "A dog  stands\n on grass.", knobs, "") for knobs in [*SETTINGS[:3], *left_out]
    ]
    branches: set[int] = set()
    terms: set[int] = set()
    tied = 0
    for state in states + typed:
        is_tied, value = walked(site, *state)
        tied += is_tied
        branches.add(len(value["record"]["branches"]))
        terms.add(len(value["moved"]["terms"]))
        assert value["dense_words"] and value["caption_rank"]["note"]
    assert tied <= len(states) / 2
    assert branches == {1, 2} and len(terms) == 2  # left out, and the released variant's of both captions
