"""Losses: a batch's similarities, claims, and the training guide."""
