"""Write the folder of a Space, and start it as on CPUs and as on ZeroGPU: `python -m demo.space DIR` (`make space`)."""

from collections.abc import Sequence
from pathlib import Path

from demo.space.check import check_start
from demo.space.write import write_space
from seps.common.cli import Parser, errors_in_one_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = Parser(prog="python -m demo.space", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder to write or overwrite")
    parser.add_argument("--no-start", action="store_true", help="do not start the app from copies of the folder")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        sizes = write_space(options.folder)
        print(f"Wrote {options.folder}: {len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB.")
        if not options.no_start:
            for hardware, zero_gpu in (("CPUs", False), ("ZeroGPU, of which a stand-in takes the place", True)):
                seconds = check_start(options.folder, zero_gpu=zero_gpu)
                print(f"On {hardware}: from a copy, without a network, the page answered after {seconds:.0f} seconds.")
        print("How to upload it: assets/guide/host.md.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
