"""Lesson: the method's nine steps, on the page and as slides."""
