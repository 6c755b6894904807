"""The measure `grounding` of `python -m seps.evaluate`, by its own name: python -m seps.grounding --model MODEL ..."""

import sys
from collections.abc import Sequence

from seps.evaluation import harness


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure whether a model's maps point at the named objects and follow the caption."""
    harness.main(["--measure", "grounding", *(sys.argv[1:] if arguments is None else arguments)])


if __name__ == "__main__":
    main()
