"""What the view "Generate" shows of a photograph: its captions, and where two models look for each of their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PIL import Image

from demo.record.texts.table import say
from demo.service.captions import read_caption
from demo.service.generating.service import GeneratingService
from demo.service.models.registry import ModelRegistry
from demo.service.threads import computing
from demo.views.generate.attention_maps import find_looks, lies, packed_maps, seps_says
from seps import Explanation

if TYPE_CHECKING:  # the captioner is imported with its first use
    from seps.generator.generator import WrittenCaption

SHOWN = 4  # captions of a photograph, the best of those that are compared


@dataclass(frozen=True)
class ExplainedCaption:
    """A photograph's caption, SEPS's record of it, and its agreement, 0 to 1, with all that were written."""

    written: WrittenCaption
    record: Explanation
    agreement: float


def opened_captioner(registry: ModelRegistry) -> GeneratingService:
    """Return the captioner of photographs, loaded where it is not yet; ValueError where none ships."""
    if registry.captioning is None:
        raise ValueError(
            "No captioner of photographs ships with this copy of the app: put one into assets/models/captioner."
        )
    registry.captioning.open()
    return registry.captioning


def explained_captions(registry: ModelRegistry, picture: Image.Image) -> list[ExplainedCaption]:
    """Return a photograph's SHOWN best captions, as `seps.generator.ranking` orders them, with SEPS's records."""
    captioner = opened_captioner(registry)
    from seps.generator.ranking import BEAMS, agreements, order, scores_of_patches

    captions = captioner.write(picture, BEAMS)
    service = registry.photos
    patches = service.encode_photos([picture])[0]
    best = order(captions, computing(scores_of_patches)(service.model, patches, captions))[:SHOWN]
    agreeing = agreements([caption.text for caption in captions])
    records = [
        service.explain_embeddings(patches, picture, read_caption(service.model, captions[i].text).text, None)
        for i in best
    ]
    return [ExplainedCaption(captions[i], record, agreeing[i]) for i, record in zip(best, records, strict=True)]


def photo_beam_value(caption: ExplainedCaption) -> dict[str, Any]:
    """Return a caption, what it was chosen by, and both maps, (L, N), of each word that SEPS reads too; JSON ready."""
    from seps.generator.ranking import AGREEMENT, WEIGHT

    written, record = caption.written, caption.record
    looks = find_looks(written.words, written.attention.numpy(), record)
    measured = {"score": written.score, "similarity": record.similarity, "agreement": caption.agreement}
    return {
        "text": written.text,
        "truth": None,
        "measures": say("generate.photo_measures", **measured),
        "numbers": say("generate.photo_beam", text=written.text, weight=WEIGHT, times=AGREEMENT, **measured),
        "words": [
            {
                "label": look.token,
                "says": say("generate.attended", word=look.token, where=lies(look.unet)),
                "seps": seps_says(look, "seps_in_photo"),
                "numbers": say("generate.both_maps", word=look.token),
            }
            for look in looks
        ],
        "grid": list(record.grid),
        "maps": packed_maps([look.unet for look in looks], record.grid),
        "seps": packed_maps([look.seps for look in looks], record.grid),
    }


def photo_captions_value(
    picture: Image.Image, source: str, title: str, captions: Sequence[ExplainedCaption]
) -> dict[str, Any]:
    """Return a photograph, `source` its data URL, with its captions; JSON ready."""
    return {
        "photo": {"src": source, "width": picture.width, "height": picture.height, "title": title},
        "note": say("generate.photo_note"),
        "beams": [photo_beam_value(caption) for caption in captions],
    }
