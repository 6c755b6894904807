"""Ranks, explains and remembers: the models with their galleries, and what belongs to one person's session."""
