"""Photos: a caption ranks photographs."""
