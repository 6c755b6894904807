"""Malformed photographs and videos of the attack tests; seeded."""

import random
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.helpers.pictures.clips import write_clip


def png(width: int, height: int) -> bytes:
    stream = BytesIO()
    Image.new("RGB", (width, height), (90, 120, 60)).save(stream, "PNG")
    return stream.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def malformed() -> list[bytes]:
    """Return files that are no photographs, and damaged photographs."""
    draw = random.Random(0)
    good = {kind: BytesIO() for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")}
    image = Image.effect_noise((40, 30), 60).convert("RGB")
    for kind, stream in good.items():
        image.save(stream, kind)
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
    files = [b"", b"\0" * 100, b"GIF89a", svg, b"%PDF-1.4", b"PK\3\4" + b"x" * 50]
    for stream in good.values():
        content = stream.getvalue()
        files += [content[: draw.randrange(8, len(content) // 2)] for _ in range(3)]
        for _ in range(3):
            changed = bytearray(content)
            for _ in range(20):
                changed[draw.randrange(len(changed))] = draw.randrange(256)
            files.append(bytes(changed))
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    files.append(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b""))
    return files


def malformed_videos(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield fifty files that are damaged videos, or videos only by name."""
    rng = random.Random(1)
    clips = [
        write_clip(folder / f"clip.{kind}", [((255, 0, 0), 2), ((0, 0, 255), 1)]) for kind in ("mp4", "avi", "webm")
    ]
    yield "empty.mp4", b""
    yield "text.mp4", b"no video"
    yield "list.mp4", b"#EXTM3U\n#EXTINF:5,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n"
    yield "parts.mp4", b"ffconcat version 1.0\nfile /etc/hostname\n"
    yield "photo.mp4", png(8, 8)
    yield "\u202egpm.exe", clips[0].read_bytes()
    for number in range(44):
        content = bytearray(clips[number % 3].read_bytes())
        for place in rng.sample(range(len(content)), 30):
            content[place] = rng.randrange(256)
        yield f"damaged-{number}{clips[number % 3].suffix}", bytes(content[: rng.randrange(8, len(content))])
