"""Explanations prepared for output: their layers, the text templates, which
`assets/js/record` fills in on the page and these files in pictures and exports, and how it is packed."""
