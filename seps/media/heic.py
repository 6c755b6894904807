"""Support for HEIC, the photo format of iPhones, with the optional package pillow-heif (extra `heic`)."""

from functools import cache

HEIC = "HEIF"  # as Pillow calls the format
HEIC_ENDINGS = (".heic", ".heif", ".hif")
NEEDS_HEIC = "is a HEIC photo, which needs the package pillow-heif"
HEIC_REMEDY = "pip install 'seps-explorer[heic]', or save it as JPEG"

_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"}  # of pictures coded as HEVC
_CONTAINERS = {b"mif1", b"msf1"}  # of pictures coded as HEVC or otherwise


@cache
def heic_formats() -> tuple[str, ...]:
    """Register HEIC with Pillow if pillow-heif is installed; return the format's name, or nothing."""
    try:
        from pillow_heif import register_heif_opener
    except ImportError:
        return ()
    # A thumbnail in the file may show something else than the image.
    register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=1)
    return (HEIC,)


def is_heic(content: bytes) -> bool:
    """Return whether a file begins with a HEIC signature."""
    if content[4:8] != b"ftyp":
        return False
    size = min(int.from_bytes(content[:4], "big"), 256)
    named = {content[8:12], *(content[at : at + 4] for at in range(16, size, 4))}
    return bool(named & _BRANDS) or (content[8:12] in _CONTAINERS and b"avif" not in named)
