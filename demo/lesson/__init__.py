"""The lesson: the method step by step on the live model."""
