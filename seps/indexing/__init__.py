"""Indexing of a folder of photographs into a table of `seps.search.store`.

`files` lists a folder, `sync` compares it with the table, encodes new photographs and commits them, `command` is
`python -m seps.index`.
"""
