"""Pictures in messages of assistants: small enough for every client, and in base64."""

import re
from base64 import b64decode, b64encode
from binascii import Error
from io import BytesIO
from urllib.parse import unquote

from mcp.types import ImageContent
from PIL import Image

from demo.server.files.uploads import Upload

LONGEST = 700_000  # characters of a picture in base64: many clients refuse results of more than 1 MB
QUALITIES = (90, 80, 70, 60, 45)  # of JPEG; the first at which a picture is small enough is used
DATA_URL = re.compile(r"data:(image/[a-z0-9.+-]+|application/octet-stream)?(;[a-z0-9=.\"-]+)*;base64,", re.IGNORECASE)
# PNG, JPEG, GIF, WebP, TIFF (both byte orders) and BMP in base64.
BEGINNINGS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "SUkqA", "TU0AK", "Qk0", "Qk1", "Qk2", "Qk3")
URL_SAFE = str.maketrans("-_", "+/")


def image_content(picture: bytes, width: int | None = None) -> ImageContent:
    """Convert a picture to part of a result, at most `width` pixels wide and less than LONGEST characters long: a PNG
    that fits is unchanged, any other becomes a JPEG with reduced quality, then size."""
    with Image.open(BytesIO(picture)) as image:
        image.load()
    data = b64encode(picture).decode()
    if (width is None or image.width <= width) and len(data) < LONGEST:
        return ImageContent(type="image", data=data, mimeType="image/png")
    small = image.convert("RGB")
    if width is not None and small.width > width:
        small = small.resize((width, max(1, round(small.height * width / small.width))), Image.Resampling.LANCZOS)
    while True:
        for quality in QUALITIES:
            stream = BytesIO()
            small.save(stream, "JPEG", quality=quality)
            data = b64encode(stream.getvalue()).decode()
            if len(data) < LONGEST:
                return ImageContent(type="image", data=data, mimeType="image/jpeg")
        small = small.resize((max(1, small.width // 2), max(1, small.height // 2)), Image.Resampling.LANCZOS)


def upload_of(photo: str) -> Upload:
    """Decode a file from a data URL or base64, also with line breaks, percent-encoding, the URL-safe alphabet or
    without padding; ValueError for anything else, such as a URL or a path."""
    text = "".join(photo.split())
    start = DATA_URL.match(text)
    if start is None and not text.startswith(BEGINNINGS):
        raise ValueError(
            "photo is no data URL of a picture and no picture in base64: give data:image/png;base64,... or another "
            "picture type."
        )
    data = unquote(text[start.end() :] if start is not None else text).translate(URL_SAFE).rstrip("=")
    try:
        content = b64decode(data + "=" * (-len(data) % 4), validate=True)
    except (Error, ValueError) as error:  # the second for letters that are not ASCII
        raise ValueError("photo holds base64 that cannot be read: encode the file's bytes again.") from error
    return Upload("", content)
