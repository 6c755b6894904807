"""Bring a table of `seps.search.store` up to date with a folder of photographs.

`files` lists a folder, `sync` compares it with the table, encodes what is new and commits it, `command` is
`python -m seps.index`.
"""
