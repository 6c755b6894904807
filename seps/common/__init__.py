"""Helpers of all packages: checks of values, command lines, files, text, numbers and progress."""
