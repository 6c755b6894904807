"""Files that the server gives out and takes."""
