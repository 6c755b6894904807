"""Experiments: other decisions, edited scenes."""
