"""Sample page of a run: its newest weights draw five captions and caption five pictures."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from torch import Tensor

from seps.common.checks import read_json_file
from seps.data import open_image, read_split
from seps.data.inspect import PAGE, embedded
from seps.generator.config import SCENE_WORDS
from seps.generator.generator import ImageTextGenerator
from seps.generator.model.network import CONFIG_FILE, GeneratorNetwork
from seps.generator.training.settings import read_recipe
from seps.models.shipped import shipped_file
from seps.models.storage import read_tensors
from seps.runs.checkpoint import TENSORS
from seps.runs.run_folder import DATA, FOLDER

COUNT = 5  # texts, and pictures
TEXTS: Sequence[str] = (
    "a red balloon over the sea",
    "a white sheep and a green tree in the park",
    "a blue car on a street",
    "two yellow birds",
    "a brown dog beside a bench",
)
NETWORK, AVERAGE = "modules.objective.network.", "modules.average.module."


def find_newest_model(folder: Path) -> Path:
    """Return the newest folder of a generator or a run's checkpoint, at any depth; ValueError if there is none."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder: give a run's folder.")
    models = [*folder.rglob(CONFIG_FILE), *folder.rglob(f"{FOLDER}/{TENSORS}")]
    if not models:
        raise ValueError(f"{folder} holds neither a generator nor a checkpoint of one: train it for an epoch first.")
    return max(models, key=lambda file: file.stat().st_mtime_ns).parent


def open_model(folder: Path) -> ImageTextGenerator:
    """Open the generator in a folder of `find_newest_model`; a checkpoint uses its UNet's running average."""
    if (folder / CONFIG_FILE).is_file():
        return ImageTextGenerator(folder)
    config, _ = read_recipe(folder.parent / "recipe.json")
    tensors = read_tensors(folder / TENSORS)
    state = part_of(tensors, NETWORK) | {f"unet.{key}": value for key, value in part_of(tensors, AVERAGE).items()}
    network = GeneratorNetwork(config, pretrained=False)
    try:
        network.load_state_dict(state)
    except RuntimeError as error:
        raise ValueError(f"{folder / TENSORS} does not fit the recipe next to it: {error}") from error
    with TemporaryDirectory() as temporary:
        network.save(Path(temporary))
        return ImageTextGenerator(temporary)


def data_of(folder: Path) -> tuple[Path | None, Path | None]:
    """Return the folders of the run's training data and of its images, each None if unknown or missing."""
    try:
        values = read_json_file(folder.parent / DATA)
        data, images = (None if values[key] is None else Path(values[key]) for key in ("data", "images"))
    except (ValueError, KeyError, TypeError):
        return None, None
    return (data, images) if data is not None and data.exists() else (None, None)


def shipped_pictures(generator: ImageTextGenerator) -> list[Path]:
    """Pictures that ship, of the kind that a generator has learnt from: scenes, or photographs."""
    if generator.network.config.encoders.text == SCENE_WORDS:
        return [shipped_file(f"galleries/scenes/{i:03d}.png") for i in range(COUNT)]
    return [shipped_file(f"galleries/photos/{name}.jpg") for name in ("china", "flower")]


def part_of(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors of a module by their names in it."""
    return {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}


def write_page(folder: Path, page: Path, data: Path | None, split: str, images: Path | None, steps: int) -> None:
    """Draw five captions in `steps`, caption five pictures, and write both to a page without other files."""
    generator = open_model(folder)
    if data is None:
        data, images = data_of(folder)
    if data is None:
        files, texts = shipped_pictures(generator), TEXTS
    else:
        chosen = read_split(data, split, images=images)
        files = list(chosen.image_files[:COUNT])
        texts = chosen.captions[: COUNT * chosen.captions_per_image : chosen.captions_per_image]
    parts = []
    if generator.network.config.draws:
        drawings = generator.batch_text_to_image(texts, num_inference_steps=steps)
        parts += ["<h2>Drawn for captions</h2>", *figures(drawings, texts)]
    pictures = [open_image(file) for file in files]
    parts += ["<h2>Written about pictures</h2>", *figures(pictures, generator.captions(pictures))]
    page.write_text(PAGE.format(title=escape(f"{folder} tried"), body="\n".join(parts)), encoding="utf-8")


def figures(pictures: Sequence[Image.Image], texts: Sequence[str]) -> Iterator[str]:
    """Pictures with a text each, as a list of HTML."""
    yield "<ul>"
    for picture, text in zip(pictures, texts, strict=True):
        yield f"<li>{embedded(picture, 240)}<br>{escape(text)}</li>"
    yield "</ul>"
