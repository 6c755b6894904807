"""Shared parts of all training runs, independent of the trained system."""
