"""Judge: encoders and heads together, pictures and prompts in, scores with their parts out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.common.checks import check_text
from seps.common.precision import evaluating
from seps.common.progress import Progress, batch_indices
from seps.judge.config import JudgeConfig
from seps.judge.encoders import ClipEncoders, PictureFeatures, SepsEncoders, build_encoders, to_pixels
from seps.judge.network import Corrected, JudgeNetwork
from seps.models.hub import folder_with
from seps.models.shipped import shipped_models
from seps.models.storage import check_tensors, read_tensors

CONFIG_FILE, WEIGHTS = "judge.json", "model.safetensors"  # not config.json, by which SEPS models are known
BATCH_SIZE = 4  # pictures a batch


@dataclass(frozen=True)
class Score:
    """A score in [0, 1] in parts: final = clamp(base + correction, 0, 1).

    The base comes from the encoders only, the correction is in [-scale, scale]; in direct mode the scale is 0.
    """

    base: float
    correction: float
    final: float
    scale: float


@dataclass(frozen=True)
class Verdict:
    """The scores of a picture and its prompt.

    Attributes:
        logit: of the quality base, which is its sigmoid.
        attributions: (N,), each patch's part of that logit, row by row; they sum to it.
        grid: (H, W) patches; None, as the attributions, if the encoder does not pool by mean.
    """

    quality: Score
    consistency: Score
    logit: float
    attributions: Tensor | None
    grid: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class JudgeFeatures:
    """Features of a picture, independent of the prompt: its quality, and enough to score any prompt in milliseconds."""

    embedding: Tensor
    image: Tensor
    logit: float
    bias: float
    attributions: NDArray[np.float32] | None
    grid: tuple[int, int] | None
    quality: Score


class Judge(nn.Module):
    """Scores the quality and consistency of generated pictures; encoders are built from the config unless given."""

    def __init__(self, config: JudgeConfig, encoders: ClipEncoders | SepsEncoders | None = None) -> None:
        super().__init__()
        self.config = config
        self.encoders = build_encoders(config.encoder) if encoders is None else encoders
        self.network = JudgeNetwork(self.encoders.quality_width, self.encoders.width, config)

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self.network.quality.base.weight.device

    def score(self, image: Image.Image, prompt: str) -> Verdict:
        """Score a picture and the prompt from which it was made; ValueError for unusable ones."""
        check_prompt(prompt)
        features = self.features([image])[0]
        quality, consistency = self.score_encoded([features], self._texts([prompt]))[0]
        attributions = None if features.attributions is None else torch.from_numpy(features.attributions)
        return Verdict(quality, consistency, features.logit, attributions, features.grid)

    def features(self, images: Sequence[Image.Image]) -> list[JudgeFeatures]:
        """Encode pictures for `score_encoded` and score their quality, all together; ValueError as `score`."""
        head = self.network.quality
        with evaluating(self):
            pixels = to_pixels(images, self.encoders.pixels).to(self.device)  # (B, 3, S, S)
            features, patches = self.encoders.with_patches(pixels)  # (B, Q) and (B, d); (B, N, Q)
            embedded = head.embed(features.quality)  # (B, Q)
            logits = head.logit(embedded).tolist()  # (B,)
            quality = head.score(embedded)
            bias = float(head.base.bias[0])
            attributions = (
                [None] * len(images) if patches is None else [head.attributions(row).cpu().numpy() for row in patches]
            )
        grid = None if patches is None else self.encoders.grid
        return [
            JudgeFeatures(
                embedded[i].clone(),
                features.image[i].clone(),
                logits[i],
                bias,
                attributions[i],
                grid,
                score_of(quality, i, self.scales[0]),
            )
            for i in range(len(images))
        ]

    def score_encoded(self, features: Sequence[JudgeFeatures], texts: Tensor) -> list[tuple[Score, Score]]:
        """Quality and consistency of encoded pictures, each with its own prompt: (B, d), from `encode_prompts`."""
        image = torch.stack([picture.image for picture in features])  # (B, d)
        embedded = torch.stack([picture.embedding for picture in features])  # (B, Q)
        final = torch.tensor([picture.quality.final for picture in features]).to(image)  # (B,)
        with evaluating(self):
            consistency = self.network.consistency(image, texts, embedded, final)
        return [(picture.quality, score_of(consistency, i, self.scales[1])) for i, picture in enumerate(features)]

    @property
    def scales(self) -> tuple[float, float]:
        """The largest corrections of quality and of consistency; 0 in direct mode."""
        config = self.config
        return (config.scale_q, config.scale_c) if config.residual else (0.0, 0.0)

    def quality(self, images: Sequence[Image.Image], progress: Progress = False) -> list[Score]:
        """Return each picture's quality, independent of any prompt; ValueError as `score`, or without pictures."""
        with evaluating(self):
            parts = [self.encoders.quality(pixels) for pixels in self.batches(images, progress)]
            scores = self.network.quality(torch.cat(parts))
        return [score_of(scores, i, self.scales[0]) for i in range(len(images))]

    def scores(
        self, images: Sequence[Image.Image], prompts: Sequence[str], progress: Progress = False
    ) -> list[tuple[Score, Score]]:
        """Quality and consistency of each picture with its own prompt; ValueError as `score`, or counts that differ."""
        check_prompts(len(images), prompts)
        features = self.encode(images, progress)
        texts = self._texts(prompts)  # (B, d)
        with evaluating(self):
            quality, consistency = self.network(features.quality, features.image, texts)
        first, second = self.scales
        return [(score_of(quality, i, first), score_of(consistency, i, second)) for i in range(len(prompts))]

    def encode(self, images: Sequence[Image.Image], progress: Progress = False) -> PictureFeatures:
        """Features of pictures, a few at a time and without gradient; ValueError as `score`, or without pictures."""
        with evaluating(self.encoders):
            encoded = [self.encoders.pictures(pixels) for pixels in self.batches(images, progress)]
        return PictureFeatures(*(torch.cat(tensors) for tensors in zip(*encoded, strict=True)))

    def batches(self, images: Sequence[Image.Image], progress: Progress) -> Iterator[Tensor]:
        """Normalised pixels (at most 4, 3, S, S) of pictures, on the judge's device."""
        if isinstance(images, Image.Image) or len(images) == 0:
            raise ValueError("images must be a list of at least 1 picture.")
        for batch in batch_indices(len(images), BATCH_SIZE, progress, "Encoding pictures"):
            yield to_pixels([images[i] for i in batch], self.encoders.pixels).to(self.device)

    def encode_prompts(self, prompts: Sequence[str]) -> Tensor:
        """(B, d) unit embeddings of prompts, without gradient; each prompt is encoded once."""
        for prompt in prompts:
            check_prompt(prompt)
        return self._texts(prompts)

    def _texts(self, prompts: Sequence[str]) -> Tensor:
        unique = list(dict.fromkeys(prompts))
        with evaluating(self.encoders):
            vectors = torch.cat([self.encoders.prompts(unique[i : i + 64]) for i in range(0, len(unique), 64)])
        return vectors[[unique.index(prompt) for prompt in prompts]]

    def save(self, folder: Path) -> None:
        """Write judge.json and model.safetensors: the heads, and of the encoders what learns."""
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {key: tensor.detach().cpu().contiguous() for key, tensor in self.saved().items()}
        save_file(tensors, folder / WEIGHTS, {"format": "pt"})
        (folder / CONFIG_FILE).write_text(self.config.to_json(), encoding="utf-8")

    def saved(self) -> dict[str, Tensor]:
        """Return the tensors that model.safetensors holds, by key."""
        tensors = {f"network.{key}": tensor for key, tensor in self.network.state_dict().items()}
        learned = {key: part for key, part in self.encoders.named_parameters() if part.requires_grad}
        return tensors | {f"encoders.{key}": part for key, part in learned.items()}

    def load(self, file: Path) -> None:
        """Take up what `save` wrote; ValueError where it does not fit, before any of it is taken up."""
        tensors = read_tensors(file)
        check_tensors(file, tensors, self.saved())
        self.load_state_dict(tensors, strict=False)  # the rest is the encoders' own


def score_of(scores: Corrected, i: int, scale: float) -> Score:
    """Return one picture's score as numbers."""
    return Score(float(scores.base[i]), float(scores.correction[i]), float(scores.final[i]), scale)


def check_prompts(pictures: int, prompts: Sequence[str]) -> None:
    """Raise ValueError unless there is a prompt for each picture, and every one can be read."""
    if pictures != len(prompts):
        raise ValueError(f"There are {pictures} pictures but {len(prompts)} prompts: one each is needed.")
    for prompt in prompts:
        check_prompt(prompt)


def check_prompt(prompt: str) -> None:
    """Raise ValueError for a prompt that is no text, or empty."""
    check_text("prompt", prompt)
    if not prompt.strip():
        raise ValueError("The prompt is empty: write what the picture was made from.")


def load_judge(name_or_folder: str | Path = "judge") -> Judge:
    """Load a trained judge, shipped, from a folder or from the model hub, in evaluation mode on the CPU."""
    folder = folder_with(CONFIG_FILE, str(name_or_folder), shipped_judges(), "judge")
    judge = Judge(JudgeConfig.from_json(folder / CONFIG_FILE))
    judge.load(folder / WEIGHTS)
    return judge.eval()


def shipped_judges() -> dict[str, Path]:
    """Return the judges that ship with SEPS, by name."""
    return shipped_models(CONFIG_FILE)
