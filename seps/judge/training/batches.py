"""Batches of rated pictures, from cached features or from files."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from seps.data import open_image
from seps.judge.data import Ratings
from seps.judge.encoders import PictureFeatures, to_pixels
from seps.judge.judge import Judge
from seps.judge.training.features import SplitFeatures, crop_randomly
from seps.judge.training.losses import Batch
from seps.judge.training.settings import JudgeSettings

MAX_SPOILT = 32  # pictures, each with its two spoilt copies


def epoch_rows(ratings: Ratings, settings: JudgeSettings, epoch: int) -> list[Tensor]:
    """Return the rows of each batch of an epoch, shuffled."""
    order = np.random.default_rng([settings.seed, epoch]).permutation(len(ratings))
    return list(torch.from_numpy(order).split(settings.batch_size))


def make_batch(
    judge: Judge, ratings: Ratings, features: SplitFeatures | None, rows: Tensor, settings: JudgeSettings, epoch: int
) -> Batch:
    """Return the pictures of these rows: from features, each in a version that is sampled, or from files."""
    if features is not None:
        versions = torch.randint(features.quality.shape[1], (len(rows),))
        pictures = PictureFeatures(
            features.quality[rows, versions].to(judge.device), features.image[rows, versions].to(judge.device)
        )
        return Batch(pictures, features.text[rows].to(judge.device))
    version = epoch + 1 if settings.augment else 0
    files = ratings.image_files
    opened = [crop_randomly(open_image(files[row]), settings.seed, version, row) for row in rows.tolist()]
    pixels = to_pixels(opened, judge.encoders.pixels).to(judge.device)
    texts = judge.encoders.prompts([ratings.prompts[row] for row in rows.tolist()])
    return Batch(judge.encoders.pictures(pixels), texts)


def sample_spoilt(features: SplitFeatures, device: torch.device) -> tuple[Tensor, Tensor] | None:
    """Pictures with two newly sampled spoilt copies each: features (m, 3, quality_width) and strengths (m, 3)."""
    spoilt = features.spoilt
    if spoilt is None:
        return None
    sampled = torch.randperm(len(spoilt.rows))[:MAX_SPOILT]
    clean = features.quality[spoilt.rows[sampled], 0][:, None]  # (m, 1, quality_width)
    strengths = F.pad(spoilt.strengths[sampled], (1, 0))  # (m, 3), 0 of the picture itself
    return torch.cat([clean, spoilt.quality[sampled]], dim=1).to(device), strengths.to(device)
