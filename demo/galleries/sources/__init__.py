"""Where galleries come from: the examples, folders, open photographs, drawn scenes, videos, uploads."""
