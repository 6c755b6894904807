"""SEPSModel: encoders and network together, photographs and sentences in, scores and explanations out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import PyTorchModelHubMixin, constants, hf_hub_download
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.checks import Lengths, Mask
from seps.encoders import TextEncoder, Tokenizer, VisionEncoder, preprocess
from seps.encoders.tokenizer import first_pieces
from seps.explanation.forward_pass import explain
from seps.explanation.record import Explanation, Source
from seps.method.network import CrossSparseAggrNet
from seps.models.config import ModelConfig
from seps.models.storage import load_saved, saved_tensors
from seps.progress import Progress, batch_indices, batches

PHOTO_BATCH_SIZE = 1  # a batch while encoding: on a CPU, fresh memory for more costs five times what it gains
CAPTION_BATCH_SIZE = 64
BACKBONES = {"vision": "img_enc.visual_encoder.", "text": "txt_enc.bert."}


class SEPSModel(nn.Module, PyTorchModelHubMixin, license="mit", tags=["image-text-retrieval"]):
    """A whole SEPS: image encoder, caption encoder, network. Parameter names are those of the authors' checkpoints.

    Args:
        config: encoders, channels, options. The backbones' weights are fetched from where it says.

    Attributes:
        img_enc: VisionEncoder; txt_enc: TextEncoder; cross_net: CrossSparseAggrNet.
        tokenizer: Tokenizer of the caption encoder.
        name: what `load_model` was given, which pictures of its records tell; empty where it was not loaded so.

    Raises:
        ValueError: an encoder or weights that cannot be had, or options that the network refuses.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.name = ""
        self.config = config
        self.img_enc = VisionEncoder(config.vision, config.embed_size)
        self.txt_enc = TextEncoder(config.text, config.embed_size)
        self.tokenizer = Tokenizer.from_config(config.text)
        if self.tokenizer.size > self.txt_enc.vocabulary:
            raise ValueError(
                f"The vocabulary of {config.text.encoder} has {self.tokenizer.size} words, but the encoder embeds "
                f"{self.txt_enc.vocabulary}: its vocabulary and its config.json do not belong together."
            )
        self.cross_net = CrossSparseAggrNet(config.embed_size, self.img_enc.num_patches, **config.network)

    def forward(
        self,
        images: Tensor,
        captions: Tensor,
        lengths: Lengths,
        dense_captions: Tensor | None = None,
        dense_lengths: Lengths | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor | tuple[Tensor, Tensor | tuple[Tensor, ...]]:
        """Score every image against every caption.

        Args:
            images: (B_v, 3, S, S), normalised.
            captions: (B_t, L_s) token ids, [CLS] to [SEP]; lengths: (B_t,), 1 to L_s.
            dense_captions: (B_t, L_d), the dense captions' ids, if any; dense_lengths: (B_t,).
            generator: the noise of Gumbel-Softmax.

        Returns:
            As `CrossSparseAggrNet.forward`.

        Raises:
            ValueError: shapes or lengths that do not fit.
        """
        if (dense_captions is None) != (dense_lengths is None):
            raise ValueError("dense_captions and dense_lengths belong together: pass both or neither.")
        dense = None
        if dense_captions is not None and dense_lengths is not None:
            dense = self.txt_enc(dense_captions, dense_lengths)  # (B_t, L_d, C)
        return self.cross_net(
            self.img_enc(images), self.txt_enc(captions, lengths), lengths, dense, dense_lengths, generator
        )

    @property
    def grid(self) -> tuple[int, int]:
        """(H, W) patches of the image encoder."""
        return self.img_enc.grid

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self.img_enc.vision_proj.weight.device

    def freeze_backbones(self, until: str = "", text_layers: int = -1) -> None:
        """Keep both backbones as they are: no gradient reaches them, heads and network train on.

        Args:
            until: the last part of the image backbone that is frozen, see `VisionEncoder.freeze_until`; "" for all.
            text_layers: how many of the text encoder's layers are, see `TextEncoder.freeze_layers`; -1 for all.

        Raises:
            ValueError: a backbone that cannot be split there.
        """
        for prefix in BACKBONES.values():
            self.get_submodule(prefix.removesuffix(".")).requires_grad_(False)
        if until:
            self.img_enc.freeze_until(until)
        if text_layers >= 0:
            self.txt_enc.freeze_layers(text_layers)

    def preprocess(self, photos: Sequence[Image.Image]) -> Tensor:
        """Turn photographs into the pixels that the image encoder wants: (B, 3, S, S) float32, normalised.

        Raises:
            ValueError: no photograph, or one that is none or has no pixels; the message has its position.
        """
        if isinstance(photos, Image.Image) or len(photos) == 0:
            raise ValueError("photos must be a list of at least 1 photograph.")
        return torch.stack([self._pixels(photos, i) for i in range(len(photos))])

    def _pixels(self, photos: Sequence[Image.Image], i: int) -> Tensor:
        try:
            return preprocess(photos[i], self.config.vision)  # (3, S, S)
        except ValueError as error:
            raise ValueError(f"photos[{i}]: {error}") from error

    def encode_photos(self, photos: Sequence[Image.Image], progress: Progress = False) -> Tensor:
        """Encode photographs as patch embeddings, as in evaluation mode and without gradient.

        Args:
            photos: B of them; progress: as in `ScoringEngine`.

        Returns:
            (B, N[+1], C) on the model's device.

        Raises:
            ValueError: as `preprocess`.
        """
        if isinstance(photos, Image.Image) or len(photos) == 0:
            raise ValueError("photos must be a list of at least 1 photograph.")
        dtype = self.img_enc.vision_proj.weight.dtype
        with evaluating(self.img_enc):
            return torch.cat(
                [
                    self.img_enc(torch.stack([self._pixels(photos, i) for i in batch]).to(self.device, dtype))
                    for batch in batch_indices(len(photos), PHOTO_BATCH_SIZE, progress, "Encoding photographs")
                ]
            )

    def encode_captions(
        self, captions: Sequence[str], dense: bool = False, progress: Progress = False
    ) -> tuple[Tensor, Tensor]:
        """Encode captions as word embeddings, as in evaluation mode and without gradient.

        Args:
            captions: B of them; dense: cut at max_dense_words instead of max_words; progress: as in `ScoringEngine`.

        Returns:
            embeddings (B, L, C) on the model's device, zero at the padding, and lengths (B,) int64.

        Raises:
            ValueError: no caption, or one that is no str.
        """
        if isinstance(captions, str) or len(captions) == 0:
            raise ValueError("captions must be a list of at least 1 caption.")
        ids, lengths = self.tokenizer.pad([self._ids(caption, dense) for caption in captions])
        embeddings = torch.zeros(*ids.shape, self.config.embed_size, device=self.device)  # (B, L, C)
        embeddings = embeddings.to(self.txt_enc.fc.weight.dtype)
        with evaluating(self.txt_enc):
            for batch in batches(len(captions), CAPTION_BATCH_SIZE, progress, "Encoding captions"):
                longest = int(lengths[batch].max())
                part = ids[batch, :longest].to(self.device)
                embeddings[batch, :longest] = self.txt_enc(part, lengths[batch])
        return embeddings, lengths

    def words(self, caption: str, dense: bool = False) -> list[str]:
        """Return labels of the caption's tokens, "[CLS]" first, "[SEP]" last."""
        return self.tokenizer.labels(self._ids(caption, dense))

    def explain(
        self,
        photo: Image.Image,
        caption: str,
        dense_caption: str | None = None,
        mask: Mask | None = None,
        dense_mask: Mask | None = None,
    ) -> Explanation:
        """Explain what the model does with one photograph and one caption, see `seps.explain`.

        Args:
            photo, caption, dense_caption: as `encode_photos` and `encode_captions` take them.
            mask, dense_mask: (N,) bool, decisions forced from outside.

        Raises:
            ValueError: as `encode_photos`, `encode_captions` and, of masks, `seps.explain`.
        """
        record = self._explain(photo, caption, dense_caption, mask, dense_mask)
        starts = tuple(first_pieces(caption, self.tokenizer))
        return replace(record, source=Source(photo, caption, dense_caption, starts, self.name))

    def _explain(
        self,
        photo: Image.Image,
        caption: str,
        dense_caption: str | None,
        mask: Mask | None,
        dense_mask: Mask | None,
    ) -> Explanation:
        """As `explain`, without what the record was made from."""
        image = self.encode_photos([photo])[0]  # (N[+1], C)
        words = self.encode_captions([caption])[0][0]  # (L_s, C)
        if dense_caption is None:
            labels = self.words(caption)
            return explain(self.cross_net, image, words, words=labels, grid=self.grid, mask=mask, dense_mask=dense_mask)
        dense_words = self.encode_captions([dense_caption], dense=True)[0][0]  # (L_d, C)
        return explain(
            self.cross_net,
            image,
            words,
            dense_words,
            words=self.words(caption),
            dense_words=self.words(dense_caption, dense=True),
            grid=self.grid,
            mask=mask,
            dense_mask=dense_mask,
        )

    def _ids(self, caption: str, dense: bool) -> list[int]:
        text = self.config.text
        return self.tokenizer.encode(caption, text.max_dense_words if dense else text.max_words)

    def _save_pretrained(self, save_directory: Path) -> None:
        """Write config.json and model.safetensors; called by `save_pretrained` and `push_to_hub`."""
        save_file(
            saved_tensors(self, self.config), save_directory / constants.SAFETENSORS_SINGLE_FILE, {"format": "pt"}
        )
        (save_directory / constants.CONFIG_NAME).write_text(self.config.to_json(), encoding="utf-8")

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: str | Path, **options: Any) -> SEPSModel:
        """Load a model from a folder with config.json and model.safetensors, or from such a repo on the model hub.

        Args:
            pretrained_model_name_or_path: the folder or the repo id.
            options: map_location, and those of `huggingface_hub.ModelHubMixin.from_pretrained`.

        Raises:
            ValueError: a file that is missing, cannot be read or does not fit; the message names it.
        """
        folder = Path(pretrained_model_name_or_path)
        if not (folder / constants.CONFIG_NAME).is_file():
            return super().from_pretrained(pretrained_model_name_or_path, **options)
        config = ModelConfig.from_json(folder / constants.CONFIG_NAME)  # the mixin takes for granted that it fits
        return cls._from_pretrained(model_id=str(folder), config=config.as_dict(), **options)

    @classmethod
    def _from_pretrained(
        cls, *, model_id: str, config: Mapping[str, Any] | None = None, map_location: str = "cpu", **hub_options: Any
    ) -> SEPSModel:
        """Build the model that config.json describes and load model.safetensors; called by `from_pretrained`.

        Raises:
            ValueError: a file that is missing or does not fit, naming the key.
        """
        if config is None:
            raise ValueError(f"{model_id} has no {constants.CONFIG_NAME}.")
        settings = ModelConfig.from_dict(config)
        name = constants.SAFETENSORS_SINGLE_FILE
        file = Path(model_id) / name
        if not Path(model_id).is_dir():
            file = Path(hf_hub_download(model_id, name, **hub_options))
        model = cls(without_needless_weights(settings))
        model.config = settings
        load_saved(model, settings, file)
        return model.to(map_location).eval()


def without_needless_weights(config: ModelConfig) -> ModelConfig:
    """Return the config that fetches no weights for a backbone that model.safetensors holds whole.

    Raises:
        ValueError: a backbone has no weights of its own and model.safetensors does not hold it whole.
    """
    for part, prefix in BACKBONES.items():
        encoder = getattr(config, part)
        if config.is_saved(prefix):
            config = replace(config, **{part: replace(encoder, weights="none")})
        elif encoder.weights == "none":
            raise ValueError(
                f"{part}.weights is 'none', but saved, {list(config.saved)}, does not cover {prefix}*: "
                "nothing would give this backbone its weights."
            )
    return config


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch to evaluation mode and no gradient; afterwards every module is in the mode that it was in."""
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        with torch.no_grad():
            yield
    finally:
        for module in training:
            module.training = True
