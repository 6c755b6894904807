"""The addresses of photographs and the captions that the page begins with, known before anything heavy is imported."""

from __future__ import annotations

PREFIX = "gradio_api/pictures"  # a proxy passes everything below gradio_api on to Python
SIZES = ("thumb", "photo")
GALLERY = "examples"  # of the worked example
CHIPS = ("a red motorcycle", "a lion with a dark mane", "a tabby cat with green eyes")  # the first is the example's


def picture_address(gallery: str, size: str, index: int, digest: str = "") -> str:
    """Return the address of a gallery's photograph, relative to the page; another digest makes another address."""
    address = f"{PREFIX}/{gallery}/{size}/{index}"
    return f"{address}?{digest[:12]}" if digest else address
