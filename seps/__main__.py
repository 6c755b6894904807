"""Command line of the package: `seps train ...` is `python -m seps.train ...`; `seps` lists the programs."""

import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {  # a module below seps, which has a `main`: what it does
    "train": "train a model from a recipe",
    "evaluate": "measure a model: recall, or another measure by name",
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
    "training.guide": "print the training guide's advice",
    "training.ratio_weights": "measure what the ratio weight does to the kept ratio",
}
PACKAGES = ("method", "models.export", "scenes", "judge", "generator")  # run by their `__main__`


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program named by the first argument; return its exit code."""
    name, *others = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        print("usage: seps COMMAND ...\n\n" + listing() + "\n\n`seps COMMAND --help` lists the options.")
        return 0
    if name not in COMMANDS:
        print(f"error: There is no command {name[:40]!r}: choose one of these.\n{listing()}", file=sys.stderr)
        return 2
    module = f"seps.{name}.__main__" if name in PACKAGES else f"seps.{name}"
    return import_module(module).main(others) or 0


def listing() -> str:
    """Return the list of commands, one per line."""
    return "\n".join(f"  {name:28}{does}" for name, does in COMMANDS.items())


if __name__ == "__main__":
    sys.exit(main())
