"""The record on its way out: the one place for what is said of layers, parts, terms, patches and words."""
