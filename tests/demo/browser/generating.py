"""The app with a tiny generator of random weights and a tiny model of scenes; each step of a drawing takes SLOW
seconds, so that what comes while it is drawn can be seen. The captioner of photographs is the one that ships."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from demo import site
from demo.server.folder import TemporaryFolder
from demo.service.generating.request import DrawingRequest
from demo.service.generating.service import GeneratingService
from demo.service.generating.step import DrawnStep
from demo.service.start import load_shipped_captioner
from seps.generator import ImageTextGenerator
from tests.helpers.world import registry_with

SLOW = 0.25


class SlowGenerating(GeneratingService):
    """Draws slowly."""

    def draw(self, asked: DrawingRequest) -> Iterator[DrawnStep]:
        """As the service, late."""
        for step in super().draw(asked):
            time.sleep(SLOW)
            yield step


if __name__ == "__main__":
    generator, scenes, cache, port = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    registry = registry_with(scenes, cache)
    registry.generating = SlowGenerating(lambda: ImageTextGenerator(generator, "cpu"))
    registry.captioning = GeneratingService(load_shipped_captioner)
    with TemporaryFolder() as uploads:
        site.build(registry).launch(server_port=port, **site.launch_options(uploads))
