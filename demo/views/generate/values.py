"""What the view "Generate" draws: a drawing on its way, what is read in it, and where two models looked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from demo.galleries.index import GalleryInMemory
from demo.galleries.photos import data_url
from demo.galleries.scenes import SCENES
from demo.record.packing import pack_array
from demo.record.photo import photo_value, with_new_key
from demo.record.table import say
from demo.service.generating.rank import RankResult, index_drawn
from demo.service.generating.request import GUIDANCE, SEED, STEPS, DrawingRequest
from demo.service.generating.service import GeneratingService, Recaption, read_true_share
from demo.service.generating.step import DrawnStep
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.generate.attention_maps import find_looks, lies, looks_value
from demo.views.generate.statements import (
    StatementVerdict,
    recaption_statements,
    statement_values,
    summary,
    true_statements,
    truth_summary,
)
from demo.views.state import ViewState
from seps.explanation.caption_words import is_content
from seps.scenes import Scene

if TYPE_CHECKING:  # the generator is imported with its first use
    from seps.generator.generator import WrittenCaption

EXAMPLES = (
    "two yellow balloons and a black cat on a starry night",
    "a white sheep and a green tree in the park",
    "a green tractor standing on the left in winter",
    "a violet owl sits on the right of a mouse in the park",
)
LONGEST, QUALITY = 900, 92  # of a picture as the page shows it: pixels of a side at most, and JPEG's quality
Frame = tuple[Image.Image, ...]  # one picture a seed


@dataclass(frozen=True, eq=False)
class Drawn:
    """A finished drawing.

    Attributes:
        frames: the pictures as they came about, the last ones as they are.
        attention: (B, L, side, side), where the UNet looked for each token of the caption, for each of B seeds.
        indexed: the pictures as the model of scenes encodes them.
    """

    frames: tuple[Frame, ...]
    attention: NDArray[np.float32]
    indexed: GalleryInMemory

    @property
    def pictures(self) -> Frame:
        """As they are."""
        return self.frames[-1]

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        pixels = sum(3 * picture.width * picture.height for frame in self.frames for picture in frame)
        return pixels + self.attention.nbytes + self.indexed.nbytes


@dataclass(frozen=True)
class GenerateState(ViewState):
    """What a person draws; lives in the session. The caption is as read, and index tells which picture is explained.

    Attributes:
        steps, guidance, seed: as asked; count: pictures, drawn with seed, seed + 1, ...
        word: the token whose two maps are shown, by its place in SEPS's record.
        drawn: the drawing once it is done.
    """

    steps: int = STEPS
    guidance: float = GUIDANCE
    seed: int = SEED
    count: int = 1
    word: int = -1
    drawn: Drawn | None = field(default=None, repr=False, compare=False)

    @property
    def asked(self) -> DrawingRequest:
        """What is to be drawn."""
        return DrawingRequest(self.caption, self.steps, self.guidance, self.seeds)

    @property
    def seeds(self) -> tuple[int, ...]:
        """One a picture."""
        return tuple(range(self.seed, self.seed + self.count))

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        return 0 if self.drawn is None else self.drawn.nbytes


def opened_generator(registry: ModelRegistry) -> GeneratingService:
    """Return the generator, loaded where it is not yet; ValueError where none ships."""
    if registry.generating is None:
        raise ValueError("No generator ships with this copy of the app: put one into assets/models/generator.")
    registry.generating.open()
    return registry.generating


def link_of(state: GenerateState) -> str:
    """Return the query that draws the same again."""
    if not state.caption:
        return "?view=generate"
    values: dict[str, Any] = {"view": "generate", "caption": state.caption, "steps": state.steps, "seed": state.seed}
    values |= {"guidance": f"{state.guidance:g}"} | ({"count": state.count} if state.count > 1 else {})
    return "?" + urlencode(values)


def blank_value(state: GenerateState, says: str) -> dict[str, Any]:
    """Return a drawing without pictures, and a sentence."""
    return with_new_key(
        {
            "caption": state.caption,
            "seeds": list(state.seeds),
            "chosen": 0,
            "done": 0,
            "of": state.steps,
            "says": says,
            "pictures": [],
            "scores": [],
            "link": link_of(state),
        }
    )


def drawing_value(state: GenerateState, step: DrawnStep) -> dict[str, Any]:
    """Return a drawing on its way: its pictures as they are estimated to become."""
    return blank_value(state, say("generate.step", done=step.step, total=step.steps)) | {
        "done": step.step,
        "pictures": [shown(picture) for picture in step.pictures],
    }


def drawn_value(state: GenerateState, service: RetrievalService) -> dict[str, Any]:
    """Return a finished drawing: its pictures, which of them is explained, and each one's S(I, T)."""
    drawn = finished(state)
    scores = [service.explain(drawn.indexed, i, state.caption).similarity for i in range(state.count)]
    return blank_value(state, say("generate.done", seed=state.seeds[state.index], steps=state.steps)) | {
        "done": state.steps,
        "chosen": state.index,
        "pictures": [shown(picture) for picture in drawn.pictures],
        "scores": [say("generate.score", similarity=score) for score in scores],
    }


def shown(picture: Image.Image) -> str:
    """Return a picture as a data URL."""
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
    film = [shown(frame[state.index]) for frame in finished(state).frames]
    says = say("generate.beforehand", seed=state.seeds[state.index], steps=state.steps)
    return drawn_value(state, service) | {"film": film, "says": says}


def recaption_value(read: Recaption, standing: RankResult) -> dict[str, Any]:
    """Return what the captioner reads of a caption in its drawn picture, how SEPS ranks that, and its captions back."""
    rate, statements = read_true_share(), recaption_statements(read)
    return with_new_key(
        {
            "standing": standing_sentence(standing, "place"),
            "numbers": [standing_sentence(standing), *(beam_sentence(beam) for beam in read.best)],
            "summary": summary(statements),
            "note": f"{say('reads.note')} {'' if rate is None else say('reads.errs', percent=100 * rate)}".strip(),
            "statements": statement_values(statements),
            "beams": [beam.text for beam in read.best],
        }
    )


def standing_sentence(standing: RankResult, key: str = "standing") -> str:
    """Return the rank of a drawn picture among the gallery's scenes, with S(I, T), or as a plain "place"."""
    values = {"rank": standing.rank, "scenes": standing.scenes, "total": standing.scenes + 1}
    return say(f"generate.{key}", **values | ({"similarity": standing.similarity} if key == "standing" else {}))


def beam_sentence(written: WrittenCaption) -> str:
    """Return how likely a caption is to the captioner."""
    return say("generate.beam", text=written.text, score=written.score)


def words_value(registry: ModelRegistry, state: GenerateState) -> dict[str, Any]:
    """Return two explanations of each word of the caption on the picture that a state explains, each word's on one
    scale.

    The first word that names something is shown where none was chosen.
    """
    drawn, service = finished(state), registry.of(SCENES)
    record = service.explain(drawn.indexed, state.index, state.caption)
    tokens = opened_generator(registry).tokens(state.caption)
    looks = find_looks(tokens, drawn.attention[state.index], record)
    places = [look.word for look in looks]
    labels = record.sparse_alignment.words
    names = (
        is_content if service.unmatched_rule is None else service.unmatched_rule.applies_to
    )  # nouns, with the scenes' rule
    first = next((place for place in places if names(labels[place])), None)
    return with_new_key(
        looks_value(looks, record.grid)
        | {"photo": photo_value(drawn.indexed, state.index), "selected": state.word if state.word in places else first}
    )


def captioned_value(
    picture: Image.Image, title: str, beams: Sequence[WrittenCaption], scene: Scene | None
) -> dict[str, Any]:
    """Return a picture with its captions, each word's attention to the picture's places, and a sentence a word; of a
    scene, whose objects are known, what each caption says truly of it."""
    source = {"src": shown(picture), "width": picture.width, "height": picture.height, "title": title}
    return with_new_key(
        {
            "photo": source,
            "note": say("generate.only_scenes") if scene is None else "",
            "beams": [
                {
                    "text": beam.text,
                    "truth": None if scene is None else truth_value(true_statements(scene, beam.text)),
                    "numbers": beam_sentence(beam),
                    "words": [
                        {"label": word} | word_sentences(word, beam.attention[i].numpy())
                        for i, word in enumerate(beam.words)
                    ],
                    "grid": list(beam.attention.shape[1:]),
                    "maps": pack_array(beam.attention.flatten(1).numpy()),  # (L, h w)
                }
                for beam in beams
            ],
        }
    )


def truth_value(statements: Sequence[StatementVerdict]) -> dict[str, Any]:
    """Return what a caption says truly of a scene."""
    return {"summary": truth_summary(statements), "statements": statement_values(statements)}


def word_sentences(word: str, attention: NDArray[np.float32]) -> dict[str, str]:
    """Return where the captioner looked when it wrote a word, of shares (h, w) that add up to at most 1, and the
    numbers."""
    inside = float(attention.sum())
    numbers = say("generate.attended_numbers", word=word, inside=100 * inside, rest=100 * (1 - inside))
    return {"says": say("generate.attended", word=word, where=lies(attention)), "numbers": numbers}
