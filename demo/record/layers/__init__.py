"""Layers of a record: the table, the values, and what is said of them."""
