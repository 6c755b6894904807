"""Write the static page: `python -m demo.static DIR`, as `make static DIR=...` does."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from seps.common.cli import errors_in_one_line

MODELS = ("scenes", "photos")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m demo.static", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder to write or overwrite")
    parser.add_argument(
        "--models", nargs="+", choices=MODELS, default=MODELS, help="models to take; the page opens with the first"
    )
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        from demo.static.write import write_site  # which imports torch

        sizes = write_site(options.folder, options.models, progress=True)
        for name, size in sizes.items():
            print(f"{name:28}{size / 1e6:8.2f} MB")
        print(f"Wrote {options.folder}: python -m http.server --directory {options.folder} serves it.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
