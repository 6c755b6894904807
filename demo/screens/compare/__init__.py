"""Compare: several captions over one photograph."""
