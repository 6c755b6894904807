"""Captions: a photograph ranks captions."""
