"""Records into pictures."""
