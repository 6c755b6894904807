from base64 import b64decode, b64encode, encodebytes
from io import BytesIO
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image

from demo.assistant.pictures import LONGEST, image_content, upload_of
from tests.helpers.pictures.odd_photos import saved


def png(height: int, width: int) -> bytes:
    """Noise, which takes as many bytes as pixels can."""
    pixels = np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return saved(Image.fromarray(pixels), "PNG", compress_level=1)


@pytest.mark.parametrize("size", [(30, 40), (1200, 1500), (3, 5000)])
def test_no_picture_is_too_large_and_a_small_one_stays_as_it_is(size: tuple[int, int]) -> None:
    content = png(*size)
    part = image_content(content, 1536)
    assert len(part.data) < LONGEST
    assert (b64decode(part.data) == content) == (size == (30, 40))
    with Image.open(BytesIO(b64decode(part.data))) as image:
        assert image.width <= 1536 and Image.MIME[str(image.format)] == part.mimeType


def test_a_photograph_may_be_written_in_several_ways() -> None:
    content = png(30, 40)
    plain, lines = b64encode(content).decode(), encodebytes(content).decode()
    assert "\n" in lines.strip()
    for written in (
        f"data:image/png;base64,{plain}",
        f"data:image/png;base64,{lines}",
        f"data:image/png;base64,\r\n{lines}".replace("\n", "\r\n"),
        f"  DATA:image/PNG;charset=utf-8;base64,{plain.rstrip('=')}",
        f"data:;base64,{plain}",
        f"data:application/octet-stream;base64,{plain}",
        f"data:image/png;base64,{quote(plain, safe='')}",
        plain.replace("+", "-").replace("/", "_"),
        plain,
        lines,
    ):
        assert upload_of(written).content == content


@pytest.mark.parametrize(
    "written",
    [
        *("", "/etc/passwd", "file:///etc/passwd", "http://a/b.png", "examples/coffee", "data:text/html;base64,AAAA"),
        *("data:image/png,AAAA", "iVBORw0KGgo@", "iVBORw0KGgoé", "data:image/png;base64,A"),
    ],
)
def test_anything_else_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"photo is no data URL|base64 that cannot be read"):
        upload_of(written)
