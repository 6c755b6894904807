"""Accuracy of explanations, measured against the boxes or masks of the objects that captions name.

The figures (`report.MEANINGS`) count patches by their overlap with a region, with 95% intervals over images.
"""

from seps.data.objects import read_scenes
from seps.evaluation.grounding.collect import ground
from seps.evaluation.grounding.contrast import contrast
from seps.evaluation.grounding.contrast_report import Contrast
from seps.evaluation.grounding.report import Grounding, Pointing

__all__ = ["Contrast", "Grounding", "Pointing", "contrast", "ground", "read_scenes"]
