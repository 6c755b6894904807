"""Generate: captions drawn, and pictures captioned."""
