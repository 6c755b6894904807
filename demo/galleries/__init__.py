"""Where photographs and captions come from, with licences."""
