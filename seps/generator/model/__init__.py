"""The networks of a generator."""
