"""Messages of the code in Chinese: each template in the table matches a message of the app or the library."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image, ImageCms

from demo.galleries import decoding
from demo.galleries.folder import uploads_gallery
from demo.galleries.index import index_gallery
from demo.galleries.photos import read_photo
from demo.page.values import left_out
from demo.record.language import CHINESE, MESSAGES, compile_pattern, sentences, speaking
from demo.server.gate import FAULT, FULL, MAX_BYTES, large
from demo.server.guard import GONE
from demo.service.captions import add_unlike_note, read_caption
from demo.service.generating.reading import read_drawn_caption
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps import colours, photos, videos
from seps.models.known_captions import KnownCaptions
from tests.helpers.clips import encode_clip

ENGLISH = r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}"  # three words in a row
ROOT = Path(__file__).parents[3]


def refusal(make: Callable[[], Any]) -> str:
    """Messages of refused calls."""
    with pytest.raises(ValueError) as error:
        make()
    return str(error.value)


def texts_of_code() -> str:
    """Return every text in the Python code of the library and of the app, with line breaks for values."""
    nodes = [
        node
        for folder in ("seps", "demo")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    ]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(texts)


def phrases(form: str) -> list[str]:
    """Return the runs of three or more words between the values of a form; of a short form all between its values."""
    text = re.sub(r"\{\w*\}", "\n", form)
    return re.findall(r"[A-Za-z]+(?: [A-Za-z]+){2,}", text) or text.split("\n")


def of_captions(service: RetrievalService, registry: ModelRegistry) -> list[str]:
    """Messages on captions."""
    texts = ("a dog " * 60, "a dog 🐶 sits by a cat in the snow", "ein Hund rennt schnell", "une femme en robe rouge")
    known = KnownCaptions(torch.eye(2, service.model.txt_enc.width), 1.01)
    return [
        *(read_caption(service.model, text).note for text in texts),
        read_drawn_caption(registry.of("scenes").model, "a dog playing").note,
        add_unlike_note(known, read_caption(service.model, "a cat"), known.centres[0]).note,
    ]


def of_pictures(service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Messages on uploaded pictures."""
    content = BytesIO()
    Image.new("1", (2000, 1000)).save(content, "PNG")
    monkeypatch.setattr(decoding, "MAX_PIXELS_WHOLE", 1_000_000)
    lines = [refusal(lambda: read_photo(content.getvalue(), "wide.png"))]
    monkeypatch.setattr(decoding, "MAX_PIXELS", 1_000_000)
    lines.append(refusal(lambda: read_photo(content.getvalue(), "wide.png")))
    small = BytesIO()
    Image.new("RGB", (8, 8)).save(small, "PNG")
    sent = [("small.png", small.getvalue()), *((f"{number}.png", b"text") for number in range(5))]
    indexed = index_gallery(service.model, uploads_gallery(sent), None)
    return [*lines, left_out(indexed), refusal(lambda: index_gallery(service.model, uploads_gallery(sent[1:]), None))]


def of_profiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Messages on unusable colour profiles, transparent pictures, and HEIC without its package."""

    def note(mode: str, **options: Any) -> str:
        content = BytesIO()
        Image.new(mode, (8, 8)).save(content, "TIFF", **options)
        return read_photo(content.getvalue(), "a.tif").note

    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    large = bytes(colours.MAX_PROFILE + 1)
    lines = [
        note("RGB", icc_profile=b"bad"),
        note("RGB", icc_profile=large),
        note("CMYK", icc_profile=srgb),
        note("LA"),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(colours, "_extrema", lambda image: [(0, 0)])
        lines.append(note("RGB", icc_profile=srgb + b" "))
    monkeypatch.setattr(photos, "heic_formats", lambda: ())
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(200)
    return [*lines, refusal(lambda: read_photo(heic, "a.heic"))]


def of_videos(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Messages on unusable videos."""
    file = encode_clip(folder / "clip.mp4", "libx264", [np.zeros((16, 16, 3), np.uint8)])
    (folder / "other.mp4").write_bytes(file.read_bytes().replace(b"avc1", b"zzzz"))
    lines = [refusal(lambda: videos.read_frames(folder / "other.mp4"))]
    for name, value in (("MAX_PIXELS", 10), ("_decoded", lambda *stream: iter(())), ("VideoStream", int)):
        with monkeypatch.context() as patch:
            patch.setattr(videos, name, value)
            lines.append(refusal(lambda: videos.read_frames(file)))
    return lines


def test_what_visitors_meet_is_told_in_chinese_by_forms_of_real_messages(
    service: RetrievalService, registry: ModelRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [FULL, FAULT, large(MAX_BYTES), GONE]
    lines += (
        of_captions(service, registry)
        + of_pictures(service, monkeypatch)
        + of_profiles(monkeypatch)
        + of_videos(tmp_path, monkeypatch)
    )
    with speaking(CHINESE):
        chinese = [sentences(line) for line in lines]
    assert [line for line in chinese if re.search(ENGLISH, line)] == []
    rest = [form for form in MESSAGES if not any(compile_pattern(form).search(line) for line in lines)]
    code = texts_of_code()
    unused = [form for form in rest if any(phrase not in code for phrase in phrases(form))]
    assert unused == [], "no message has this form: demo/record/messages.zh.json"
