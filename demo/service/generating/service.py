"""Service of the generator; each step of a drawing is computed like a short request, so that others run in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from PIL import Image

from demo.service.generating.precomputed import GENERATOR, DrawnStep, PrecomputedDrawing
from demo.service.generating.request import DrawingRequest
from demo.service.recent import once
from demo.service.threads import computing
from seps.common.checks import read_json_file
from seps.models.shipped import shipped_models
from seps.scenes.captions.agreement import Verdict, agreement
from seps.scenes.captions.reading import Reading, read_caption

if TYPE_CHECKING:  # the generator and diffusers are imported with its first use
    from seps.generator import ImageTextGenerator
    from seps.generator.generator import WrittenCaption
    from seps.generator.model.diffusion import Drawing

RESULTS = "results-test.json"  # next to the weights
FRAMES = 10  # pictures that are shown of a drawing on its way, at most
SAMPLED = 4  # sampled captions of a picture, in addition to the best one, so that little of it stays unmentioned
WARMTH = 0.7  # temperature of those


@dataclass(frozen=True)
class Recaption:
    """Captions of a picture, the most likely first, and which statements of the drawn caption they confirm."""

    best: list[WrittenCaption]
    asked: Reading
    verdicts: list[Verdict]  # for each statement of `asked`; None if it is left open


class GeneratingService:
    """Thread-safe service that draws and captions pictures; the generator is loaded on first use. `precomputed` returns
    a drawing of that generator, or None."""

    def __init__(
        self,
        load: Callable[[], ImageTextGenerator],
        precomputed: Callable[[], PrecomputedDrawing | None] = lambda: None,
    ) -> None:
        self.open = once(load)  # ValueError if its files cannot be read
        self.precomputed = precomputed
        self._stepping = Lock()

    def draw(self, asked: DrawingRequest) -> Iterator[DrawnStep]:
        """Draw pictures of a caption, and yield them every few steps; closing the iterator stops the drawing.
        ValueError for an empty caption, or numbers outside their range."""
        from seps.generator.model.attention import WordAttention

        generator = self.open()
        watch = WordAttention(generator.network.unet, len(asked.seeds))
        drawings = generator.draw([asked.text] * len(asked.seeds), asked.steps, asked.seeds, asked.guidance)
        shown = set(choose_shown_steps(asked.steps))

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
        """Return the generator's tokens of a caption, from [CLS] to [SEP]: one for each map of `DrawnStep`."""
        network = self.open().network
        return network.tokenizer.labels(network.tokenizer.encode(text, network.config.captioner.max_words))

    @computing
    def write(self, picture: Image.Image, beams: int) -> list[WrittenCaption]:
        """Caption a picture by beam search, the most likely first."""
        from seps.generator.model.captioner import Decoding

        return self.open().write([picture], Decoding(beams=beams))[0]

    @computing
    def recaption(self, picture: Image.Image, text: str = "") -> Recaption:
        """Caption a picture, and check which statements of the caption `text` are confirmed."""
        from seps.generator.model.captioner import Decoding

        generator = self.open()
        best = generator.write([picture])[0]
        captions = [best[0].text]
        if text:
            ways = [Decoding("sample", temperature=WARMTH, seed=seed) for seed in range(SAMPLED)]
            captions += [generator.captions([picture], how)[0] for how in ways]
        asked = read_caption(text)
        readings = [read_caption(caption) for caption in captions]
        return Recaption(best, asked, list(agreement(asked, readings)))


def choose_shown_steps(steps: int) -> list[int]:
    """Return the shown steps of a drawing, from 1: at most FRAMES of them, including the last."""
    every = max(1, -(-steps // FRAMES))
    return sorted({*range(every, steps + 1, every), steps})


@lru_cache(maxsize=1)
def read_true_share(name: str = "generator") -> float | None:
    """Read the measured fraction, in [0, 1], of the captioner's true statements; None if not measured."""
    folder = shipped_models(GENERATOR).get(name)
    if folder is None:
        return None
    try:
        return float(read_json_file(folder / RESULTS)["captions"]["true_statements"]["mean"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def rank_among(similarity: float, scores: Sequence[float]) -> int:
    """Return the rank, from 1, of a picture of this similarity among a gallery's."""
    return 1 + sum(score > similarity for score in scores)


def generator_ships(name: str = "generator") -> bool:
    """Return whether a drawing generator ships, without importing it."""
    folder = shipped_models(GENERATOR).get(name)
    return folder is not None and read_json_file(folder / GENERATOR).get("draws", True) is True


def captioner_ships(name: str = "captioner") -> bool:
    """Return whether a captioner of photographs ships, without importing it."""
    return name in shipped_models(GENERATOR)
