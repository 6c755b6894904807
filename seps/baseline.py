"""Train the pooled baseline on the same features: `python -m seps.baseline RECIPE --data DATA --cache FEATURES`."""

import sys

from seps.training.pooled import main

if __name__ == "__main__":
    sys.exit(main())
