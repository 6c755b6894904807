"""Train a model: `python -m seps.train RECIPE --data DATA --out RUN`."""

import sys

from seps.training.command import main

if __name__ == "__main__":
    sys.exit(main())
