"""`ImageTextGenerator`: captions for images, images for captions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image
from torch import Tensor

from seps.common.checks import check_text, check_whole, usable_device
from seps.common.cli import check_output
from seps.common.precision import evaluating
from seps.common.progress import Progress, batch_indices, with_progress
from seps.data import open_image
from seps.generator.config import SCENE_WORDS, GeneratorConfig
from seps.generator.model.captioner import Decoding, Written, write_captions
from seps.generator.model.diffusion import Drawing, check_steps, draw_latents
from seps.generator.model.network import CONFIG_FILE, GeneratorNetwork, to_pictures, to_values
from seps.generator.unknown_words import UnknownWord, unknown_words
from seps.models.hub import folder_with
from seps.models.shipped import shipped_models
from seps.scenes.captions.reading import count_whole_words, read_caption

STEPS = 50  # as the published description has it: 10 to 20 fast, 30 to 50 standard, 50 to 100 best
GUIDANCE = 8.0
NAMES = {"generator": "scenes", "captioner": "photos"}  # of the folders that ship
BATCH_SIZE = 16
MAX_SEED = 2**63 - 1
MAX_CANDIDATES = 64


@dataclass(frozen=True)
class WrittenCaption:
    """A caption written for an image: mean log probability, and attention (L, side, side) per word."""

    text: str
    score: float
    words: tuple[str, ...]
    attention: Tensor


class ImageTextGenerator:
    """Writes captions for images and draws images for captions.

    Args:
        checkpoint: a shipped generator, a folder with generator.json and safetensors files, or a repo id of the model
            hub such as "owner/name".
        device: "cuda" or "cpu"; default: CUDA if available.
    """

    def __init__(self, checkpoint: str | Path, device: str | None = None) -> None:
        folder = folder_with(CONFIG_FILE, str(checkpoint), shipped_generators(), "generator")
        where = usable_device(device)
        self.network = GeneratorNetwork(GeneratorConfig.from_json(folder / CONFIG_FILE), pretrained=False)
        self.network.load(folder)
        self.network.to(where).eval().requires_grad_(False)

    def text_to_image(
        self,
        text: str,
        num_inference_steps: int = STEPS,
        seed: int | None = None,
        save_path: str | Path | None = None,
        guidance: float = GUIDANCE,
        progress: Progress = False,
        candidates: int = 1,
    ) -> Image.Image:
        """Draw an image of image_size pixels per side for a caption.

        Args:
            num_inference_steps: 1 to 1,000.
            seed: determines the image; default: random.
            save_path: file to write, its format by the name's ending.
            guidance: 1 uses only the caption's prediction; more follows the caption closer.
            candidates: number of images to draw, with seed, seed + 1, ...; the best one is returned, see `choose_best`.
        """
        target = None if save_path is None else check_target(save_path)
        check_steps(num_inference_steps, self.network.config.diffusion)
        check_whole("candidates", candidates, MAX_CANDIDATES)
        self.check_draws()
        first = random_seed() if seed is None else seed
        drawings = self.draw([text] * candidates, num_inference_steps, range(first, first + candidates), guidance)
        for _ in with_progress(range(num_inference_steps), "Drawing", progress):
            last = next(drawings)
        pictures = self.decode(last.latents)
        picture = pictures[self.choose_best(text, pictures)]
        if target is not None:
            picture.save(target)
        return picture

    def image_to_text(self, image: str | Path | Image.Image, how: Decoding | None = None) -> str:
        """Write a caption for an image or a file, by default with beam search; ValueError for an unreadable file."""
        return self.captions([open_picture(image)], how)[0]

    def batch_text_to_image(
        self,
        texts: Sequence[str],
        save_dir: str | Path | None = None,
        num_inference_steps: int = STEPS,
        seed: int = 0,
        guidance: float = GUIDANCE,
        progress: Progress = False,
        candidates: int = 1,
    ) -> list[Image.Image]:
        """Draw an image for each of n captions, number i with seed + i; written as 0000.png, ... into `save_dir`."""
        if isinstance(texts, str) or not texts:
            raise ValueError("texts must be a list of at least 1 caption.")
        for text in texts:
            check_caption(text)
        check_whole("candidates", candidates, MAX_CANDIDATES)
        chosen: list[Image.Image] = []
        for batch in batch_indices(len(texts), max(1, BATCH_SIZE // candidates), progress, "Drawing"):
            asked = [texts[i] for i in batch for _ in range(candidates)]
            seeds = [seed + i + number * len(texts) for i in batch for number in range(candidates)]
            *_, last = self.draw(asked, num_inference_steps, seeds, guidance)
            pictures = self.decode(last.latents)
            for place in range(0, len(pictures), candidates):
                of_caption = pictures[place : place + candidates]
                chosen.append(of_caption[self.choose_best(asked[place], of_caption)])
        if save_dir is not None:
            Path(save_dir).mkdir(parents=True, exist_ok=True)
            for number, picture in enumerate(chosen):
                picture.save(Path(save_dir) / f"{number:04d}.png")
        return chosen

    def batch_image_to_text(
        self, paths: Sequence[str | Path | Image.Image], how: Decoding | None = None, progress: Progress = False
    ) -> list[str]:
        """Write a caption for each image; ValueError as `image_to_text`, or without images."""
        if isinstance(paths, str | Path) or not len(paths):
            raise ValueError("paths must be a list of at least 1 image.")
        captions: list[str] = []
        for batch in batch_indices(len(paths), BATCH_SIZE, progress, "Writing captions"):
            captions += self.captions([open_picture(paths[i]) for i in batch], how)
        return captions

    def draw(self, texts: Sequence[str], steps: int, seeds: Sequence[int], guidance: float) -> Iterator[Drawing]:
        """Yield the drawings of `diffusion.draw_latents`, a step each, of a caption and a seed each."""
        for text in texts:
            check_caption(text)
        for seed in seeds:
            check_whole("seed", seed, MAX_SEED, least=0)
        self.check_draws()
        network = self.network
        size, channels = network.config.latent_size, network.config.autoencoder.latent_channels
        start = torch.cat(
            [torch.randn(1, channels, size, size, generator=torch.Generator().manual_seed(seed)) for seed in seeds]
        )
        with torch.no_grad():
            cond, uncond = network.encode_texts(texts), network.encode_texts([""])
        yield from draw_latents(
            network.unet, network.config.diffusion, cond, uncond, start.to(network.device), steps, guidance
        )

    def unknown_words(self, text: str) -> list[UnknownWord]:
        """Return the words of a caption that are drawn as [UNK], with the nearest that are known."""
        return unknown_words(self.network.tokenizer, text)

    def check_draws(self) -> None:
        """Raise ValueError for a generator that draws nothing."""
        if self.network.unet is None:
            raise ValueError("This generator writes captions and draws nothing: it has no autoencoder and no UNet.")

    @torch.no_grad()
    def decode(self, latents: Tensor) -> list[Image.Image]:
        """Return the pictures of latents (B, C_z, h, w)."""
        with evaluating(self.network):
            return to_pictures(self.network.autoencoder.decode(latents))

    @torch.no_grad()
    def choose_best(self, text: str, pictures: Sequence[Image.Image]) -> int:
        """Return the index of the picture that matches a caption best, by the cosine in the shared space."""
        if len(pictures) == 1:
            return 0
        network = self.network
        with evaluating(network):
            images = network.images(to_values(pictures, network.config.image_size).to(network.device))
            return int((images.embedding @ network.encode_texts([text]).embedding[0]).argmax())

    @torch.no_grad()
    def write(self, pictures: Sequence[Image.Image], how: Decoding | None = None) -> list[list[WrittenCaption]]:
        """Write captions of pictures with their words' attention, the best one first; several with beam search."""
        network = self.network
        with evaluating(network):
            image = network.images(to_values(pictures, network.config.image_size).to(network.device))
            memory, tokenizer = network.captioner.memory(image), network.tokenizer
            start, end = tokenizer.cls_id, tokenizer.sep_id
            barred = [start, tokenizer.pad_id, tokenizer.mask_id, tokenizer.unk_id]  # no caption has these
            beams = write_captions(network.captioner, memory, start, end, barred, how or Decoding())
            captions: list[list[WrittenCaption]] = []
            for number, written in enumerate(beams):
                ends = [self.count_whole_phrases(beam.ids) for beam in written]
                distinct = [self._with_attention(memory[number], *pair) for pair in zip(written, ends, strict=True)]
                distinct = list({caption.text: caption for caption in reversed(distinct)}.values())
                captions.append(sorted(distinct, key=lambda caption: caption.score, reverse=True))
        return captions

    def count_whole_phrases(self, ids: Tensor) -> int:
        """Count the tokens (L,) of a scene caption up to its last whole phrase; L without one or for other captions."""
        if self.network.config.encoders.text != SCENE_WORDS:
            return len(ids)
        decode = self.network.tokenizer.tokenizer.decode
        for count in range(len(ids), 0, -1):
            reading = read_caption(str(decode(ids[:count].tolist())))
            if reading.words and count_whole_words(reading) == len(reading.words):
                return count
        return len(ids)

    def _with_attention(self, memory: Tensor, written: Written, count: int) -> WrittenCaption:
        """The first `count` tokens of a caption, with their attention to the image's `memory` (G + 1, W)."""
        tokenizer, side = self.network.tokenizer, self.network.images.side
        ids = written.ids[:count].tolist()
        given = torch.tensor([[tokenizer.cls_id, *ids]], device=memory.device)
        given = self.network.captioner.rows(given, tokenizer.unk_id)
        logits, attention = self.network.captioner(memory[None], given, weights=True)  # (1, L + 1, V)
        score = written.score
        if count < len(written.ids):  # of the remaining ones
            score = float(logits[0, :-1].log_softmax(-1).gather(1, given[0, 1:, None]).mean())
        weights = attention[0, :count, :-1].view(count, side, side).cpu()
        text = str(tokenizer.tokenizer.decode(ids))
        return WrittenCaption(text[:1].upper() + text[1:], score, tuple(tokenizer.labels(ids)), weights)

    def captions(self, pictures: Sequence[Image.Image], how: Decoding | None = None) -> list[str]:
        """Return the best caption of each picture."""
        return [written[0].text for written in self.write(pictures, how)]


def load_generator(name_or_folder: str | Path = "scenes", device: str | None = None) -> ImageTextGenerator:
    """Load a trained generator: "scenes", "photos" (writes captions only), or as `ImageTextGenerator`."""
    return ImageTextGenerator(name_or_folder, device)


def shipped_generators() -> dict[str, Path]:
    """Return the generators that ship, by name."""
    return {NAMES.get(name, name): folder for name, folder in shipped_models(CONFIG_FILE).items()}


def check_caption(text: str) -> None:
    """Raise ValueError for a caption that is no text, or empty."""
    check_text("text", text)
    if not text.strip():
        raise ValueError("The caption is empty: write what is to be drawn.")


def check_target(path: str | Path) -> Path:
    """Return the path of an image to write; ValueError for another ending or a missing folder."""
    target = Path(path)
    if target.suffix.lower() not in Image.registered_extensions():
        raise ValueError(f"{target.name} does not end as an image does: name it .png, for one.")
    check_output(target)
    return target


def open_picture(image: str | Path | Image.Image) -> Image.Image:
    """Return a picture, opened if it is a file; ValueError if unreadable."""
    return image if isinstance(image, Image.Image) else open_image(Path(image))


def random_seed() -> int:
    """Return a seed that nobody chose."""
    return int(torch.randint(2**31, ()))
