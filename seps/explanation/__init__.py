"""Explanation of a forward pass, and tests of the explanation."""
