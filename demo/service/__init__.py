"""Ranking, explanation and caches: the models with their galleries, and the data of each session."""
