"""Photographs as people have them: every format and mode, every orientation, metadata that break the rules.

All of them show the same when upright: red above blue, 40 pixels across and 60 down.
"""

import struct
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from PIL import Image

RED, BLUE = (220, 30, 40), (20, 60, 200)
SIZE = (40, 60)
ORIENTATION, MAKE, X_RESOLUTION, RESOLUTION_UNIT, SOFTWARE, EXIF_IFD = 0x0112, 0x010F, 0x011A, 0x0128, 0x0131, 0x8769
ASCII, SHORT, LONG, RATIONAL, UNDEFINED = 2, 3, 4, 5, 7
STORED = {  # by the orientation's number: how the upright picture is turned before it is stored
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
Entry = tuple[int, int, int, bytes]  # tag, type, count, value

SIX = (ORIENTATION, SHORT, 1, struct.pack("<H", 6))
ODD: dict[str, list[Entry]] = {  # other metadata next to a valid orientation
    "nothing": [],
    "XResolution as text": [(X_RESOLUTION, ASCII, 3, b"72\0")],
    "XResolution as one letter": [(X_RESOLUTION, ASCII, 2, b"\1\0")],
    "XResolution as empty text": [(X_RESOLUTION, ASCII, 1, b"\0"), (RESOLUTION_UNIT, SHORT, 1, b"\3\0")],
    "XResolution over nothing": [(X_RESOLUTION, RATIONAL, 1, struct.pack("<2I", 72, 0))],
    "Make as a number": [(MAKE, RATIONAL, 1, struct.pack("<2I", 1019, 2039))],
    "Make as numbers": [(MAKE, SHORT, 2, struct.pack("<2H", 3, 4))],
    "Software as bytes": [(SOFTWARE, UNDEFINED, 4, b"\xff\xfe\0\1")],
    "ResolutionUnit out of range": [(RESOLUTION_UNIT, LONG, 1, struct.pack("<I", 70_000))],
    "ResolutionUnit as text": [(X_RESOLUTION, ASCII, 2, b"a\0"), (RESOLUTION_UNIT, ASCII, 3, b"in\0")],
    "a value beyond the end": [(MAKE, ASCII, 4000, struct.pack("<I", 60_000))],
    "a type that is none": [(MAKE, 99, 1, b"\1\0\0\0")],
    "a pointer to nowhere": [(EXIF_IFD, LONG, 1, struct.pack("<I", 65_000))],
}
GARBAGE: dict[str, Entry] = {  # invalid orientations, so that the picture is used as stored
    "text": (ORIENTATION, ASCII, 7, b"upside\0"),
    "none": (ORIENTATION, SHORT, 1, b"\0\0"),
    "nine": (ORIENTATION, SHORT, 1, b"\x09\0"),
    "several": (ORIENTATION, SHORT, 2, struct.pack("<2H", 700, 8)),
    "bytes": (ORIENTATION, UNDEFINED, 4, b"\xff\0\xff\0"),
    "over nothing": (ORIENTATION, RATIONAL, 1, struct.pack("<2I", 6, 0)),
}


def upright() -> Image.Image:
    """Red above blue."""
    picture = Image.new("RGB", SIZE, RED)
    picture.paste(BLUE, (0, SIZE[1] // 2, *SIZE))
    return picture


def exif(entries: list[Entry]) -> bytes:
    """Metadata of these entries, whatever their types, as no library writes them."""
    entries = sorted(entries)
    places, values = [], b""
    first = 8 + 2 + 12 * len(entries) + 4
    for tag, kind, count, value in entries:
        if len(value) > 4:
            place = struct.pack("<I", first + len(values))
            values += value
        else:
            place = value.ljust(4, b"\0")
        places.append(struct.pack("<2HI", tag, kind, count) + place)
    return b"Exif\0\0II*\0" + struct.pack("<IH", 8, len(entries)) + b"".join(places) + bytes(4) + values


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    """A file's content."""
    stream = BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def with_exif(kind: str, entries: list[Entry], turn: Image.Transpose | None = None) -> bytes:
    """A JPEG, PNG or WebP with these metadata; "camera" is a JPEG as cameras write it, with EXIF only."""
    image = turned(turn)
    if kind != "camera":
        options: dict[str, Any] = {"quality": 95} if kind == "JPEG" else {"lossless": True} if kind == "WEBP" else {}
        return saved(image, kind, exif=exif(entries), **options)
    content = saved(image, "JPEG", quality=95)
    segment = exif(entries)
    head = 4 + struct.unpack(">H", content[4:6])[0]  # the JFIF segment, which goes
    return content[:2] + b"\xff\xe1" + struct.pack(">H", 2 + len(segment)) + segment + content[head:]


def turned(turn: Image.Transpose | None) -> Image.Image:
    return upright() if turn is None else upright().transpose(turn)


def corpus() -> dict[str, Callable[[], bytes]]:
    """Files by their oddity, all of which show the picture upright."""
    files: dict[str, Callable[[], bytes]] = {}
    for kind in ("JPEG", "camera", "PNG", "WEBP"):
        if kind in ("camera", "PNG"):  # the others' metadata take the same way
            for name, entries in ODD.items():
                files[f"{kind}, {name}"] = partial(with_exif, kind, [SIX, *entries], STORED[6])
            for name, entry in GARBAGE.items():
                files[f"{kind}, orientation {name}"] = partial(with_exif, kind, [entry])
        for number, turn in STORED.items():
            value = (ORIENTATION, SHORT, 1, struct.pack("<H", number))
            files[f"{kind}, turned {number}"] = partial(with_exif, kind, [value], turn)
    files["WEBP"] = partial(saved, upright(), "WEBP", lossless=True)
    for kind in ("PNG", "TIFF", "GIF", "BMP", "JPEG2000", "PPM", "TGA"):
        files[kind] = partial(saved, upright(), kind)
    for mode in ("RGBA", "CMYK"):
        files[f"TIFF, {mode}"] = partial(saved, upright().convert(mode), "TIFF")
    files["JPEG, CMYK"] = partial(saved, upright().convert("CMYK"), "JPEG", quality=95)
    for kind in ("PNG", "TIFF"):
        files[f"{kind}, P"] = partial(saved, upright().quantize(4), kind)
    for number, turn in STORED.items():
        files[f"TIFF, turned {number}"] = partial(saved, turned(turn), "TIFF", tiffinfo={ORIENTATION: number})
    for tag, text in ((X_RESOLUTION, "72"), (ORIENTATION, "upside")):
        files[f"TIFF, {text}"] = partial(saved, upright(), "TIFF", tiffinfo=tiff_tags(tag, text))
    return files


def tiff_tags(tag: int, text: str) -> Any:
    """TIFF's tags with a text where a number belongs."""
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    tags = ImageFileDirectory_v2()
    tags.tagtype[tag] = ASCII
    tags[tag] = text
    return tags
