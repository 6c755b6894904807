"""Judge generated pictures: `python -m seps.judge train|evaluate|score|sort|ablate|guide`."""

import sys

from seps.judge.program import main

if __name__ == "__main__":
    sys.exit(main())
