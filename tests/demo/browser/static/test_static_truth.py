"""The page without a server answers as the app does, from the same embeddings and the same weights."""

import json
import math
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
import torch
from PIL import Image
from playwright.sync_api import Browser, Page

from demo.galleries.indexes.index import GalleryInMemory
from demo.galleries.reading.photos import read_photo
from demo.galleries.sources.named import open_named_gallery
from demo.page.actions import PageActions
from demo.page.table import Action
from demo.record.texts.table import for_page
from demo.service.masks import mask_text
from demo.service.models.personal import SessionData
from demo.service.models.registry import ModelRegistry
from demo.service.models.start import open_model
from demo.service.retrieval import RetrievalService
from demo.static.gallery import EMBEDDINGS, FACTS
from demo.static.model import page_model
from demo.static.write import OPENED
from seps import ScoringEngine
from seps.encoders.preprocessing import squash
from seps.scenes import make_scene, sparse_captions
from tests.helpers.web.static_site import differences, floats, open_engine

PAIRS, SENTENCES = 8, 300
ENCODED = 3  # photographs that the app encodes too
TOLERANCE, SCORES = 5e-5, 1e-5  # of weights and cosines; of S(I, T) and its terms
OF_SCORES = re.compile(r"/(similarity|terms/[\w ]+|score):")
LEFT_OUT = {"src", "key", "thumb", "model", "link", "alike"}
# Where two tokens, words or patches have the same value but for its last bits, another one may be named.
TIED = re.compile(r"/(best_\w+|rank|word_maps|words|maps|marks|shows|says|layers|others|rows)(/|:)")
HALF = re.compile(r"/classes/(probability|word_shares): (0\.00\d+|[\d.]+e-05) apart")  # the page reads 16-bit numbers
NOTED = (
    "a red car and a dog", "Hund und Katze im Garten", "zebra", "xylograph zugzwang", "!!! ?", "une femme",
    "a quokka, a quokka; an axolotl (two) beside the red car", "a dog and a " + "very " * 40 + "big car",
    "\U0001f600 a cat on the mat", "1 2 3 4", " ", "a" * 2001,
)  # fmt: skip
ODD = [
    *("CAF\u00c9 \ufb01ve \uff26\uff35\uff2c\uff2c", "a dog\u2019s \U0001f415 ball", "[SEP] [CLS] ##s"),
    *("\u72ac\u304c\u8d70\u308b", "\u00c5ngstr\u00f6m \u0130stanbul"),
    *("\U00020bb7\u91ce\u5bb6 \u306e\u72ac", "na\u00efve \u2014 \u201cquotes\u201d\u2026", "a" * 150, "x\tand\u00a0y"),
]


class Site:
    """The page's engine, open on a gallery, and the app's actions on the same numbers: `folder` is the page's."""

    def __init__(self, name: str, page: Page, folder: Path) -> None:
        self.page, self.gallery = page, OPENED[name]
        whole, gallery = open_model(name).model, open_named_gallery(self.gallery)
        items = gallery.items
        (file,) = folder.rglob(f"gallery-{self.gallery}-*/{EMBEDDINGS}")
        shape = json.loads(file.with_name(FACTS).read_text(encoding="utf-8"))["shape"]
        numbers = np.fromfile(file, "<f2").astype("f4").reshape(len(items), -1)[:, : math.prod(shape[1:])]
        halves = torch.from_numpy(numbers.copy()).reshape(shape)
        encoded = whole.encode_photos([item.photo() for item in items[:ENCODED]]).cpu()
        torch.testing.assert_close(halves[:ENCODED], encoded, atol=1e-5, rtol=6e-4)  # of 16 bits
        model = page_model(whole)
        images = ScoringEngine(model.cross_net).encode_images(halves)
        digests = tuple(item.digest() for item in items)
        self.indexed = GalleryInMemory(gallery, images, ("",) * len(items), digests, halves)
        self.service = RetrievalService(model, name, [self.indexed])
        self.actions = PageActions(ModelRegistry(self.service), Path())
        true = [(index, item.captions[index % len(item.captions)]) for index, item in enumerate(items)]
        false = [((index + 1) % len(items), caption) for index, caption in true]
        self.pairs = [*true[: PAIRS // 2], *false[: PAIRS // 2]]

    def both(self, method: str, **values: Any) -> tuple[Any, Any]:
        """Return what the page and what the app answer; a refusal is its sentence."""
        script = """([method, values]) => asked[method === "lesson" ? "lesson" : "plain"](method, values)"""
        given = self.page.evaluate(script, [method, {"gallery": self.gallery, **values}])
        asked = {"session": SessionData(), "gallery": self.gallery, **values}
        with for_page():
            try:
                action = Action(getattr(self.actions, method), {})
                expected = action.method(**action.arguments([asked.get(each.name) for each in action.values]))
            except ValueError as error:
                return given, str(error)
        return given, json.loads(orjson.dumps(expected, option=orjson.OPT_SERIALIZE_NUMPY))

    def check(self, method: str, **values: Any) -> bool:
        """Check that both answer the same; return whether something in it is tied."""
        given, expected = (without(value) for value in self.both(method, **values))
        wrong = [line for line in differences(given, expected, TOLERANCE) if not HALF.search(line)]
        assert [line for line in differences(given, expected, SCORES) if OF_SCORES.search(line)] == [], (method, values)
        assert [line for line in wrong if not TIED.search(line)] == [], (method, values)
        return bool(wrong)


def without(value: Any) -> Any:
    """Return a value without what is each page's own: addresses, times and kinds of files."""
    if isinstance(value, dict):
        return {name: without(part) for name, part in value.items() if name not in LEFT_OUT}
    if isinstance(value, list):
        return [without(part) for part in value]
    return re.sub(r"in \d+ ms", "", value) if isinstance(value, str) else value


@pytest.fixture(scope="module", params=["scenes", "photos"])
def site(request: pytest.FixtureRequest, browser: Browser, static_address: str, static_folder: Path) -> Iterator[Site]:
    page = browser.new_page()
    page.goto(static_address)
    made = Site(request.param, page, static_folder)
    open_engine(page, made.gallery)
    yield made
    page.close()


def test_explanations_are_the_apps(site: Site) -> None:
    count = site.service.model.cross_net.num_patches
    mask = mask_text(np.random.default_rng(0).random(count) < 0.2)
    asked: list[dict[str, Any]] = [
        *({}, {"mask": mask}, {"dense": True}, {"budget": 60}, {"layer": "score"}, {"layer": "effect"}),
        *({"layer": "effect", "mask": mask, "dense": True}, {"layer": "blanked", "mask": mask, "budget": 60}),
    ]
    tied, defaults = 0, {"layer": "mask", "mask": "", "dense": "", "budget": 0}
    for (index, caption), values in zip(site.pairs, asked, strict=True):
        if "dense" in values:
            values["dense"] = ". ".join(site.indexed.gallery.items[index].captions)
        tied += site.check("explain", index=index, caption=caption, **defaults | values)
    assert tied <= PAIRS / 4


def test_rankings_are_the_apps(site: Site) -> None:
    moved = set()
    for number, (index, caption) in enumerate(site.pairs):
        dense = ". ".join(site.indexed.gallery.items[index].captions) if number % 4 == 2 else ""
        ratio = None if dense else (None, 0.2, 0.8)[number % 3]
        given, expected = site.both("rank", index=index, caption=caption, dense=dense, ratio=ratio)
        for name in ("note", "best", "total", "place"):
            assert differences(given[name], expected[name], TOLERANCE) == [], (name, caption)
        rows, others = (value["ranking"]["lists"][-1]["items"] for value in (given, expected))
        assert [row["index"] for row in rows] == [row["index"] for row in others][: len(rows)]
        np.testing.assert_allclose([row["score"] for row in rows], [row["score"] for row in others], atol=TOLERANCE)
        moved.add(round(given["place"]["score"], 3))
    assert len(moved) > PAIRS / 4


def test_lists_pairs_and_lessons_are_the_apps(site: Site) -> None:
    items, count = site.indexed.gallery.items, site.service.model.cross_net.num_patches
    lines = "\n".join(item.captions[0] for item in items[:3])
    dense = ". ".join(items[2].captions)
    mask = mask_text(np.random.default_rng(1).random(count) < 0.3)
    gumbel = {"decision": "gumbel", "temperature": 0.5, "seed": 7}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("captions", {"index": 0}),
        ("captions", {"index": 3, "typed": "a red car\n\n  a zebra beside  a dog\n", "caption": "a red car"}),
        ("captions", {"index": 3, "typed": "a red car\n\u72ac"}),
        ("compare", {"index": 0, "captions": lines}),
        ("compare", {"index": 3, "captions": lines, "layer": "effect"}),
        ("compare", {"index": 3, "captions": "one"}),
        ("contrast", {"caption": items[0].captions[0], "index": -1}),
        ("contrast", {"caption": items[0].captions[0], "index": 1, "against": 5}),
        ("contrast", {"caption": items[0].captions[0], "index": 1, "other": f"{items[1].captions[0]} and a zebra"}),
        ("contrast", {"caption": items[0].captions[0], "index": 0, "dense": dense}),
        *(
            ("lesson", {"index": at, "caption": items[at].captions[0], "knobs": json.dumps(knobs), "step": 4, **more})
            for at, knobs, more in (
                (3, {}, {"mask": mask}),
                (3, {"keep_ratio": 0.2, "beta": 0.05, "top_k": 2}, {}),
                (1, gumbel, {"mask": mask}),
                (1, {"variant": "released"}, {}),
                (2, {}, {"dense": dense}),
                (2, {"dense": False}, {"dense": dense}),
                (2, {"variant": "released"} | gumbel, {"dense": dense}),
            )
        ),
    ]  # fmt: skip
    tied = [name for name, values in asked if site.check(name, **values)]
    assert len(tied) <= len(asked) / 3, tied


def test_captions_are_read_and_commented_on_as_in_the_app(site: Site) -> None:
    notes = set()
    for caption in NOTED:
        given, expected = site.both("rank", index=0, caption=caption)
        notes.add(given if isinstance(given, str) else given["note"])
        if isinstance(expected, str):
            assert given == expected, caption
        else:
            assert given["note"] == expected["note"], caption
    assert len(notes) >= 5
    scenes = (make_scene(1, "train", number) for number in range(SENTENCES // 5 + 1))
    captions = [caption.text for scene in scenes for caption in sparse_captions(scene)][:SENTENCES]
    words = random.Random(0).sample(sorted({word for text in captions for word in text.split()}), 40)
    captions += [*ODD, *(f"{word}ing un{word}-ed, {word}!" for word in words)]
    script = "(captions) => Promise.all(captions.map((caption) => asked.read(caption)))"
    read = site.page.evaluate(script, captions)
    model = site.service.model
    expected = [model.tokenizer.encode(caption, model.config.text.max_words) for caption in captions]
    assert [pair for pair in zip(captions, read, expected, strict=True) if pair[1] != pair[2]] == []


def test_a_picture_is_resized_byte_for_byte_as_pillow_does(site: Site) -> None:
    config = site.service.model.config.vision
    rng = np.random.default_rng(0)
    sizes = ((640, 427), (100, 300), (1201, 900), (config.image_size, config.image_size))
    for kind, (width, height) in (*product(["PNG"], sizes), *product(["JPEG", "WEBP", "GIF", "BMP"], sizes[1:2])):
        smooth = Image.fromarray(rng.integers(0, 256, (height // 9 + 2, width // 9 + 2, 3), dtype=np.uint8))
        content = BytesIO()
        smooth.resize((width, height), Image.Resampling.BICUBIC).save(content, kind)
        expected = squash(read_photo(content.getvalue()).image, config)
        asked = [b64encode(content.getvalue()).decode(), config.image_size, f"image/{kind.lower()}"]
        given = site.page.evaluate("(asked_for) => asked.squashed(...asked_for)", asked)
        np.testing.assert_array_equal(floats(given), np.asarray(expected), err_msg=f"{kind} of {width} x {height}")
