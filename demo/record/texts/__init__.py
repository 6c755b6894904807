"""Texts of the page and their translations."""
