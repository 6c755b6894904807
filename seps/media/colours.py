"""Colour management: convert a photograph with any colour profile to sRGB."""

from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageChops, ImageCms

MAX_PROFILE = 8 * 2**20  # maximum size in bytes of a profile; printer profiles have 3 MB
SPACES = {"RGB": "RGB", "L": "GRAY", "CMYK": "CMYK", "LAB": "LAB"}  # a profile's colour space, per mode
CLASSES = ("mntr", "scnr", "prtr", "spac")  # display, scanner, printer, colour space
SAME = 1  # a profile that shifts no colour by more than this, of 255, is sRGB
STEP = 15  # step between channel values of the colours that test a profile


class _UnusableError(Exception):
    """A profile that cannot be used; the message is a clause with the reason."""


def convert_to_srgb(image: Image.Image) -> tuple[Image.Image, str]:
    """Convert a loaded image to sRGB with its colour profile; return it with a clause on an unusable profile, or ""."""
    profile = image.info.get("icc_profile")
    if not profile:
        return image, ""
    has_alpha = image.mode.endswith("A")
    colours = image.convert(image.mode[:-1]) if has_alpha else image
    try:
        if not isinstance(profile, bytes):
            raise _UnusableError("it is damaged")
        if len(profile) > MAX_PROFILE:
            raise _UnusableError(f"it has more than {MAX_PROFILE // 2**20} MB")
        mode, transform = _transform(profile, colours.mode)
    except _UnusableError as error:
        return image, f"is read without its colour profile, which cannot be used ({error})"
    if transform is None:
        return image, ""
    converted = transform.apply(colours if colours.mode == mode else colours.convert(mode))
    converted.info = {}
    if has_alpha:
        converted.putalpha(image.getchannel("A"))
    return converted, ""


@lru_cache(maxsize=8)
def _transform(profile: bytes, mode: str) -> tuple[str, ImageCms.ImageCmsTransform | None]:
    """Return the mode that a profile applies to, RGB also for a grey image, and the transform, None for sRGB."""
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        space, kind = source.profile.xcolor_space.strip(), source.profile.device_class
        mode = "RGB" if mode == "L" and space == "RGB" else mode
        if space.upper() != SPACES[mode] or kind not in (*CLASSES, *["abst"] * (mode == "LAB")):
            raise _UnusableError(f"it is made for {space or 'nothing'}, and the pixels are {SPACES[mode]}")
        target = ImageCms.createProfile("sRGB")
        transform = ImageCms.buildTransform(source, target, mode, "RGB", ImageCms.Intent.PERCEPTUAL)
        return mode, _judged(transform, mode)
    except _UnusableError:
        raise
    except Exception as error:  # LittleCMS raises many kinds of errors for a damaged profile
        raise _UnusableError("it is damaged") from error


def _judged(transform: ImageCms.ImageCmsTransform, mode: str) -> ImageCms.ImageCmsTransform | None:
    """Return the transform, or None if it changes nothing; reject one that maps all colours to one."""
    before = _colours(mode)
    after = transform.apply(before)
    if all(len(set(channel.tobytes())) == 1 for channel in after.split()):
        raise _UnusableError("it makes all colours one")
    if mode in ("L", "RGB") and max(ImageChops.difference(before.convert("RGB"), after).tobytes()) <= SAME:
        return None
    return transform


@lru_cache(maxsize=4)
def _colours(mode: str) -> Image.Image:
    """Sample colours over the whole range of a mode."""
    if mode == "L":
        return Image.frombytes("L", (256, 1), bytes(range(256)))
    values = range(0, 256, STEP)
    count = len(Image.new(mode, (1, 1)).getbands())
    triples = bytes(value for a in values for b in values for c in values for value in (a, b, c, 0)[:count])
    return Image.frombytes(mode, (len(triples) // count, 1), triples)
