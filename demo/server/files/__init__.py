"""Files that the server sends and receives."""
