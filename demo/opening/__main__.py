"""Recompute the first view and drawing after a change of a model, examples or the viewer's values: python -m
demo.opening."""

import argparse
import json

from demo.opening.first import FILE
from demo.opening.write import compute_first_view, draw_precomputed
from demo.service.generating.precomputed import FILE as DRAWING
from demo.service.generating.precomputed import save_precomputed, weights_digest
from demo.service.generating.service import GeneratingService, generator_ships
from demo.service.models.registry import ModelRegistry
from demo.service.models.start import GalleryOptions, load_shipped_generator, open_service


def main() -> int:
    """Run the program; returns its exit status."""
    argparse.ArgumentParser(prog="python -m demo.opening", description=__doc__).parse_args()
    FILE.parent.mkdir(exist_ok=True)
    registry = ModelRegistry(open_service(GalleryOptions(fetch=False)))
    view = compute_first_view(registry)
    FILE.write_text(json.dumps(view, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Written: {FILE.name}, {FILE.stat().st_size:,} bytes.")
    if generator_ships():
        save_precomputed(draw_precomputed(GeneratingService(load_shipped_generator)), weights_digest(), DRAWING)
        print(f"Written: {DRAWING.name}, {DRAWING.stat().st_size:,} bytes.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
