"""SEPSModel: encoders and network together, photographs and sentences in, scores and explanations out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import PyTorchModelHubMixin, constants
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.checks import Lengths, Mask
from seps.encoders import TextEncoder, Tokenizer, VisionEncoder, preprocess
from seps.encoders.hub_errors import is_of_hub, writing_sentence
from seps.encoders.sources import hub_folder
from seps.encoders.tokenizer import first_pieces
from seps.explanation.forward_pass import explain
from seps.explanation.record import Explanation, Source
from seps.method.network import CrossSparseAggrNet
from seps.models.beside import BESIDE
from seps.models.config import ModelConfig
from seps.models.publish import write_beside
from seps.models.storage import holds_model, load_saved, saved_tensors
from seps.progress import Progress, batch_indices, batches

PHOTO_BATCH_SIZE = 1  # a batch while encoding: on a CPU, fresh memory for more costs five times what it gains
CAPTION_BATCH_SIZE = 64
FILES = (constants.CONFIG_NAME, constants.SAFETENSORS_SINGLE_FILE)
BACKBONES = {"vision": "img_enc.visual_encoder.", "text": "txt_enc.bert."}


class SEPSModel(
    nn.Module,
    PyTorchModelHubMixin,
    library_name="seps",
    license="mit",
    paper_url="https://arxiv.org/abs/2511.01390",
    tags=["image-text-retrieval"],
):
    """A whole SEPS: image encoder, caption encoder, network. Parameter names are those of the authors' checkpoints.

    Args:
        config: encoders, channels, options. The backbones' weights are fetched from where it says.

    Attributes:
        img_enc: VisionEncoder; txt_enc: TextEncoder; cross_net: CrossSparseAggrNet.
        tokenizer: Tokenizer of the caption encoder.
        name: what `load_model` was given, which pictures of its records tell; empty where it was not loaded so.
        folder: where its files lie, those of a repo of the model hub in the hub's cache; None where it was not loaded.
        repo_id: of the model hub, as "owner/name"; empty where it comes from a folder.

    Raises:
        ValueError: an encoder or weights that cannot be had, or options that the network refuses.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.name, self.repo_id = "", ""
        self.folder: Path | None = None
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
        """Write config.json and model.safetensors, and what lies beside them where the model was loaded, while that is
        true of it; called by `save_pretrained` and `push_to_hub`."""
        tensors = saved_tensors(self, self.config)
        source = self.folder if self.folder and holds_model(self.folder, self.config, tensors) else None
        save_file(tensors, save_directory / constants.SAFETENSORS_SINGLE_FILE, {"format": "pt"})
        (save_directory / constants.CONFIG_NAME).write_text(self.config.to_json(), encoding="utf-8")
        if source is not None and source.resolve() != save_directory.resolve():
            write_beside(source, save_directory, self.repo_id.rpartition("/")[2])

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Upload what `save_pretrained` writes to the model hub, into a repo that is made where it lacks.

        A model as it was loaded takes along what lies beside its weights: card, recipes and what was measured of it.
        Another one, trained since or made here, has a short form for a card, to fill in.

        Args:
            repo_id: as "owner/name".
            options: of `huggingface_hub.ModelHubMixin.push_to_hub`, such as private and token.

        Returns:
            The address of the commit.

        Raises:
            ValueError: as `save_pretrained`; or the hub cannot be reached or refuses: the message says what to do.
        """
        try:
            return super().push_to_hub(repo_id, **options)
        except Exception as error:  # the hub library and its HTTP library raise a dozen kinds
            if is_of_hub(error):
                raise ValueError(writing_sentence(error, repo_id)) from error
            raise

    @classmethod
    def from_pretrained(
        cls, pretrained_model_name_or_path: str | Path, *, map_location: str = "cpu", **options: Any
    ) -> SEPSModel:
        """Load a model from a folder with config.json and model.safetensors, or from such a repo on the model hub.

        Args:
            pretrained_model_name_or_path: the folder or the repo id.
            map_location: where the parameters are to be; options: those of `seps.encoders.sources.hub_folder` for a
                repo, such as revision (a branch, a tag or a commit) and token.

        Raises:
            ValueError: a file that is missing, cannot be read or does not fit, or a repo that cannot be had; the
                message names it and says what to do.
        """
        folder, repo_id = Path(pretrained_model_name_or_path), ""
        if not folder.is_dir():
            repo_id = str(pretrained_model_name_or_path)
            folder = hub_folder(repo_id, FILES, FILES, BESIDE, **options)
        elif not (folder / constants.CONFIG_NAME).is_file():
            raise ValueError(f"{folder} has no {constants.CONFIG_NAME}, so it holds no model.")
        config = ModelConfig.from_json(folder / constants.CONFIG_NAME)
        model = cls(without_needless_weights(config))
        model.config, model.folder, model.repo_id = config, folder, repo_id
        load_saved(model, config, folder / constants.SAFETENSORS_SINGLE_FILE)
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
