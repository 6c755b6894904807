"""The app's root path, and the sites that may embed it in a frame."""

import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

HEADER = "Content-Security-Policy"
VARIABLE = "SEPS_FRAME_ANCESTORS"  # sites too, with blanks between them: a Space gives its app no arguments
HUB = "https://huggingface.co"  # which shows a Space's app in a frame
SITE = re.compile(r"https?://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]{1,5})?", re.IGNORECASE)


def frame_rule(sites: Sequence[str] = ()) -> str:
    """Return the header's value, for `sites` (addresses without a path, or "*" for all; else ValueError) in addition to
    the app's and the environment's."""
    named = [*sites, *os.environ.get(VARIABLE, "").split(), *([HUB] if "SPACE_ID" in os.environ else [])]
    for site in named:
        if site != "*" and not SITE.fullmatch(site):
            raise ValueError(
                f"{site[:80]!r} is no site that may show the app in a frame: write its address without a path, such as "
                "https://course.example.org, or * for every site."
            )
    return " ".join(["frame-ancestors 'self'", *dict.fromkeys(named)])


class FrameRule:
    """ASGI middleware that adds the header with the frame rule to every response."""

    def __init__(self, app: Any, rule: str) -> None:
        self.app, self.header = app, (HEADER.lower().encode(), rule.encode())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on."""

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), self.header]
            await send(message)

        await self.app(scope, receive, sent if scope["type"] == "http" else send)


def read_root() -> str:
    """Return GRADIO_ROOT_PATH as "", "/path" or a whole address, without a trailing slash."""
    root = os.environ.get("GRADIO_ROOT_PATH", "").strip().rstrip("/")
    return root if not root or root.startswith(("/", "http://", "https://")) else f"/{root}"


def strip_root(path: str, root: str) -> str:
    """Return the path of a request as in the app's routes, whether or not a proxy strips the root."""
    root = root.rstrip("/")
    if root.startswith(("http://", "https://")):
        root = urlsplit(root).path
    return (path[len(root) :] or "/") if root and f"{path}/".startswith(f"{root}/") else path
