"""The generator as the app uses it: loaded on first use, and drawing in turn with everybody else's answers.

A drawing is a series of steps, each of them computed like any other short answer: rankings come between, and so do the
steps of other people's drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from PIL import Image

from demo.service.generating.precomputed import PrecomputedDrawing
from demo.service.generating.request import DrawingRequest
from demo.service.generating.step import GENERATOR, DrawnStep
from demo.service.threads import computing
from seps.checks import read_json_file
from seps.models.shipped import shipped_models
from seps.scenes.agreement import Verdict, agreement
from seps.scenes.reading import Reading, read_caption

if TYPE_CHECKING:  # the generator and diffusers are imported with its first use
    from seps.generator import ImageTextGenerator
    from seps.generator.diffusion import Drawing
    from seps.generator.generator import WrittenCaption

RESULTS = "results-test.json"  # beside it
FRAMES = 10  # pictures that are shown of a drawing on its way, at most
SAMPLED = 4  # captions that are sampled of a picture beside the best one, so that little of it goes untold
WARMTH = 0.7  # temperature of those


@dataclass(frozen=True)
class Recaption:
    """What a picture's captions tell.

    Attributes:
        best: captions by beam search, the most likely first; asked: the caption that was drawn, as it is read.
        verdicts: of each of its statements, whether these captions say it too; None where they say nothing of it.
    """

    best: list[WrittenCaption]
    asked: Reading
    verdicts: list[Verdict]


class GeneratingService:
    """Draws and captions pictures. Safe to call from several threads.

    Args:
        load: gives the generator; called once, on first use.
        precomputed: gives a drawing that was made earlier with that generator, or None.

    Attributes:
        precomputed: as given.
    """

    def __init__(
        self,
        load: Callable[[], ImageTextGenerator],
        precomputed: Callable[[], PrecomputedDrawing | None] = lambda: None,
    ) -> None:
        self._load = load
        self.precomputed = precomputed
        self._generator: ImageTextGenerator | None = None
        self._opening, self._stepping = Lock(), Lock()

    @property
    def is_open(self) -> bool:
        """Whether the generator is loaded."""
        return self._generator is not None

    def open(self) -> ImageTextGenerator:
        """Load the generator, where that has not happened yet; ValueError where its files cannot be read."""
        with self._opening:
            if self._generator is None:
                self._generator = self._load()
            return self._generator

    def draw(self, asked: DrawingRequest) -> Iterator[DrawnStep]:
        """Draw pictures of a caption, and show them every few steps.

        Whoever stops asking stops the drawing.

        Raises:
            ValueError: an empty caption, numbers outside their range.
        """
        from seps.generator.attention import WordAttention

        generator = self.open()
        watch = WordAttention(generator.network.unet, len(asked.seeds))
        drawings = generator.draw([asked.text] * len(asked.seeds), asked.steps, asked.seeds, asked.guidance)
        shown = set(shown_steps(asked.steps))

        @computing
        def advance() -> tuple[Drawing, list[Image.Image] | None]:
            with self._stepping, watch:  # the UNet's attention can be watched for one drawing at a time
                drawing = next(drawings)
            if drawing.step not in shown:
                return drawing, None
            return drawing, generator.decode(drawing.latents if drawing.step == drawing.steps else drawing.clean)

        is_drawn = False
        while not is_drawn:
            drawing, pictures = advance()
            is_drawn = drawing.step == drawing.steps
            if pictures is not None:
                maps = watch.maps(generator.network.config.latent_size).cpu().numpy() if is_drawn else None
                yield DrawnStep(drawing.step, drawing.steps, pictures, maps)

    def tokens(self, text: str) -> list[str]:
        """Return a caption's tokens as the generator reads it, from [CLS] to [SEP]: one for each map of `DrawnStep`."""
        network = self.open().network
        return network.tokenizer.labels(network.tokenizer.encode(text, network.config.captioner.max_words))

    @computing
    def write(self, picture: Image.Image, beams: int) -> list[WrittenCaption]:
        """Caption a picture by beam search, the most likely first."""
        from seps.generator.captioner import Decoding

        return self.open().write([picture], Decoding(beams=beams))[0]

    @computing
    def recaption(self, picture: Image.Image, text: str = "") -> Recaption:
        """Caption a picture, and tell which statements of the caption `text` these captions say too."""
        from seps.generator.captioner import Decoding

        generator = self.open()
        best = generator.write([picture])[0]
        captions = [best[0].text]
        if text:
            ways = [Decoding("sample", temperature=WARMTH, seed=seed) for seed in range(SAMPLED)]
            captions += [generator.captions([picture], how)[0] for how in ways]
        asked = read_caption(text)
        readings = [read_caption(caption) for caption in captions]
        return Recaption(best, asked, list(agreement(asked, readings)))


def shown_steps(steps: int) -> list[int]:
    """Return the steps, from 1, after which a drawing of so many is shown: FRAMES of them at most, the last one among
    them."""
    every = max(1, -(-steps // FRAMES))
    return sorted({*range(every, steps + 1, every), steps})


@lru_cache(maxsize=1)
def true_share(name: str = "generator") -> float | None:
    """Read the fraction, 0 to 1, of the captioner's statements that are true of scenes whose truth is known, as it was
    measured; None where it was not."""
    folder = shipped_models(GENERATOR).get(name)
    try:
        return (
            None if folder is None else float(read_json_file(folder / RESULTS)["captions"]["true_statements"]["mean"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def rank_among(similarity: float, scores: Sequence[float]) -> int:
    """Return the place, from 1, of a picture of this similarity among a gallery's."""
    return 1 + sum(score > similarity for score in scores)


def generator_ships(name: str = "generator") -> bool:
    """Return whether a generator that draws ships, without importing it."""
    folder = shipped_models(GENERATOR).get(name)
    return folder is not None and read_json_file(folder / GENERATOR).get("draws", True) is True


def captioner_ships(name: str = "captioner") -> bool:
    """Return whether a captioner of photographs ships, without importing it."""
    return name in shipped_models(GENERATOR)
