"""What a view shows."""

from dataclasses import dataclass

from demo.service.ranking import Candidates

NO_POOL = "typed ones alone"  # the choice of no captions but those that a person types
RANKED = 24  # photographs of a ranking that are sent to the browser


@dataclass(frozen=True)
class ViewState:
    """The pair that a view shows, and how it is drawn."""

    gallery: str = ""  # name
    index: int = 0  # of the photograph in it
    caption: str = ""  # as read
    dense: str | None = None
    layer: str = "mask"
    opacity: float = 0.75
    lines: bool = True
    objects: bool = False  # whether a scene's true objects are outlined
    mask: str = ""  # a decision by hand, see `demo.service.masks`, or empty for the model's own
    budget: int = 0  # patches in the game of keeping that many, 0 where it is not played
    name: str = ""  # what file names must hold
    exhaustive: bool = False  # whether all of a large gallery were scored
    other: str = ""  # a second caption, as read: of a video, or in Why of the left photograph

    @property
    def candidates(self) -> Candidates:
        """Which photographs are ranked."""
        return Candidates(name=self.name, exhaustive=self.exhaustive)
