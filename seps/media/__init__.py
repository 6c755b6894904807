"""Read photographs and videos: formats, colour profiles, transparency, listings of folders."""
