"""Sources of photographs and captions, with licences."""
