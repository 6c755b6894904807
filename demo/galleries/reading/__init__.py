"""Reading of photographs and videos: paths, decoding in separate processes."""
