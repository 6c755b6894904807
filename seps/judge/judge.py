"""Judge: encoders and heads together, pictures and prompts in, scores with their parts out."""

from collections.abc import Sequence
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

    @property
    def scales(self) -> tuple[float, float]:
        """The largest corrections of quality and of consistency; 0 in direct mode."""
        config = self.config
        return (config.scale_q, config.scale_c) if config.residual else (0.0, 0.0)

    def score(self, image: Image.Image, prompt: str) -> Verdict:
        """Score a picture and the prompt from which it was made; ValueError for unusable ones."""
        text = self.encode_prompts([prompt])
        seen = self.features([image])[0]
        quality, consistency = self.score_encoded([seen], text)[0]
        attributions = None if seen.attributions is None else torch.from_numpy(seen.attributions)
        return Verdict(quality, consistency, seen.logit, attributions, seen.grid)

    def features(self, images: Sequence[Image.Image]) -> list[JudgeFeatures]:
        """Encode pictures for `score_encoded` and score their quality, all together; ValueError as `score`."""
        head = self.network.quality
        with evaluating(self):
            pixels = to_pixels(images, self.encoders.pixels).to(self.device)  # (B, 3, S, S)
            features, patches = self.encoders.with_patches(pixels)  # (B, Q) and (B, d); (B, N, Q)
            embedded = head.embed(features.quality)  # (B, Q)
            logits = head.logit(embedded).tolist()  # (B,)
            quality = scores_of(head.score(embedded), self.scales[0])
            bias = float(head.base.bias[0])
            attributions = (
                [None] * len(images) if patches is None else [head.attributions(row).cpu().numpy() for row in patches]
            )
        grid = None if patches is None else self.encoders.grid
        rows = zip(embedded, features.image, logits, attributions, quality, strict=True)
        return [
            JudgeFeatures(embedding.clone(), image.clone(), logit, bias, shares, grid, score)
            for embedding, image, logit, shares, score in rows
        ]

    def score_encoded(self, features: Sequence[JudgeFeatures], texts: Tensor) -> list[tuple[Score, Score]]:
        """Quality and consistency of encoded pictures, each with its own prompt: (B, d), from `encode_prompts`."""
        image = torch.stack([picture.image for picture in features])  # (B, d)
        embedded = torch.stack([picture.embedding for picture in features])  # (B, Q)
        final = torch.tensor([picture.quality.final for picture in features]).to(image)  # (B,)
        with evaluating(self):
            consistency = self.network.consistency(image, texts, embedded, final)
        return list(zip([each.quality for each in features], scores_of(consistency, self.scales[1]), strict=True))

    def scores(
        self, images: Sequence[Image.Image], prompts: Sequence[str], progress: Progress = False
    ) -> list[tuple[Score, Score]]:
        """Quality and consistency of each picture with its own prompt; ValueError as `score`, or counts that differ."""
        if not prompts or len(images) != len(prompts):
            raise ValueError(f"There are {len(images)} pictures but {len(prompts)} prompts: one each is needed.")
        texts = self.encode_prompts(prompts)  # (B, d)
        features = self.encode(images, progress)
        with evaluating(self):
            scored = self.network(features.quality, features.image, texts)
        quality, consistency = map(scores_of, scored, self.scales)
        return list(zip(quality, consistency, strict=True))

    def encode(self, images: Sequence[Image.Image], progress: Progress = False) -> PictureFeatures:
        """Features of pictures, a few at a time and without gradient; ValueError as `score`, or without pictures."""
        if isinstance(images, Image.Image) or len(images) == 0:
            raise ValueError("images must be a list of at least 1 picture.")
        encoded = []
        with evaluating(self.encoders):
            for batch in batch_indices(len(images), BATCH_SIZE, progress, "Encoding pictures"):
                pixels = to_pixels([images[i] for i in batch], self.encoders.pixels)
                encoded.append(self.encoders.pictures(pixels.to(self.device)))
        return PictureFeatures(*(torch.cat(tensors) for tensors in zip(*encoded, strict=True)))

    def encode_prompts(self, prompts: Sequence[str]) -> Tensor:
        """(B, d) unit embeddings of prompts, without gradient; each prompt is encoded once."""
        for prompt in prompts:
            check_text("prompt", prompt)
            if not prompt.strip():
                raise ValueError("The prompt is empty: write what the picture was made from.")
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


def scores_of(scores: Corrected, scale: float) -> list[Score]:
    """Return each picture's score as numbers."""
    rows = zip(*(part.tolist() for part in scores), strict=True)
    return [Score(base, correction, final, scale) for base, correction, final in rows]


def load_judge(name_or_folder: str | Path = "judge") -> Judge:
    """Load a trained judge, shipped, from a folder or from the model hub, in evaluation mode on the CPU."""
    folder = folder_with(CONFIG_FILE, str(name_or_folder), shipped_judges(), "judge")
    judge = Judge(JudgeConfig.from_json(folder / CONFIG_FILE))
    judge.load(folder / WEIGHTS)
    return judge.eval()


def shipped_judges() -> dict[str, Path]:
    """Return the judges that ship with SEPS, by name."""
    return shipped_models(CONFIG_FILE)
