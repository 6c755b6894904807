"""The value that a single-file page draws."""

import gzip
import json
import re
from base64 import b64decode
from typing import Any


def shown_in(page: str) -> Any:
    """Its view, value and theme, as `demo.notebook.page.page` packed them."""
    data = re.search(r'id="shown">([^<]*)<', page)
    assert data is not None
    return json.loads(gzip.decompress(b64decode(data[1])))
