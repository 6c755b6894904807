"""Why: two pictures or two captions side by side, word by word."""
