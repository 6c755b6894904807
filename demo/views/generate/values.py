"""What the view "Generate" draws: a drawing on its way, what is read in it, and where two models looked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.formats import DRAWINGS, Download, check_format, file_name
from demo.galleries.indexes.index import GalleryInMemory
from demo.galleries.reading.photos import data_url
from demo.galleries.sources.scenes import SCENES
from demo.record.packing import pack_array
from demo.record.photo import photo_value
from demo.record.texts.table import say
from demo.service.captions import read_caption
from demo.service.generating.precomputed import DrawnStep
from demo.service.generating.rank import FinishedDrawing, RankResult, index_drawn
from demo.service.generating.request import GUIDANCE, SEED, STEPS, DrawingRequest
from demo.service.generating.service import GeneratingService, Recaption, read_true_share
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.threads import computing
from demo.views.generate.attention_maps import Look, find_looks, lies, looks_value, packed_maps, seps_says
from demo.views.generate.statements import recaption_statements, summary, truth_value
from demo.views.state import ViewState
from seps import Explanation
from seps.explanation.caption_words import is_content
from seps.scenes import Scene

if TYPE_CHECKING:  # the generator is imported with its first use
    from seps.generator.generator import WrittenCaption

EXAMPLES = (
    "a red boat at sea",
    "two yellow balloons and a black cat on a starry night",
    "a white sheep and a green tree in the park",
    "a green tractor standing on the left in winter",
    "a violet owl sits on the right of a mouse in the park",
)
LONGEST, QUALITY = 900, 92  # of a picture as the page shows it: pixels of a side at most, and JPEG's quality
SHOWN = 4  # captions of a photograph, the best of those that are compared
FRAME, LAST = 250, 2000  # milliseconds that a frame of a GIF stays, and the finished picture


@dataclass(frozen=True, eq=False)
class Drawn:
    """A finished drawing."""

    frames: tuple[tuple[Image.Image, ...], ...]  # as they came about, one a seed, the finished pictures last
    attention: NDArray[np.float32]  # (B, L, side, side), where the UNet looked for each token, for each of B seeds
    indexed: GalleryInMemory  # as the model of scenes encodes them

    @property
    def pictures(self) -> tuple[Image.Image, ...]:
        """The finished pictures."""
        return self.frames[-1]


@dataclass(frozen=True)
class GenerateState(ViewState):
    """State of Generate: `count` pictures with seed, seed + 1, ...; index is the explained one."""

    steps: int = STEPS
    guidance: float = GUIDANCE
    seed: int = SEED
    count: int = 1
    drawn: Drawn | None = field(default=None, repr=False, compare=False)

    @property
    def asked(self) -> DrawingRequest:
        """The request for the drawing."""
        return DrawingRequest(self.caption, self.steps, self.guidance, self.seeds)

    @property
    def seeds(self) -> tuple[int, ...]:
        """One a picture."""
        return tuple(range(self.seed, self.seed + self.count))


@dataclass(frozen=True)
class ExplainedCaption:
    """A photograph's caption, SEPS's record of it, and its agreement, 0 to 1, with all that were written."""

    written: WrittenCaption
    record: Explanation
    agreement: float


def opened_generator(registry: ModelRegistry) -> GeneratingService:
    """Return the generator, loaded where it is not yet; ValueError where none ships."""
    return _opened(registry.generating, "generator", "generator")


def _opened(service: GeneratingService | None, name: str, folder: str) -> GeneratingService:
    if service is None:
        raise ValueError(f"No {name} ships with this copy of the app: put one into assets/models/{folder}.")
    service.open()
    return service


def blank_value(state: GenerateState, says: str) -> dict[str, Any]:
    """Return a drawing without pictures, and a sentence."""
    value = {"caption": state.caption, "seeds": list(state.seeds), "chosen": 0, "done": 0, "of": state.steps}
    return value | {"says": says, "pictures": [], "scores": []}


def drawing_value(state: GenerateState, step: DrawnStep) -> dict[str, Any]:
    """Return a drawing on its way: its pictures as they are estimated to become."""
    return blank_value(state, say("generate.step", done=step.step, total=step.steps)) | {
        "done": step.step,
        "pictures": [_shown(picture) for picture in step.pictures],
    }


def drawn_value(state: GenerateState, service: RetrievalService) -> dict[str, Any]:
    """Return a finished drawing: its pictures, which of them is explained, and each one's S(I, T)."""
    drawn = finished(state)
    scores = [service.explain(drawn.indexed, i, state.caption).similarity for i in range(state.count)]
    return blank_value(state, say("generate.done", seed=state.seeds[state.index], steps=state.steps)) | {
        "done": state.steps,
        "chosen": state.index,
        "pictures": [_shown(picture) for picture in drawn.pictures],
        "scores": [say("generate.score", similarity=score) for score in scores],
    }


def _shown(picture: Image.Image) -> str:
    return data_url(picture, LONGEST, QUALITY)


def finished(state: GenerateState) -> Drawn:
    """Return the drawing of a state; ValueError where there is none."""
    if state.drawn is None:
        raise ValueError("Nothing is drawn yet: write a caption and press Draw.")
    return state.drawn


def finish(registry: ModelRegistry, state: GenerateState, steps: Sequence[DrawnStep]) -> GenerateState:
    """Return the state with its drawing, all of whose steps are there, encoded by the model of scenes."""
    attention = steps[-1].attention
    assert attention is not None
    service, _ = registry.find(SCENES)
    indexed = index_drawn(service, steps[-1].pictures, state.seeds)
    drawn = Drawn(tuple(tuple(step.pictures) for step in steps), attention, indexed)
    return replace(state, gallery=indexed.gallery.name, index=0, drawn=drawn)


def precomputed_value(state: GenerateState, service: RetrievalService) -> dict[str, Any]:
    """Return a precomputed drawing, as `drawn_value`, with all its pictures as they came about."""
    film = [_shown(frame[state.index]) for frame in finished(state).frames]
    says = say("generate.beforehand", seed=state.seeds[state.index], steps=state.steps)
    return drawn_value(state, service) | {"film": film, "says": says}


def recaption_value(read: Recaption, standing: RankResult) -> dict[str, Any]:
    """Return what the captioner reads of a caption in its drawn picture, how SEPS ranks that, and its captions back."""
    rate, statements = read_true_share(), recaption_statements(read)
    place = {"rank": standing.rank, "scenes": standing.scenes, "total": standing.scenes + 1}
    numbers = say("generate.standing", similarity=standing.similarity, **place)
    return {
        "standing": say("generate.place", **place),
        "numbers": [numbers, *(beam_sentence(beam) for beam in read.best)],
        "summary": summary(statements),
        "note": f"{say('reads.note')} {'' if rate is None else say('reads.errs', percent=100 * rate)}".strip(),
        "statements": statements,
        "beams": [beam.text for beam in read.best],
    }


def beam_sentence(written: WrittenCaption) -> str:
    """Return how likely a caption is to the captioner."""
    return say("generate.beam", text=written.text, score=written.score)


def words_value(registry: ModelRegistry, state: GenerateState) -> dict[str, Any]:
    """Return two maps of each word on the explained picture; the clearest word is selected, see `clearest_word`."""
    drawn, service = finished(state), registry.of(SCENES)
    record = service.explain(drawn.indexed, state.index, state.caption)
    tokens = opened_generator(registry).tokens(state.caption)
    looks = find_looks(tokens, drawn.attention[state.index], record)
    selected = clearest_word(looks)
    return looks_value(looks, record.grid) | {"photo": photo_value(drawn.indexed, state.index), "selected": selected}


def clearest_word(looks: Sequence[Look]) -> int | None:
    """Return the content word with SEPS's most concentrated map, by its highest value; None without content words."""
    content = [look for look in looks if is_content(look.token)]
    return max(content, key=lambda look: float(look.seps.max())).word if content else None


def captioned_value(beams: Sequence[WrittenCaption], scene: Scene | None) -> dict[str, Any]:
    """Return a picture's captions and each word's attention; of a scene, what each caption says truly of it."""
    return {
        "note": say("generate.only_scenes") if scene is None else "",
        "beams": [
            {
                "text": beam.text,
                "truth": None if scene is None else truth_value(scene, beam.text),
                "numbers": beam_sentence(beam),
                "words": [_word_value(word, beam.attention[i].numpy()) for i, word in enumerate(beam.words)],
                "grid": list(beam.attention.shape[1:]),
                "maps": pack_array(beam.attention.flatten(1).numpy()),  # (L, h w)
            }
            for beam in beams
        ],
    }


def _word_value(word: str, attention: NDArray[np.float32]) -> dict[str, str]:
    """Return where the captioner looked when it wrote a word, of shares (h, w) that add up to at most 1."""
    inside = float(attention.sum())
    numbers = say("generate.attended_numbers", word=word, inside=100 * inside, rest=100 * (1 - inside))
    return {"label": word, "says": say("generate.attended", word=word, where=lies(attention)), "numbers": numbers}


def explained_captions(registry: ModelRegistry, picture: Image.Image) -> list[ExplainedCaption]:
    """Return a photograph's SHOWN best captions, as `seps.generator.ranking` orders them, with SEPS's records."""
    captioner = _opened(registry.captioning, "captioner of photographs", "captioner")
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


def photo_captions_value(captions: Sequence[ExplainedCaption]) -> dict[str, Any]:
    """Return a photograph's captions, what each was chosen by, and both maps, (L, N), of each word that SEPS reads."""
    from seps.generator.ranking import AGREEMENT, WEIGHT

    beams = []
    for caption in captions:
        written, record = caption.written, caption.record
        looks = find_looks(written.words, written.attention.numpy(), record)
        measured = {"score": written.score, "similarity": record.similarity, "agreement": caption.agreement}
        words = [
            {
                "label": look.token,
                "says": say("generate.attended", word=look.token, where=lies(look.unet)),
                "seps": seps_says(look, "seps_in_photo"),
                "numbers": say("generate.both_maps", word=look.token),
            }
            for look in looks
        ]
        numbers = say("generate.photo_beam", text=written.text, weight=WEIGHT, times=AGREEMENT, **measured)
        maps = [packed_maps([getattr(look, side) for look in looks], record.grid) for side in ("unet", "seps")]
        value: dict[str, Any] = {
            "text": written.text,
            "truth": None,
            "measures": say("generate.photo_measures", **measured),
        }
        value |= {"numbers": numbers, "words": words, "grid": list(record.grid), "maps": maps[0], "seps": maps[1]}
        beams.append(value)
    return {"note": say("generate.photo_note"), "beams": beams}


def drawing_file(frames: Sequence[Image.Image], caption: str, seed: int, kind: str) -> Download:
    """Return a drawing as "png", or as "gif" with all frames, the last one finished; ValueError for another kind."""
    check_format(kind, DRAWINGS)
    stream = BytesIO()
    if kind == "png":
        frames[-1].save(stream, "PNG", optimize=True)
    else:
        durations = [FRAME] * (len(frames) - 1) + [LAST]
        first, *others = [frame.quantize(256, dither=Image.Dither.NONE) for frame in frames]
        first.save(stream, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return Download(file_name("generator", caption, f"seed-{seed}", kind), stream.getvalue())


def drawing_record(drawing: FinishedDrawing) -> dict[str, Any]:
    """Return the result of a drawing: its request, rank, statements with verdicts, captions; JSON ready."""
    asked, standing = drawing.asked, drawing.standing
    return {
        **{"caption": asked.text, "seed": asked.seeds[0], "steps": asked.steps, "guidance": asked.guidance},
        **{"similarity": standing.similarity, "rank": standing.rank, "total": standing.scenes + 1},
        "statements": recaption_statements(drawing.read),
        "captions": [{"caption": caption.text, "score": caption.score} for caption in drawing.read.best],
    }
