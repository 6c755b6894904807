"""Measurements of captions and drawings."""
