"""Select each view's initial content after a change of a model, captions or regions: python -m demo.examples."""

import argparse
import json
from typing import Any

from demo.examples.choose import choose_all
from demo.examples.measure import Measures
from demo.galleries.gallery import OPENINGS_FILE
from demo.galleries.indexes.index import require_in_memory
from demo.service.models.registry import ModelRegistry
from demo.service.models.start import open_registry
from seps.common.cli import errors_in_one_line

GALLERIES = ("examples", "open-photos", "scenes")
NOTE = (
    "Written by python -m demo.examples, see demo/examples/choose.py for the rules. margin: S(I, T) minus that of the "
    "next photograph; words: the share of their maps inside the named objects minus a uniform map's; mask: the share "
    "of the named objects that it keeps minus the share of the rest; right: of the first captions, the share "
    "written for the photograph; contrast: the kept share of the caption's object minus the other object's; "
    "overlap: IoU of both masks; share: of the difference that a word makes; inside: of that word's map."
)


def choose(registry: ModelRegistry, name: str) -> dict[str, Any] | None:
    """Select the initial content of each view in a gallery; None if photographs are missing."""
    try:
        service, indexed = registry.open(name)
    except ValueError:  # none of its photographs is there
        return None
    return None if indexed.gallery.note else choose_all(Measures(service, require_in_memory(indexed)))


def main() -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m demo.examples", description=__doc__)
    parser.add_argument("galleries", nargs="*", default=GALLERIES, help=f"of {', '.join(GALLERIES)} (all)")
    options = parser.parse_args()
    with errors_in_one_line():
        registry = open_registry()
        for name in options.galleries:
            choices = choose(registry, name)
            if choices is None:
                print(f"{name}: as it was, since photographs are missing.")
                continue
            write(name, choices)
            print(json.dumps({name: choices}, indent=1, ensure_ascii=False))
    return 0


def write(name: str, choices: dict[str, Any]) -> None:
    """Write the choices of one gallery, keeping the others."""
    before = json.loads(OPENINGS_FILE.read_text(encoding="utf-8"))["galleries"] if OPENINGS_FILE.is_file() else {}
    written = {"note": NOTE, "galleries": before | {name: choices}}
    OPENINGS_FILE.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
