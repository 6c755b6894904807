"""Accuracy of explanations, measured against the boxes or masks of the objects that captions name.

The figures (texts.json) count patches by their overlap with a region, with 95% intervals over images.
"""

# ruff: noqa: F401

from seps.evaluation.grounding.collect import ground
from seps.evaluation.grounding.contrast import contrast
from seps.evaluation.grounding.report import Contrast, Grounding
