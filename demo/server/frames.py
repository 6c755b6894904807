"""Sites that may show the app in a frame: its own, and the sites that the host names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

HEADER = "Content-Security-Policy"
VARIABLE = "SEPS_FRAME_ANCESTORS"  # sites too, with blanks between them: a Space gives its app no arguments
HUB = "https://huggingface.co"  # which shows a Space's app in a frame
SITE = re.compile(r"https?://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]{1,5})?", re.IGNORECASE)


def frame_rule(sites: Sequence[str] = ()) -> str:
    """Return the header's value.

    Args:
        sites: in addition to the app's: addresses without a path, or "*" for all; the environment's are added.

    Raises:
        ValueError: one that is no site.
    """
    named = [*sites, *os.environ.get(VARIABLE, "").split(), *([HUB] if "SPACE_ID" in os.environ else [])]
    for site in named:
        if site != "*" and not SITE.fullmatch(site):
            raise ValueError(
                f"{site[:80]!r} is no site that may show the app in a frame: write its address without a path, such as "
                "https://course.example.org, or * for every site."
            )
    return " ".join(["frame-ancestors 'self'", *dict.fromkeys(named)])


class FrameRule:
    """Gives every answer the rule of who may show it in a frame; browsers keep to it."""

    def __init__(self, app: Any, rule: str) -> None:
        self.app, self.header = app, (HEADER.lower().encode(), rule.encode())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on."""

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), self.header]
            await send(message)

        await self.app(scope, receive, sent if scope["type"] == "http" else send)
