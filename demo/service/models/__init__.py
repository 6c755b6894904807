"""Models and galleries of the app, and of a session."""
