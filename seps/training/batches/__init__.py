"""Batches of a training step, from cached features or from pixels."""
