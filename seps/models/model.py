"""SEPSModel: encoders and network; takes photographs and sentences, returns scores and explanations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from seps.elsewhere import MODEL_METHODS
from seps.encoders import TextEncoder, Tokenizer, VisionEncoder, preprocess
from seps.encoders.classes import PatchClasses, mean_words
from seps.encoders.hub_errors import is_of_hub, writing_sentence
from seps.encoders.sources import hub_folder
from seps.encoders.tokenizer import first_pieces
from seps.explanation.classes import with_classes
from seps.explanation.forward_pass import explain
from seps.explanation.record import Explanation, Source
from seps.method.network import CrossSparseAggrNet
from seps.models.beside import BESIDE
from seps.models.config import ModelConfig
from seps.models.publish import write_beside
from seps.models.storage import collect_saved_tensors, contains_model, load_saved
from seps.precision import true_float32
from seps.progress import Progress, batch_indices, batches

PHOTO_BATCH_SIZE = 1  # a batch while encoding: on a CPU, fresh memory for more costs five times what it gains
ACCELERATOR_PHOTOS = 64  # likewise on an accelerator, which several hundred small operations keep waiting otherwise
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
    """The complete SEPS model: image encoder, caption encoder, network. Parameter names match the authors' checkpoints.

    Args:
        config: encoders, channels, options, and the sources of the backbones' weights.

    Attributes:
        img_enc: VisionEncoder; txt_enc: TextEncoder; cross_net: CrossSparseAggrNet.
        tokenizer: Tokenizer of the caption encoder.
        name: the argument of `load_model`, shown in pictures of records; empty if not loaded.
        folder: the folder of its files, for a repo in the hub's cache; None if not loaded.
        repo_id: repo on the model hub, as "owner/name"; empty if loaded from a folder.

    Raises:
        ValueError: an encoder or weights that are not available, or invalid options of the network.
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

    def __getattr__(self, name: str) -> Any:
        """Return a part or a parameter; for the released model's methods, AttributeError with the name used here."""
        if name in MODEL_METHODS:
            raise AttributeError(f"{name} is {MODEL_METHODS[name]} here; assets/guide/names.md has all such names.")
        return super().__getattr__(name)

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
            generator: random source of Gumbel-Softmax.

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
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes with vectors that the model adds to patches; empty without class vectors."""
        return () if self.img_enc.classes is None else tuple(self.img_enc.classes.names)

    @property
    def device(self) -> torch.device:
        """Device of the parameters."""
        return self.img_enc.vision_proj.weight.device

    def freeze_backbones(self, until: str = "", text_layers: int = -1) -> None:
        """Freeze both backbones; heads and network are still trained.

        Args:
            until: the last frozen part of the image backbone, see `VisionEncoder.freeze_until`; "" for all.
            text_layers: number of frozen layers of the text encoder, see `TextEncoder.freeze_layers`; -1 for all.

        Raises:
            ValueError: a backbone that cannot be split there.
        """
        for prefix in BACKBONES.values():
            self.get_submodule(prefix.removesuffix(".")).requires_grad_(False)
        if until:
            self.img_enc.freeze_until(until)
        if text_layers >= 0:
            self.txt_enc.freeze_layers(text_layers)

    @torch.no_grad()
    def refresh_classes(self, words: Tensor | None = None, lengths: Lengths | None = None) -> None:
        """Recompute the class vectors after a change of the text branch; does nothing without classes.

        Args:
            words, lengths: features of the class captions for `TextEncoder.project`; computed by default.
        """
        classes = self.img_enc.classes
        if classes is None:
            return
        with evaluating(self.txt_enc):
            if words is None or lengths is None:
                embedded, lengths = self.encode_captions(classes.captions)
            else:
                embedded = self.txt_enc.project(words.to(self.device), lengths)
        classes.set_vectors(mean_words(embedded, lengths))

    def preprocess(self, photos: Sequence[Image.Image]) -> Tensor:
        """Convert photographs to normalised pixels for the image encoder: (B, 3, S, S) float32.

        Raises:
            ValueError: no photographs, or an invalid or empty one; the message has its position.
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
        """Encode photographs as patch embeddings, in evaluation mode and without gradient.

        Returns:
            (B, N[+1], C) on the model's device.

        Raises:
            ValueError: as `preprocess`.
        """
        if isinstance(photos, Image.Image) or len(photos) == 0:
            raise ValueError("photos must be a list of at least 1 photograph.")
        embeddings = []
        for batch in batch_indices(len(photos), photo_batch_size(self.device), progress, "Encoding photographs"):
            if len(batch) == 1:
                pixels = [self._pixels(photos, batch[0])]
            else:  # Pillow and NumPy release the GIL
                with ThreadPoolExecutor() as pool:
                    pixels = list(pool.map(lambda i: self._pixels(photos, i), batch))
            embeddings.append(self.encode_pixels(torch.stack(pixels)))
        return torch.cat(embeddings)

    def encode_pixels(self, pixels: Tensor) -> Tensor:
        """Encode pixels (B, 3, S, S) from `preprocess` like `encode_photos`, in one batch and in true float32."""
        with evaluating(self.img_enc):
            return self.img_enc(pixels.to(self.device, self.img_enc.vision_proj.weight.dtype))

    def patch_classes(self, photo: Image.Image) -> PatchClasses | None:
        """Return the image backbone's classes at a photograph's patches: best (N,), probability (N,),
        added (N, C); None of a model without class vectors."""
        if self.img_enc.classes is None:
            return None
        with evaluating(self.img_enc):
            pixels = self._pixels([photo], 0)[None].to(self.device, self.img_enc.vision_proj.weight.dtype)
            seen = self.img_enc.patch_classes(self.img_enc.features(pixels))
        assert seen is not None  # there are classes
        return PatchClasses(*(values[0] for values in seen))

    def with_classes(
        self, record: Explanation, seen: PatchClasses | None, patches: Tensor, words: Tensor
    ) -> Explanation:
        """Return a record with the image backbone's classifier output, unchanged for None.

        Args:
            record: of the image and the caption; seen: from `patch_classes`.
            patches: (N[+1], C), of the image; words: (L, C), of the caption.
        """
        if seen is None or self.img_enc.classes is None:
            return record
        return with_classes(record, self.img_enc.classes.names, *seen, patches, words)

    def encode_captions(
        self, captions: Sequence[str], dense: bool = False, progress: Progress = False
    ) -> tuple[Tensor, Tensor]:
        """Encode captions as word embeddings, in evaluation mode and without gradient.

        Args:
            captions: B of them; dense: cut at max_dense_words instead of max_words; progress: as in `ScoringEngine`.

        Returns:
            embeddings (B, L, C) on the model's device, zero at the padding, and lengths (B,) int64.

        Raises:
            ValueError: no captions, or one that is not a str.
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
        """Return the labels of the caption's tokens, from "[CLS]" to "[SEP]"."""
        return self.tokenizer.labels(self._ids(caption, dense))

    def explain(
        self,
        photo: Image.Image,
        caption: str,
        dense_caption: str | None = None,
        mask: Mask | None = None,
        dense_mask: Mask | None = None,
    ) -> Explanation:
        """Explain the score of one photograph and one caption, see `seps.explain`.

        Args:
            mask, dense_mask: (N,) bool, forced decisions.

        Raises:
            ValueError: as `encode_photos`, `encode_captions` and, for masks, `seps.explain`.
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
        """Explain a pair without storing its source in the record."""
        image = self.encode_photos([photo])[0]  # (N[+1], C)
        words = self.encode_captions([caption])[0][0]  # (L_s, C)
        dense_words = labels = None
        if dense_caption is not None:
            dense_words = self.encode_captions([dense_caption], dense=True)[0][0]  # (L_d, C)
            labels = self.words(dense_caption, dense=True)
        record = explain(
            self.cross_net,
            image,
            words,
            dense_words,
            words=self.words(caption),
            dense_words=labels,
            grid=self.grid,
            mask=mask,
            dense_mask=dense_mask,
        )
        return self.with_classes(record, self.patch_classes(photo), image, words)

    def _ids(self, caption: str, dense: bool) -> list[int]:
        text = self.config.text
        return self.tokenizer.encode(caption, text.max_dense_words if dense else text.max_words)

    def _save_pretrained(self, save_directory: Path) -> None:
        """Write config.json and model.safetensors, and the files next to the loaded weights if the model is
        unchanged; called by `save_pretrained` and `push_to_hub`."""
        tensors = collect_saved_tensors(self, self.config)
        source = self.folder if self.folder and contains_model(self.folder, self.config, tensors) else None
        save_file(tensors, save_directory / constants.SAFETENSORS_SINGLE_FILE, {"format": "pt"})
        (save_directory / constants.CONFIG_NAME).write_text(self.config.to_json(), encoding="utf-8")
        if source is not None and source.resolve() != save_directory.resolve():
            write_beside(source, save_directory, self.repo_id.rpartition("/")[2])

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Upload the files of `save_pretrained` to the model hub, creating the repo if needed.

        For an unchanged loaded model the files next to its weights (card, recipes, results) are uploaded too; for
        others a short card template.

        Args:
            repo_id: as "owner/name".
            options: of `huggingface_hub.ModelHubMixin.push_to_hub`, such as private and token.

        Returns:
            The URL of the commit.

        Raises:
            ValueError: as `save_pretrained`; or the hub is unreachable or refuses. The message suggests a remedy.
        """
        try:
            return super().push_to_hub(repo_id, **options)
        except Exception as error:  # the hub library and its HTTP library raise many kinds of errors
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
            map_location: device of the parameters; options: of `seps.encoders.sources.hub_folder` for a repo, such as
                revision (a branch, a tag or a commit) and token.

        Raises:
            ValueError: a file that is missing, unreadable or does not fit, or a repo that is not available; the message
                names it and suggests a remedy.
        """
        folder, repo_id = Path(pretrained_model_name_or_path), ""
        if not folder.is_dir():
            repo_id = str(pretrained_model_name_or_path)
            folder = hub_folder(repo_id, FILES, FILES, BESIDE, **options)
        elif not (folder / constants.CONFIG_NAME).is_file():
            raise ValueError(f"{folder} has no {constants.CONFIG_NAME}, so it holds no model.")
        config = ModelConfig.from_json(folder / constants.CONFIG_NAME)
        model = cls(drop_needless_weights(config))
        model.config, model.folder, model.repo_id = config, folder, repo_id
        load_saved(model, config, folder / constants.SAFETENSORS_SINGLE_FILE)
        if not config.is_saved("img_enc.classes.vectors"):
            model.refresh_classes()
        return model.to(map_location).eval()


def drop_needless_weights(config: ModelConfig) -> ModelConfig:
    """Return a config that loads no weights for a backbone that is complete in model.safetensors.

    Raises:
        ValueError: a backbone without a source of weights is incomplete in model.safetensors.
    """
    for part, prefix in BACKBONES.items():
        encoder = getattr(config, part)
        needs_classes = (
            part == "vision" and config.vision.classes.names and not config.is_saved("img_enc.classes.backbone.")
        )
        if config.is_saved(prefix) and not needs_classes:
            config = replace(config, **{part: replace(encoder, weights="none")})
        elif encoder.weights == "none":
            raise ValueError(
                f"{part}.weights is 'none', but saved, {list(config.saved)}, does not cover {prefix}*: "
                "nothing would give this backbone its weights."
            )
    return config


def photo_batch_size(device: torch.device) -> int:
    """Return the batch size for encoding photographs."""
    return PHOTO_BATCH_SIZE if device.type == "cpu" else ACCELERATOR_PHOTOS


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch to evaluation mode, no gradient and true float32; restore the mode of every module afterwards."""
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        with torch.no_grad(), true_float32():
            yield
    finally:
        for module in training:
            module.training = True
