"""Paper and code: how they differ, and what was published."""
