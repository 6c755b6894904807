"""Write a model as ONNX graphs: `python -m seps.models.export MODEL --onnx DIR`."""

from collections.abc import Sequence
from pathlib import Path

from seps.common.cli import Parser, errors_in_one_line
from seps.models.export.folder import export
from seps.models.hub import load_model


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parser = Parser(
        prog="python -m seps.models.export",
        description="A model as ONNX graphs, with its tokenizer and a manifest: sparse captions only.",
    )
    parser.add_argument("model", metavar="MODEL", help="a shipped model's name, a folder, or a hub repo id")
    parser.add_argument("--onnx", metavar="DIR", type=Path, required=True, help="folder to write; made where it lacks")
    parser.add_argument(
        "--small",
        action="store_true",
        help="round the text encoder's weights to 16 bits: half the size, S moves by about 1e-4",
    )
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        manifest = export(load_model(options.model), options.onnx, options.model, options.small, progress=True)
        for name, graph in manifest["graphs"].items():
            print(f"{name:10}{graph['bytes'] / 1e6:8.1f} MB   {graph['largest_difference']:.1e} from the model at most")
        print(f"Wrote {options.onnx}: its manifest.json says what each graph takes and gives.")


if __name__ == "__main__":
    main()
