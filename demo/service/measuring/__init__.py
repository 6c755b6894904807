"""Effects of patches and decisions, measured on request."""
