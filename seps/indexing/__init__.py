"""Indexing of a folder of photographs into a table of `seps.search.store`."""
