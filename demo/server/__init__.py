"""The layer between the network and the screens: validates calls, stores uploads temporarily, limits sessions."""
