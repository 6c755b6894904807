"""Choosing by measure what each view opens with, and checking by hand what is said of words."""
