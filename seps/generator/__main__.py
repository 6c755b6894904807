"""Captions for images and images for captions: `python -m seps.generator --mode t2i|i2t|both`, `train|evaluate|try`."""

import sys

from seps.generator.program import main

if __name__ == "__main__":
    sys.exit(main())
