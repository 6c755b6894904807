"""Encoded galleries, in memory and on disk."""
