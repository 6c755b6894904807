"""SEPSModel: encoders and network; takes photographs and sentences, returns scores and explanations."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import PyTorchModelHubMixin, constants
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.common.checks import Lengths, Mask
from seps.common.elsewhere import MODEL_METHODS
from seps.common.precision import evaluating
from seps.common.progress import Progress, batch_indices, batches
from seps.encoders import TextEncoder, Tokenizer, VisionEncoder, preprocess
from seps.encoders.classes import PatchClasses, mean_words
from seps.encoders.hub_errors import is_of_hub, writing_sentence
from seps.encoders.sources import hub_folder
from seps.encoders.tokenizer import first_pieces
from seps.encoders.vision import StoredImages
from seps.explanation.classes import with_classes
from seps.explanation.forward_pass import explain
from seps.explanation.record import Explanation, Source
from seps.method.network import CrossSparseAggrNet
from seps.models.beside import BESIDE
from seps.models.config import ModelConfig
from seps.models.publish import write_beside
from seps.models.storage import collect_saved_tensors, contains_model, load_saved

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

    Attributes:
        img_enc: VisionEncoder; txt_enc: TextEncoder; cross_net: CrossSparseAggrNet.
        tokenizer: Tokenizer of the caption encoder.
        name: the argument of `load_model`, shown in pictures of records; empty if not loaded.
        folder: the folder of its files, for a repo in the hub's cache; None if not loaded.
        repo_id: repo on the model hub, as "owner/name"; empty if loaded from a folder.
    """

    def __init__(self, config: ModelConfig, stored_patches: int | None = None) -> None:
        super().__init__()
        self.name, self.repo_id = "", ""
        self.folder: Path | None = None
        self.config = config
        if stored_patches is None:
            self.img_enc = VisionEncoder(config.vision, config.embed_size)
        else:
            self.img_enc = StoredImages(config.vision, stored_patches)
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
        return self.txt_enc.fc.weight.device

    def freeze_backbones(self, until: str = "", text_layers: int = -1) -> None:
        """Freeze both backbones; heads and network are still trained."""
        for prefix in BACKBONES.values():
            self.get_submodule(prefix.removesuffix(".")).requires_grad_(False)
        if until:
            self.img_enc.freeze_until(until)
        if text_layers >= 0:
            self.txt_enc.freeze_layers(text_layers)

    @torch.no_grad()
    def refresh_classes(self, words: Tensor | None = None, lengths: Lengths | None = None) -> None:
        """Recompute the class vectors after a change of the text branch; does nothing without classes."""
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
        """Convert photographs to normalised pixels for the image encoder: (B, 3, S, S) float32."""
        check_photos(photos)
        return torch.stack([self._pixels(photos, i) for i in range(len(photos))])

    def _pixels(self, photos: Sequence[Image.Image], i: int) -> Tensor:
        try:
            return preprocess(photos[i], self.config.vision)  # (3, S, S)
        except ValueError as error:
            raise ValueError(f"photos[{i}]: {error}") from error

    def encode_photos(self, photos: Sequence[Image.Image], progress: Progress = False) -> Tensor:
        """Encode photographs as patch embeddings, (B, N[+1], C), in evaluation mode and without gradient."""
        check_photos(photos)
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
        """Return each patch's class (N,), probability (N,) and class vector (N, C); None without class vectors."""
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
        """Return a record of an image, patches (N[+1], C), and a caption, words (L, C), with its classes."""
        if seen is None or self.img_enc.classes is None:
            return record
        return with_classes(record, self.img_enc.classes.names, *seen, patches, words)

    def encode_captions(
        self, captions: Sequence[str], dense: bool = False, progress: Progress = False
    ) -> tuple[Tensor, Tensor]:
        """Encode captions as embeddings (B, L, C), zero at the padding, and lengths (B,)."""
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
        """Explain the score of one photograph and one caption, see `seps.explain`; masks (N,) force the decisions."""
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
        record = self.with_classes(record, self.patch_classes(photo), image, words)
        starts = tuple(first_pieces(caption, self.tokenizer))
        return replace(record, source=Source(photo, caption, dense_caption, starts, self.name))

    def _ids(self, caption: str, dense: bool) -> list[int]:
        text = self.config.text
        return self.tokenizer.encode(caption, text.max_dense_words if dense else text.max_words)

    def _save_pretrained(self, save_directory: Path) -> None:
        """Write config.json and model.safetensors, and, if the model is unchanged, the files next to its weights."""
        tensors = collect_saved_tensors(self, self.config)
        source = self.folder if self.folder and contains_model(self.folder, self.config, tensors) else None
        save_file(tensors, save_directory / constants.SAFETENSORS_SINGLE_FILE, {"format": "pt"})
        (save_directory / constants.CONFIG_NAME).write_text(self.config.to_json(), encoding="utf-8")
        if source is not None and source.resolve() != save_directory.resolve():
            write_beside(source, save_directory, self.repo_id.rpartition("/")[2])

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Upload the files of `save_pretrained` to the model hub, creating the repo if needed."""
        try:
            return super().push_to_hub(repo_id, **options)
        except Exception as error:  # the hub library and its HTTP library raise many kinds of errors
            if is_of_hub(error):
                raise ValueError(writing_sentence(error, repo_id)) from error
            raise

    @classmethod
    def from_pretrained(
        cls,
        pretrained_model_name_or_path: str | Path,
        *,
        map_location: str = "cpu",
        stored_patches: int | None = None,
        **options: Any,
    ) -> SEPSModel:
        """Load a model from a folder with config.json and model.safetensors, or from such a repo on the model hub."""
        folder, repo_id = Path(pretrained_model_name_or_path), ""
        if not folder.is_dir():
            repo_id = str(pretrained_model_name_or_path)
            folder = hub_folder(repo_id, FILES, FILES, BESIDE, **options)
        elif not (folder / constants.CONFIG_NAME).is_file():
            raise ValueError(f"{folder} has no {constants.CONFIG_NAME}, so it holds no model.")
        config = ModelConfig.from_json(folder / constants.CONFIG_NAME)
        model = cls(drop_needless_weights(config), stored_patches)
        model.config, model.folder, model.repo_id = config, folder, repo_id
        without = "" if stored_patches is None else "img_enc."
        load_saved(model, config, folder / constants.SAFETENSORS_SINGLE_FILE, without)
        if not config.is_saved("img_enc.classes.vectors"):
            model.refresh_classes()
        return model.to(map_location).eval()


def drop_needless_weights(config: ModelConfig) -> ModelConfig:
    """Return a config that loads no weights for a backbone that model.safetensors holds completely."""
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


def check_photos(photos: Sequence[Image.Image]) -> None:
    """Raise ValueError for a single photograph, or none."""
    if isinstance(photos, Image.Image) or len(photos) == 0:
        raise ValueError("photos must be a list of at least 1 photograph.")


def photo_batch_size(device: torch.device) -> int:
    """Return the batch size for encoding photographs."""
    return PHOTO_BATCH_SIZE if device.type == "cpu" else ACCELERATOR_PHOTOS
