"""Records as files: pictures, palettes, pages. `palette` has all colours but black and white."""
