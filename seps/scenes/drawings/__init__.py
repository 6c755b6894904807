"""Drawing functions of all kinds: `DRAWINGS[kind](sketch)` adds the parts, back to front."""

from seps.scenes.drawings import beasts, birds, critters, food, gear, home, people, plants, vehicles
from seps.scenes.drawings.registry import DRAWINGS, Drawing

__all__ = ["DRAWINGS", "Drawing", "beasts", "birds", "critters", "food", "gear", "home", "people", "plants", "vehicles"]
