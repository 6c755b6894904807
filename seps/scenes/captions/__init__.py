"""Captions of scenes: writing, reading, and the truth of their statements."""
