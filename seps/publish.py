"""Write a model's folder for the model hub and load the model from it: python -m seps.publish NAME FOLDER."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from seps.common.cli import Parser, errors_in_one_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = Parser(prog="python -m seps.publish", description=__doc__)
    parser.add_argument("name", metavar="NAME", help="a folder of assets/models, such as photos, or a path")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="folder to write, which is empty or not there")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        publish(options.name, options.folder)
    return 0


def publish(name: str, folder: Path) -> None:
    """Write a model's folder for the hub and load the model from it; ValueError if either is impossible."""
    from seps.generator import load_generator
    from seps.judge import load_judge
    from seps.models.model import SEPSModel
    from seps.models.publish import write_for_hub

    loaders: dict[str, Callable[[Path], Any]] = {
        "config.json": SEPSModel.from_pretrained,
        "judge.json": load_judge,
        "generator.json": load_generator,
    }
    files = write_for_hub(name, folder, tuple(loaders))
    kind = next(config for config in loaders if folder / config in files)
    loaders[kind](folder)
    size = sum(file.stat().st_size for file in files) / 1e6
    print(f"Wrote {folder}: {len(files)} files, {size:.1f} MB; the model loads from it.")
    print(f"hf upload OWNER/{Path(name).name} {folder} . uploads it, after hf auth login.")


if __name__ == "__main__":
    raise SystemExit(main())
