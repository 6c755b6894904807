"""ICC profiles, made here: of displays by their primaries and gamma, of grey, and of a printer by a table."""

import struct

D50 = (0.9642, 1.0, 0.8249)
DISPLAY_P3 = ((0.5151, 0.2412, -0.0011), (0.2920, 0.6922, 0.0419), (0.1571, 0.0666, 0.7841))  # XYZ at D50, a row each
ADOBE_RGB = ((0.6097, 0.3111, 0.0195), (0.2053, 0.6257, 0.0609), (0.1492, 0.0632, 0.7446))
SRGB_CURVE = b"para\0\0\0\0\0\x03\0\0" + struct.pack(
    ">5i", *(round(65536 * value) for value in (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045))
)


def gamma(value: float) -> bytes:
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(256 * value)) + b"\0\0"


def xyz(values: tuple[float, float, float]) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(65536 * value) for value in values))


def text(words: str) -> bytes:
    content = words.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">2I", 1, 12) + b"enUS" + struct.pack(">2I", len(content), 28) + content


def profile(space: bytes, tags: dict[bytes, bytes], kind: bytes = b"mntr", pcs: bytes = b"XYZ ") -> bytes:
    tags = {b"desc": text("made here"), b"cprt": text("none"), b"wtpt": xyz(D50)} | tags
    table, data, start = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    for name, content in tags.items():
        padded = content + bytes(-len(content) % 4)
        table += name + struct.pack(">2I", start + len(data), len(content))
        data += padded
    size = start + len(data)
    head = struct.pack(">I", size) + bytes(4) + b"\x04\x30\0\0" + kind + space + pcs + bytes(12) + b"acsp"
    head = head.ljust(68, b"\0") + xyz(D50)[8:]
    return head.ljust(128, b"\0") + table + data


def display(primaries: tuple[tuple[float, float, float], ...], curve: bytes) -> bytes:
    names = (b"r", b"g", b"b")
    tags = {name + b"XYZ": xyz(row) for name, row in zip(names, primaries, strict=True)}
    return profile(b"RGB ", tags | {name + b"TRC": curve for name in names})


def display_p3() -> bytes:
    return display(DISPLAY_P3, SRGB_CURVE)


def adobe_rgb() -> bytes:
    return display(ADOBE_RGB, gamma(563 / 256))


def grey(value: float) -> bytes:
    return profile(b"GRAY", {b"kTRC": gamma(value)})


def printer() -> bytes:
    """Of CMYK, by a table of two steps per ink: full cyan, say, is a grey of half lightness, whatever it is without."""
    table = bytes(value for ink in range(16) for value in (255 - 255 * ink.bit_count() // 8, 128, 128))
    steps = bytes(range(256))
    identity = struct.pack(">9i", *(65536 * (at % 4 == 0) for at in range(9)))
    lut = b"mft1\0\0\0\0\x04\x03\x02\0" + identity + 4 * steps + table + 3 * steps
    return profile(b"CMYK", {b"A2B0": lut}, b"prtr", b"Lab ")
