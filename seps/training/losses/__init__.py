"""A training step: a batch to its losses."""
