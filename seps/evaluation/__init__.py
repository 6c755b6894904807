"""Measure a model on data: recall, finer measures on drawn scenes, and the correctness of its maps."""
