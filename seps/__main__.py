"""The programs of the package by name: `seps train ...` is `python -m seps.train ...`; `seps` alone lists them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {  # a module below seps, which has a `main`: what it does
    "train": "train a model from a recipe",
    "evaluate": "measure recall at 1, 5 and 10, both ways",
    "grounding": "measure where a model's pictures point, and whether they follow the caption",
    "baseline": "train the pooled rival on the same features",
    "index": "index a folder of photographs into a table on disk",
    "publish": "write a model as the model hub takes it",
    "convert": "bring an authors' checkpoint into this format",
    "models.export": "write a model as ONNX graphs, for programs without PyTorch",
    "scenes": "draw scenes for training and evaluation",
    "judge": "judge generated pictures: train, evaluate, score, sort, ablate, guide",
    "generator": "captions for images and images for captions; train, evaluate, try",
    "method": "print the network step by step: shapes, parameters, equations",
    "data.convert": "bring caption files as they are downloaded into the layout that is read",
    "data.inspect": "look at a split before training on it",
    "evaluation.scenes": "measure recall among drawn scenes, finer",
    "evaluation.clips": "find when an object enters a scene that moves",
    "evaluation.labelled": "rank names for photographs of anything",
    "evaluation.pooled": "rank by pooled embeddings, and by both scores added",
    "evaluation.unmatched_words": "measure below which cosine a word is missing in the image",
    "evaluation.known_captions": "measure which captions are unlike those learnt from",
    "training.cheats": "measure what a selector gets away with where nothing holds the kept ratio",
    "training.guide": "print the training guide's advice",
    "training.ratio_weights": "measure what the ratio weight does to the kept ratio",
}
FORMER = {"evaluation.found_words": "evaluation.unmatched_words"}  # names that older scripts call, and today's
PACKAGES = ("method", "models.export", "scenes", "judge", "generator")  # whose program is their `__main__`


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program that the first argument names with the others; returns its exit code.

    Args:
        arguments: a name of `COMMANDS` and what that program takes; by default the command line's.
    """
    name, *others = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        print("usage: seps COMMAND ...\n\n" + listing() + "\n\n`seps COMMAND --help` tells what it takes.")
        return 0
    name = FORMER.get(name, name)
    if name not in COMMANDS:
        print(f"error: There is no command {name[:40]!r}: choose one of these.\n{listing()}", file=sys.stderr)
        return 2
    module = f"seps.{name}.__main__" if name in PACKAGES else f"seps.{name}"
    return import_module(module).main(others) or 0


def listing() -> str:
    """Return the commands, one a line."""
    return "\n".join(f"  {name:28}{does}" for name, does in COMMANDS.items())


if __name__ == "__main__":
    sys.exit(main())
