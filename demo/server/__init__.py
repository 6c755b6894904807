"""The layer between the network and the page: validates calls, stores uploads temporarily, limits sessions."""
