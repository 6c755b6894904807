"""Service of the judge with a cache of encoded pictures: a further prompt takes milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from PIL import Image

from demo.service.recent import Recent, once
from demo.service.threads import computing
from seps.common.progress import Progress, with_progress
from seps.models.shipped import shipped_models

if TYPE_CHECKING:  # the judge is imported with its first use
    from torch import Tensor

    from seps.judge import Judge, JudgeFeatures, Score

JUDGE = "judge.json"  # by which a judge's folder is known
STRENGTHS = tuple(i / 10 for i in range(11))  # of a spoilt picture
REMEMBERED = 1024  # pictures, spoilt copies among them, about 12 kB each
TOGETHER = 4  # batch size; other requests run between batches
Source = tuple[str, Callable[[], Image.Image]]  # a picture's digest, and a function that returns it in RGB


@dataclass(frozen=True)
class JudgeResult:
    """Both scores of a picture with a prompt, and the encoded features."""

    quality: Score
    consistency: Score
    seen: JudgeFeatures


class JudgingService:
    """Thread-safe service that judges pictures and prompts; the judge is loaded on first use."""

    def __init__(self, load: Callable[[], Judge]) -> None:
        self.open = once(load)  # ValueError if its files cannot be read
        self._seen: Recent[str, JudgeFeatures] = Recent(REMEMBERED)

    def judge(self, picture: Source, prompt: str) -> JudgeResult:
        """Judge one picture with a validated prompt; ValueError if the picture is not available."""
        return self.judge_together([picture], self.encode_prompt(prompt))[0]

    def judge_together(
        self, pictures: Sequence[Source], prompt: Tensor, progress: Progress = False
    ) -> list[JudgeResult]:
        """Judge one or more pictures with an encoded prompt (d,); `progress` and errors as `see`."""
        seen = self.see(pictures, progress)
        return [JudgeResult(*scores, picture) for scores, picture in zip(self.scores(seen, prompt), seen, strict=True)]

    @computing
    def encode_prompt(self, prompt: str) -> Tensor:
        """Encode a validated prompt, (d,), for any number of pictures."""
        return self.open().encode_prompts([prompt])[0]

    def has_cached(self, digests: Sequence[str]) -> bool:
        """Return whether all of these pictures are cached, so that judging them takes milliseconds."""
        return all(digest in self._seen for digest in digests)

    def see(self, pictures: Sequence[Source], progress: Progress = False) -> list[JudgeFeatures]:
        """Encode pictures in batches, using the cache; ValueError as `judge`."""
        self.open()
        known = {digest: seen for digest, _ in pictures if (seen := self._seen.get(digest)) is not None}
        new = list({digest: (digest, read) for digest, read in pictures if digest not in known}.values())
        batches = [new[i : i + TOGETHER] for i in range(0, len(new), TOGETHER)]
        for batch in with_progress(batches, "Judging pictures", progress):
            for (digest, _), seen in zip(batch, self._encode([read() for _, read in batch]), strict=True):
                known[digest] = seen
                self._seen.put(digest, seen)
        return [known[digest] for digest, _ in pictures]

    @computing
    def scores(self, seen: Sequence[JudgeFeatures], prompt: Tensor) -> list[tuple[Score, Score]]:
        """Compute quality and consistency of encoded pictures with an encoded prompt (d,)."""
        return self.open().score_encoded(seen, prompt.expand(len(seen), -1))

    def spoilt(self, picture: Source, kind: str) -> list[Source]:
        """Return the picture with one kind of damage at each of STRENGTHS; ValueError for an unknown kind."""
        from seps.common.checks import check_choice
        from seps.judge.spoil import KINDS, distort

        check_choice("kind", kind, KINDS)
        digest, read = picture
        whole = cache(read)  # read once, for all strengths

        def copy(strength: float) -> Source:
            name = digest if strength == 0 else f"{digest} {kind} {strength}"
            return name, lambda: distort(whole(), kind, strength)

        return [copy(strength) for strength in STRENGTHS]

    @computing
    def _encode(self, images: Sequence[Image.Image]) -> list[JudgeFeatures]:
        return self.open().features(images)


def list_spoiling_kinds() -> tuple[str, ...]:
    """Return the kinds of damage."""
    from seps.judge.spoil import KINDS

    return KINDS


def judge_ships() -> bool:
    """Return whether a judge ships, without importing it."""
    return "judge" in shipped_models(JUDGE)
