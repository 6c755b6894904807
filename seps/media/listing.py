"""Detection of photographs among the files of a folder, by suffix or first bytes."""

from pathlib import Path

from seps.media.heic import HEIC_ENDINGS, is_heic

ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp", *HEIC_ENDINGS)
STARTS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
HEAD = 256  # bytes that decide


def is_possible_photo(file: Path) -> bool:
    """Return whether a file has a photo's suffix or first bytes."""
    if file.suffix.lower() in ENDINGS:
        return True
    try:
        if not file.is_file():  # a pipe would keep us waiting
            return False
        with file.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError:
        return False
    is_webp, is_bmp = head[:4] == b"RIFF" and head[8:12] == b"WEBP", head[:2] == b"BM" and head[6:10] == bytes(4)
    return head.startswith(STARTS) or is_webp or is_bmp or is_heic(head)
