"""Index a folder of photographs into a table: `python -m seps.index PHOTOS --to URI`."""

import sys

from seps.indexing.command import main

if __name__ == "__main__":
    sys.exit(main())
