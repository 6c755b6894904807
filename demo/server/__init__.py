"""Server of the page: validates calls, stores uploads temporarily, and limits sessions."""
