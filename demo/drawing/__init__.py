"""Records as files: pictures, palettes, pages. The only Python that knows colours."""
